/** @jest-environment node */
import type { ExecutionJob } from '../../../core/executor';
import type { CheckCell, RefineRequest } from '../../../core/request';
import type { NotebookCell } from '../../../notebook/cells';
import { FakeExecutor } from '../../../testing/fakeExecutor';
import { hiddenParts, hiding } from '../hiddenParts';

const cell = (id: string, source: string) =>
  ({ id, type: 'code', source, metadata: {} }) as unknown as NotebookCell;

const check = (cellId: string, source: string) =>
  ({ cellId, source }) as CheckCell;

const request = {
  path: 'work/a.ipynb',
  language: 'python',
  assertions: [check('visible', 'sample = 1\nassert f(sample) == 1')],
  holdouts: [
    check('hidden', 'secret = 3\nsample = 2\nassert f(secret) == 3'),
    check('visible', 'inner = 5\nassert f(inner) == 5')
  ]
} as unknown as RefineRequest;

const cells = [
  cell('target', 'def f(n):\n    return n'),
  cell('visible', 'sample = 1\nassert f(sample) == 1\ninner = 5'),
  cell('hidden', 'secret = 3\nsample = 2\nassert f(secret) == 3')
];

it('hides the notebook and what only a hold-out defines', () => {
  expect(hiddenParts(request, cells)).toEqual({
    notebookPath: 'work/a.ipynb',
    hiddenNames: ['secret', 'inner']
  });
});

it('tells every run of it', async () => {
  const executor = new FakeExecutor([{}]);
  const parts = hiddenParts(request, cells);
  const job = { id: '1', candidate: '' } as ExecutionJob;
  const { signal } = new AbortController();
  await hiding(executor, parts).run(job, () => undefined, signal);
  expect(executor.jobs).toEqual([{ ...job, ...parts }]);
});
