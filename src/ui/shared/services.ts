/** What every part of the panel may use: the manager, the words, and a place to show a failure. */
import type { TranslationBundle } from '@jupyterlab/translation';
import { createContext, useContext } from 'react';
import type { IDisplayRenderer, IRefineManager } from '../../tokens';

export type PanelServices = {
  readonly manager: IRefineManager;
  readonly trans: TranslationBundle;
  /** Start something of the manager's; a rejection is shown as a sentence in the panel. */
  readonly perform: (action: () => Promise<unknown> | void) => void;
  /** Null: Markdown is shown as it is written. */
  readonly createMarkdown: MarkdownFactory | null;
  /** Null: code is edited in a plain text field. */
  readonly createEditor: EditorFactory | null;
  /** Code that the user typed in attempts and did not run, by session and attempt. */
  readonly edits: Map<string, string>;
  /** Ids of the questions that took the keyboard: each takes it once, however often it is shown. */
  readonly asked: Set<string>;
};

/** Makes an editor of code in `host`. */
export type EditorFactory = (
  host: HTMLElement,
  options: {
    readonly source: string;
    /** Of the kernel, lower case. */
    readonly language: string;
    /** What a screen reader calls it. */
    readonly label: string;
  }
) => {
  readonly source: () => string;
  readonly focus: () => void;
  readonly dispose: () => void;
};

/** What the application gives the panel. */
export type PanelFactories = Partial<
  Pick<PanelServices, 'createMarkdown' | 'createEditor'>
>;

/** Makes a place that shows Markdown which is not to be trusted. */
export type MarkdownFactory = () => {
  readonly node: HTMLElement;
  readonly show: (text: string) => Promise<void>;
  readonly dispose: () => void;
};

export const PanelServicesContext = createContext<PanelServices | null>(null);

/** Names whose values no part of the panel shows: `refine-hide`, and what only hold-outs define. */
export type HiddenNames = ReadonlySet<string>;

export const HiddenNamesContext = createContext<HiddenNames>(new Set());

/** Null where the application renders no outputs. */
export const DisplayRendererContext = createContext<IDisplayRenderer | null>(
  null
);

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
