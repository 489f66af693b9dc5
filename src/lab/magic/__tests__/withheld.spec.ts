import { withholdNext } from '../withheld';

class FakeKernel {
  readonly sent: object[] = [];

  requestExecute(content: { readonly code: string }, disposeOnDone?: boolean) {
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
