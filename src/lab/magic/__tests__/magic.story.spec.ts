/** @jest-environment node */
import { isRefineMagic, refineLine } from '../lineReply';
import { withholdNext } from '../withheld';

it.each([
  ['%refine', ''],
  ['x = 1\n  %refine  stop ', 'stop'],
  ['%%refine\n%refine', null],
  ['%refined', null],
  ['refine = 1', null]
])('reads the line magic of %j', (source, expected) => {
  expect(refineLine(source)).toBe(expected);
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

    requestExecute(content: { readonly code: string }) {
      this.sent.push(content);
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
});
