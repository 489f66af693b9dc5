/** What every part of the panel may use: the manager, the words, and a place to show a failure. */
import type { TranslationBundle } from '@jupyterlab/translation';
import { createContext, useContext } from 'react';
import type { IRefineManager } from '../../tokens';

export type PanelServices = {
  readonly manager: IRefineManager;
  readonly trans: TranslationBundle;
  /** Start something of the manager's; a rejection is shown as a sentence in the panel. */
  readonly perform: (action: () => Promise<unknown> | void) => void;
};

export const PanelServicesContext = createContext<PanelServices | null>(null);

/** Names whose values no part of the panel shows: `refine-hide`, and what only hold-outs define. */
export type HiddenNames = ReadonlySet<string>;

export const HiddenNamesContext = createContext<HiddenNames>(new Set());

/** Ids of the checking statements that cannot fail, as their results have them. */
export const VacuousContext = createContext<ReadonlySet<string>>(new Set());

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
