/** @jest-environment node */
import { nullTranslator } from '@jupyterlab/translation';
import { initialState } from '../../../core/events/fold';
import type { RefineView } from '../../../tokens';
import {
  isRefineMagic,
  lineReply,
  magicProblems,
  refineLine
} from '../lineReply';
import { withholdNext } from '../withheld';

const trans = nullTranslator.load('jupyterlab_refine');

it.each([
  ['%refine', ''],
  ['x = 1\n  %refine  stop ', 'stop'],
  ['%%refine\n%refine', null],
  ['%refined', null],
  ['refine = 1', null]
])('reads the line magic of %j', (source, expected) => {
  expect(refineLine(source)).toBe(expected);
});

it('reports options that are unknown or wrong', async () => {
  expect(await magicProblems('%%refine --max-attempts 2\nx')).toEqual([]);
  expect(
    await magicProblems('%%refine --max-attempts many --modle x')
  ).toHaveLength(2);
});

it('says how to use a line that it does not know', () => {
  const target = { label: 'cell 3' };
  const view = { session: null, question: null, target } as RefineView;
  expect(lineReply('', view, trans)).toContain('with %%refine and a prompt');
  expect(lineReply('halt', view, trans)).toContain('%refine stop');
  const running = { ...view, session: initialState('s') };
  expect(lineReply('', running, trans)).toBe('Refine: starting (cell 3)');
});

it.each([
  ['%%refine', true],
  ['\n%%refine --max-attempts 3\nAdd.', true],
  ['%%refined', false],
  ['x = 1\n%%refine', false]
])('makes a prompt cell of %j: %s', (source, expected) => {
  expect(isRefineMagic(source)).toBe(expected);
});

describe('what the kernel does not get', () => {
  class FakeKernel {
    readonly sent: object[] = [];

    requestExecute(
      content: { readonly code: string },
      disposeOnDone?: boolean
    ) {
      this.sent.push({ ...content, disposeOnDone });
      return 'a future';
    }
  }

  function start() {
    const kernel = new FakeKernel();
    const withhold = (source: string) =>
      withholdNext(
        kernel as unknown as Parameters<typeof withholdNext>[0],
        source
      );
    const codes = () =>
      kernel.sent.map(content => (content as { readonly code: string }).code);
    return { kernel, withhold, codes };
  }

  it('empties the code of the next execution of that source only', () => {
    const { kernel, withhold } = start();
    withhold('%%refine');
    const content = { code: '%%refine', stop_on_error: true };
    expect(kernel.requestExecute(content, false)).toBe('a future');
    expect(kernel.sent).toEqual([
      { code: '', stop_on_error: true, disposeOnDone: false }
    ]);
  });

  it('leaves other code alone, and nothing of itself', async () => {
    const { kernel, withhold, codes } = start();
    withhold('%%refine');
    kernel.requestExecute({ code: 'x <- 1' });
    kernel.requestExecute({ code: '%%refine' });
    kernel.requestExecute({ code: '%%refine' });
    expect(codes()).toEqual(['x <- 1', '', '%%refine']);
    await new Promise(done => setTimeout(done, 5));
    expect(Object.getOwnPropertyNames(kernel)).toEqual(['sent']);
  });

  it('is over with the task in which the cell was scheduled', async () => {
    const { kernel, withhold, codes } = start();
    withhold('%%refine');
    await new Promise(done => setTimeout(done, 5));
    kernel.requestExecute({ code: '%%refine' });
    expect(codes()).toEqual(['%%refine']);
  });

  it('holds for a whole Run All, and restores other overrides', async () => {
    const { kernel, withhold, codes } = start();
    const other = jest.fn(function (
      this: FakeKernel,
      content: { readonly code: string }
    ) {
      return FakeKernel.prototype.requestExecute.call(this, content);
    });
    Object.assign(kernel, { requestExecute: other });
    for (const code of ['%%refine a', '%%refine b']) {
      withhold(code);
      kernel.requestExecute({ code });
    }
    expect(codes()).toEqual(['', '']);
    await new Promise(done => setTimeout(done, 5));
    expect(kernel.requestExecute).toBe(other);
  });
});
