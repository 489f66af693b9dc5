/** The manager that is there from the start; what it does is loaded on first use. */
import { Signal } from '@lumino/signaling';
import type { IRefineManager, RefineView } from '../tokens';

/** Before the manager is loaded. */
export const NOTHING_YET: RefineView = {
  target: null,
  models: { status: 'loading' },
  isolation: null,
  session: null,
  question: null,
  accepted: null,
  cleanCheck: null,
  interrupted: false,
  notice: null
};

/** What does nothing, and loads nothing, before there is a manager. */
const IDLE: ReadonlySet<PropertyKey> = new Set<keyof IRefineManager>([
  'stop',
  'setPaused',
  'runningIn',
  'answer'
]);

/** Asked of any object by `await` and by loggers. */
const NO_METHOD: ReadonlySet<PropertyKey> = new Set(['then', 'toJSON']);

type Method = (...args: readonly unknown[]) => unknown;

/**
 * Hands every call to the manager that `load` brings, once. Connecting to
 * `viewChanged` does not load it; any method does, but for those that only end
 * or ask for something. A load that failed is tried again by the next call.
 */
export function lazyManager(
  load: () => Promise<IRefineManager>
): IRefineManager {
  let manager: IRefineManager | null = null;
  let loading: Promise<IRefineManager> | null = null;
  const own = {
    isDisposed: false,
    get view() {
      return manager?.view ?? NOTHING_YET;
    },
    dispose() {
      if (!own.isDisposed) {
        own.isDisposed = true;
        manager?.dispose();
        Signal.clearData(proxy);
      }
    }
  };
  const ready = () =>
    (loading ??= load().then(
      loaded => {
        if (own.isDisposed) {
          loaded.dispose();
          return loaded;
        }
        manager = loaded;
        loaded.viewChanged.connect(() => changed.emit());
        changed.emit();
        return loaded;
      },
      reason => {
        loading = null;
        throw reason;
      }
    ));
  const call = (to: IRefineManager, name: PropertyKey, args: unknown[]) =>
    (Reflect.get(to, name) as Method).apply(to, args);
  const proxy = new Proxy(own, {
    get: (target, name) =>
      name === 'viewChanged'
        ? changed
        : typeof name === 'symbol' || name in target || NO_METHOD.has(name)
          ? Reflect.get(target, name)
          : IDLE.has(name)
            ? (...args: unknown[]) => manager && call(manager, name, args)
            : async (...args: unknown[]) => call(await ready(), name, args)
  }) as unknown as IRefineManager;
  const changed = new Signal<IRefineManager, void>(proxy);
  return proxy;
}
