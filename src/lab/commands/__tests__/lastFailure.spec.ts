/** @jest-environment node */
import type { ICellModel } from '@jupyterlab/cells';
import type { IOutput } from '@jupyterlab/nbformat';
import { errorOutput } from '../../errorOutput';
import { lastFailure } from '../lastFailure';

const code = (
  id: string,
  executionCount: number | null,
  outputs: readonly IOutput[] = []
) =>
  ({
    id,
    type: 'code',
    executionCount,
    outputs: {
      length: outputs.length,
      get: (i: number) => ({
        type: outputs[i].output_type,
        toJSON: () => outputs[i]
      })
    }
  }) as unknown as ICellModel;

const error = (traceback: readonly string[]): IOutput => ({
  output_type: 'error',
  ename: 'KeyError',
  evalue: "'Region'",
  traceback: [...traceback]
});

const note = { id: 'note', type: 'markdown' } as unknown as ICellModel;

it('finds the failure that was executed last, wherever it stands', () => {
  const found = lastFailure([
    note,
    code('a', 5, [error(['KeyError'])]),
    code('b', 3, [error(['older'])]),
    code('c', 6, [{ output_type: 'stream', name: 'stdout', text: 'fine' }])
  ]);
  expect(found).toBe('a');
});

it('finds none where no cell failed', () => {
  expect(lastFailure([note, code('a', 1), code('b', null)])).toBeNull();
});

it('reads the traceback without colours', () => {
  const traceback = ['\u001b[31mKeyError\u001b[0m', "'Region'"];
  expect(errorOutput(code('a', 1, [error(traceback)]))).toEqual({
    name: 'KeyError',
    message: "'Region'",
    traceback: "KeyError\n'Region'"
  });
});

it('reports name and value where a kernel sends no traceback', () => {
  expect(errorOutput(code('a', 1, [error([])]))?.traceback).toBe(
    "KeyError: 'Region'"
  );
});

it('cuts an endless traceback', () => {
  const found = errorOutput(code('a', 1, [error(['x'.repeat(1e5)])]));
  expect(found?.traceback.length).toBeLessThanOrEqual(6000);
});
