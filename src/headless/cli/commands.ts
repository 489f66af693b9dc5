/** What the command line can be asked to do. */
import type { RefineOptions } from '../../core/options';

export type NotebookCommand = {
  /** Each file once. */
  readonly notebooks: readonly string[];
  /** Ids or positions from 0; empty: every target. */
  readonly cells: readonly string[];
  /** Name of a kernel specification; null: the notebook's. */
  readonly kernel: string | null;
  readonly events: string | null;
  readonly json: boolean;
  /** A pass whose checks are not all confirmed gives exit status 1. */
  readonly strict: boolean;
  /** A given server; null: start one. */
  readonly server: { readonly url: string; readonly token: string } | null;
  readonly options: RefineOptions;
};

export type RunCommand = NotebookCommand & {
  readonly command: 'run';
  readonly output: string | null;
  readonly inPlace: boolean;
  readonly profile: string | null;
  readonly baseUrl: string | null;
  readonly model: string | null;
  /** Of the one target; null: the notebook's own. */
  readonly prompt: string | null;
};

export type CheckCommand = NotebookCommand & { readonly command: 'check' };

export type Command =
  | RunCommand
  | CheckCommand
  | { readonly command: 'help'; readonly about: 'run' | 'check' | null }
  | { readonly command: 'version' };
