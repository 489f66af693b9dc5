/** A manager that shows what it is given and remembers what was asked of it. */
import { Signal } from '@lumino/signaling';
import type { IRefineManager, RefineView } from '../../tokens';

/** What would be sent. */
const PREVIEW = [
  { role: 'system', content: 'You write one cell.' },
  { role: 'user', content: 'The exact text.' }
];

export type Call = readonly [name: string, ...args: unknown[]];

export type FakeManager = IRefineManager & {
  readonly calls: Call[];
  /** Rejects the next asynchronous call. */
  failure: Error | null;
  readonly show: (change: Partial<RefineView>) => void;
};

export function fakeManager(view: RefineView): FakeManager {
  const calls: Call[] = [];
  const own = {
    calls,
    failure: null as Error | null,
    isDisposed: false,
    get view() {
      return view;
    },
    show: (change: Partial<RefineView>) => {
      view = { ...view, ...change };
      viewChanged.emit();
    }
  };
  const called = async (...call: Call) => {
    calls.push(call);
    const { failure } = own;
    own.failure = null;
    if (failure !== null) {
      throw failure;
    }
    return call[0] === 'previewRequest' ? PREVIEW : undefined;
  };
  const manager = new Proxy(own, {
    get: (target, name) =>
      name === 'viewChanged'
        ? viewChanged
        : typeof name === 'symbol' || name in target
          ? Reflect.get(target, name)
          : (...args: unknown[]) => called(name, ...args)
  }) as unknown as FakeManager;
  const viewChanged = new Signal<IRefineManager, void>(manager);
  return manager;
}
