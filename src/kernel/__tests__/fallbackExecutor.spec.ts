import { RefineError } from '../../core/errors';
import type { IExecutor } from '../../core/domain/executor';
import { FallbackExecutor } from '../fallbackExecutor';

it('makes no executor after it was disposed', async () => {
  const refused = new RefineError('kernel', 'No fork.', {
    code: 'kernel-refused'
  });
  let allow = (_: boolean) => {};
  const make = jest.fn();
  const first = {
    prepare: () => Promise.reject(refused),
    dispose: () => undefined
  } as unknown as IExecutor & { dispose(): void; isDisposed: boolean };
  const executor = new FallbackExecutor([
    { make: () => first },
    {
      make,
      allow: () =>
        new Promise<boolean>(resolve => {
          allow = resolve;
        })
    }
  ]);
  const prepared = executor.prepare(new AbortController().signal);
  await new Promise(done => setTimeout(done));
  executor.dispose();
  allow(true);
  await expect(prepared).rejects.toBe(refused);
  expect(make).not.toHaveBeenCalled();
});
