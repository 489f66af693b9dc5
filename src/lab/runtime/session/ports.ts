/** What a session of a notebook needs, and how a run of it starts. */
import type { ISessionContextDialogs } from '@jupyterlab/apputils';
import type { NotebookPanel } from '@jupyterlab/notebook';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { Extensions } from '../../../core/deps';
import type { RefineEvent } from '../../../core/events/events';
import type { PausedFrame, IExecutor } from '../../../core/domain/executor';
import type { ILanguageModel } from '../../../core/domain/model';
import type { RefineOptions } from '../../../core/options';
import type { RefineRequest } from '../../../core/domain/request';
import type { EditedCandidate } from '../../../core/session/steering';
import type { DisputeAnswer } from '../../../tokens';
import type { AcceptancePorts } from '../acceptance/acceptance';
import type { CleanChecker } from '../cells/cleanCheck';
import type { UnrunAbove } from '../target/unrunAbove';
import type { JournalStorage } from './journal';

export type SessionPorts = {
  readonly panel: NotebookPanel;
  readonly trans: TranslationBundle;
  readonly dialogs: ISessionContextDialogs | null;
  readonly storage: JournalStorage;
  /** Takes the events of a session that has ended, and again when more follow; default: nobody does. */
  readonly keep?: (events: readonly RefineEvent[]) => void;
  /** Added by other extensions; default: none. */
  readonly extensions?: Extensions;
  /** Environment variables with keys, as the server reports them. */
  readonly keyVariables?: () => readonly string[];
  /** Repeats an attempt in a fresh kernel. */
  readonly checkClean: CleanChecker;
  readonly acceptance: Pick<
    AcceptancePorts,
    'run' | 'review' | 'provenanceOf' | 'watchCells'
  >;
};

/** How a run starts. */
export type SessionStart = {
  /** `check`: attempt 0 only, `model` is not called. `draft`: assertions only, no attempt. */
  readonly mode: 'refine' | 'check' | 'draft';
  readonly model: ILanguageModel | null;
  /** Judges; the one that writes when left out. */
  readonly evaluatorModel?: ILanguageModel | null;
  readonly options: RefineOptions;
  /** Reads the notebook and asks the kernel for what the request contains of it. */
  readonly request: (
    session: string,
    executor: IExecutor,
    signal: AbortSignal
  ) => Promise<RefineRequest>;
  /** The cells above that have not run in the kernel; not given: nobody asks. */
  readonly unrunAbove?: (
    executor: IExecutor,
    signal: AbortSignal
  ) => Promise<UnrunAbove>;
} & RunWith;

/** What the user gives one run beside the settings. */
export type RunWith = {
  /** Goes into the first prompt of this run. */
  readonly hint?: string;
  /** Where the debugger has stopped the kernel. */
  readonly frame?: PausedFrame;
  /** The check that the last run ended with is right, or is left out. */
  readonly dispute?: DisputeAnswer;
  /** The attempt to refine, instead of the best. */
  readonly base?: number;
  /** Code of the user's own, run as the first attempt. */
  readonly edited?: EditedCandidate;
  /** Attempts at most; else the limit of the settings and of the cell. */
  readonly count?: number;
};
