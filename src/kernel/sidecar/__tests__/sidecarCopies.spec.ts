/** @jest-environment node */
import type { KernelHarness } from '../../harness';
import { CopyInterrupted, SidecarCopies } from '../sidecarCopies';
import { job } from '../../__tests__/jobs';

type Step = { readonly step: string } & Readonly<Record<string, unknown>>;
type Answers = Readonly<Record<string, (step: Step) => unknown>>;

/** A kernel part of which only the copying answers. */
class FakeHarness {
  constructor(private readonly answers: Answers) {}

  readonly activity = { changes: 0 };
  readonly steps: Step[] = [];
  readonly cancelled: string[] = [];

  async share(step: Step): Promise<unknown> {
    this.steps.push(step);
    await Promise.resolve();
    return this.answers[step.step]?.(step) ?? { state: 'ok' };
  }

  async cancelShare(id: string): Promise<void> {
    this.cancelled.push(id);
  }

  sent(step: string): readonly Step[] {
    return this.steps.filter(sent => sent.step === step);
  }
}

const packed = (bytes = 10) => ({
  state: 'packed',
  token: 't',
  path: '/tmp/x',
  nonce: 'n',
  bytes,
  names: ['df'],
  left: []
});

function start(from: Answers, to: Answers) {
  const user = new FakeHarness(from);
  const second = new FakeHarness(to);
  const copies = new SidecarCopies(
    user as unknown as KernelHarness,
    second as unknown as KernelHarness
  );
  const update = (signal = new AbortController().signal) =>
    copies.update(job('df', 'assert df'), signal, () => undefined);
  return { user, second, copies, update };
}

const loaded = () => ({ state: 'loaded' });

describe('SidecarCopies', () => {
  it('copies what candidate, checks and scorer read', async () => {
    const { user, copies } = start({ pack: () => packed() }, { load: loaded });
    const scored = {
      ...job('fit(train)', 'assert model'),
      scorer: { cellId: 's', index: 3, source: 'def score(ns): return 1' },
      hiddenData: ['test', 'labels'],
      hiddenNames: ['secret']
    };
    await copies.update(scored, new AbortController().signal, () => undefined);
    expect(user.sent('pack')[0]).toMatchObject({
      candidate: 'fit(train)',
      others: ['assert model', 'def score(ns): return 1', 'test', 'labels'],
      hidden: ['secret']
    });
  });

  it('sends no copy again until the user’s kernel ran something', async () => {
    const { user, copies, update } = start(
      {
        pack: ({ known }) =>
          (known as string[]).length ? { state: 'same', left: [] } : packed()
      },
      { load: loaded }
    );
    expect(copies.isFresh).toBe(false);
    expect(await update()).toEqual({ names: ['df'], left: [] });
    expect(copies.isFresh).toBe(true);
    expect(await update()).toEqual({ names: ['df'], left: [] });
    user.activity.changes++;
    expect(copies.isFresh).toBe(false);
    await update();
    expect(user.sent('pack').map(step => step.known)).toEqual([[], ['df'], []]);
  });

  it('sends again what a cell changed before the copy', async () => {
    const { user, copies, update } = start(
      {
        pack: () => {
          user.activity.changes++;
          return packed();
        }
      },
      { load: loaded }
    );
    await update();
    expect(copies.isFresh).toBe(false);
  });

  it('removes the file, also when the second kernel fails', async () => {
    const { user, update } = start(
      { pack: () => packed() },
      {
        load: () => {
          throw new Error('gone');
        }
      }
    );
    await expect(update()).rejects.toThrow('gone');
    expect(user.sent('drop')).toMatchObject([{ token: 't' }]);
  });

  it('continues without a variable that failed, and says why', async () => {
    let loads = 0;
    const { user, update } = start(
      {
        pack: ({ without }) => ({
          ...packed(),
          left: Object.entries(without as object).map(([name, reason]) => ({
            name,
            reason
          }))
        })
      },
      {
        load: () =>
          loads++ === 0
            ? { state: 'failed', name: 'odd', reason: 'no such module' }
            : loaded()
      }
    );
    expect((await update()).left).toEqual([
      { name: 'odd', reason: 'no such module' }
    ]);
    expect(user.sent('pack')).toHaveLength(2);
  });

  it('gives up when one variable after the other cannot be made', async () => {
    let loads = 0;
    const { update } = start(
      { pack: () => packed() },
      { load: () => ({ state: 'failed', name: `v${loads++}`, reason: 'no' }) }
    );
    await expect(update()).rejects.toMatchObject({
      code: 'kernel-refused',
      message: expect.stringContaining('v10: no')
    });
  });

  it('sends the file in parts to a kernel that does not see it', async () => {
    const { user, second, update } = start(
      {
        pack: () => packed(2 ** 20 + 1),
        read: ({ offset }) => ({ data: `at ${String(offset)}` })
      },
      { load: ({ path }) => (path === null ? loaded() : { state: 'unseen' }) }
    );
    await update();
    expect(second.sent('part').map(step => step.data)).toEqual([
      'at 0',
      `at ${2 ** 20}`
    ]);
    user.activity.changes++;
    await update();
    const limits = user.sent('pack').map(step => step.limitBytes);
    expect(limits).toEqual([2 ** 30, 64 * 2 ** 20]);
  });

  it('sends no more in parts than messages should carry', async () => {
    const { second, update } = start(
      { pack: () => packed(2 ** 27) },
      { load: () => ({ state: 'unseen' }) }
    );
    await expect(update()).rejects.toMatchObject({
      code: 'kernel-refused',
      message: expect.stringContaining('larger than 64 MB')
    });
    expect(second.sent('part')).toEqual([]);
  });

  it('forgets the parts when one of them fails', async () => {
    const { second, update } = start(
      {
        pack: () => packed(),
        read: () => {
          throw new Error('lost');
        }
      },
      { load: () => ({ state: 'unseen' }) }
    );
    await expect(update()).rejects.toThrow('lost');
    expect(second.sent('forget')).toMatchObject([{ nonce: 'n' }]);
  });

  it('names what was copied when the time was up', async () => {
    const { update } = start(
      { pack: () => ({ state: 'cut', why: 'late', name: 'huge' }) },
      {}
    );
    await expect(update()).rejects.toMatchObject({
      code: 'kernel-refused',
      message:
        'The variables could not be copied within 30 s; “huge” was being copied.'
    });
  });

  it('reports an interrupt by the user', async () => {
    const { update } = start(
      { pack: () => ({ state: 'cut', why: 'interrupted', name: 'df' }) },
      {}
    );
    await expect(update()).rejects.toBeInstanceOf(CopyInterrupted);
  });

  it('cancels the copying on a stop', async () => {
    const stop = new AbortController();
    const { user, update } = start(
      {
        pack: () => {
          stop.abort(new Error('enough'));
          return { state: 'cut', why: 'cancelled', name: 'df' };
        }
      },
      {}
    );
    await expect(update(stop.signal)).rejects.toThrow('enough');
    expect(user.cancelled).toEqual([user.sent('pack')[0].id]);
  });

  it.each([
    ['cloudpickle', 'cloudpickle', 'cloudpickle'],
    ['cloudpickle', undefined, null],
    ['cloudpickle', 'joblib.externals.cloudpickle', null]
  ])(
    'uses a cloudpickle that both kernels have: %s, %s',
    async (here, there, used) => {
      const hello = (cloudpickle?: string) => () => ({ cloudpickle });
      const { user, update } = start(
        { hello: hello(here), pack: () => packed() },
        { hello: hello(there), load: loaded }
      );
      await update();
      expect(user.sent('pack')[0].cloudpickle).toBe(used);
    }
  );
});
