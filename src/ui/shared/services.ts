/** What every part of the panel may use: the manager, the words, and a place to show a failure. */
import type { TranslationBundle } from '@jupyterlab/translation';
import {
  createContext,
  useCallback,
  useContext,
  useSyncExternalStore
} from 'react';
import type { IRefineManager, PanelFactories, RefineView } from '../../tokens';

export type PanelServices = PanelFactories & {
  readonly manager: IRefineManager;
  readonly trans: TranslationBundle;
  /** Start something of the manager's; a rejection is shown as a sentence in the panel. */
  readonly perform: (action: () => Promise<unknown> | void) => void;
  /** Code that the user typed in attempts and did not run, by session and attempt. */
  readonly edits: Map<string, string>;
  /** Ids of the questions that took the keyboard: each takes it once, however often it is shown. */
  readonly asked: Set<string>;
};

export const PanelServicesContext = createContext<PanelServices | null>(null);

/** Names whose values no part of the panel shows: `refine-hide`, and what only hold-outs define. */
export type HiddenNames = ReadonlySet<string>;

export const HiddenNamesContext = createContext<HiddenNames>(new Set());

/** Whether a session is shown that can only be read. */
export const ReadOnlyContext = createContext(false);

/** Whether a primary button here is filled: one place of the panel has the primary button at a time. */
export const PrimaryContext = createContext(true);

/** @throws Error outside of a panel: a mistake of ours, never of the user's. */
export function usePanelServices(): PanelServices {
  const services = useContext(PanelServicesContext);
  if (services === null) {
    throw new Error('This component must be inside a RefinePanel.');
  }
  return services;
}

/** The manager's view, which is another one at most once per animation frame. */
export function useRefineView(manager: IRefineManager): RefineView {
  const subscribe = useCallback(
    (onChange: () => void) => {
      manager.viewChanged.connect(onChange);
      return () => void manager.viewChanged.disconnect(onChange);
    },
    [manager]
  );
  return useSyncExternalStore(subscribe, () => manager.view);
}
