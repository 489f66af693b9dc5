/** Tokens and interfaces that the panel and other extensions use. */
import { Token } from '@lumino/coreutils';
import type { IDisposable } from '@lumino/disposable';
import type { ISignal } from '@lumino/signaling';
import type {
  ModelEvent,
  ModelIdentity,
  ModelPrices,
  ModelRequest
} from './core/domain/model';
import type { DraftedAssertion } from './core/domain/drafted';
import type { Isolation } from './core/domain/execution';
import type { PausedFrame } from './core/domain/frame';
import type { RefineRequest } from './core/domain/request';
import type { SessionState } from './core/events/state';
import type { IAddedEvaluator } from './core/extensions';
import type { IFeedbackStrategy } from './core/feedback/strategy';

/** A model profile as the server reports it; never with a key. */
export type ModelProfile = {
  readonly name: string;
  readonly host: string;
  readonly models: readonly string[];
  readonly defaultModel: string | null;
  readonly demo: boolean;
};

/** Whether a model can be called, and if not what the user can do. */
export type ModelSetup =
  | { readonly status: 'loading' }
  | {
      readonly status: 'ready';
      readonly identity: ModelIdentity;
      readonly profiles: readonly ModelProfile[];
      /** False where the server's policy lets nobody enter a key. */
      readonly takesKeys?: boolean;
    }
  | {
      /** Nothing but the demo: `hints` are sentences and commands to show. */
      readonly status: 'no-model';
      readonly hints: readonly string[];
      readonly profiles: readonly ModelProfile[];
      readonly takesKeys?: boolean;
    }
  | {
      /** Our routes are missing: the server process is older than the extension. */
      readonly status: 'no-routes';
    }
  | { readonly status: 'error'; readonly message: string };

/**
 * A question to the user; the first choice is the safe one and the default.
 * One with a field or with drafts has no default: it waits until a choice is made.
 */
export type RefineQuestion = {
  readonly id: string;
  readonly subject:
    | 'live'
    | 'network'
    | 'writes'
    | 'continue'
    | 'cells-above'
    | 'accept'
    | 'target-changed'
    | 'execute'
    | 'contradiction'
    | 'review'
    | 'drafts';
  readonly title: string;
  readonly body: string;
  readonly choices: readonly {
    readonly id: string;
    readonly label: string;
    /** Needs what the field holds, and is sent by Enter in it. */
    readonly takesText?: boolean;
    /** Needs a draft that is ticked. */
    readonly takesDrafts?: boolean;
  }[];
  /** When the first choice is taken without an answer, ms since the epoch; none: it waits. */
  readonly until?: number;
  /** A line that the user may write. */
  readonly field?: { readonly label: string };
  /** The code that the question is about, shown in it. */
  readonly code?: { readonly attempt: number; readonly source: string };
  /** Assertions to choose from; those with a problem cannot be chosen. */
  readonly drafts?: readonly DraftedAssertion[];
};

/** What a choice takes along. */
export type AnswerDetail = {
  /** What the question's field holds. */
  readonly text?: string;
  /** Lines of the drafts that are ticked. */
  readonly lines?: readonly number[];
};

/** What became of the target after a session. */
export type AcceptState = {
  readonly attempt: number;
  /**
   * `inserted` written, not run; `ran` written and run with its assertions; `restored` the old source is back;
   * `edited` the user's own edit was kept. `attempt` is the one written last, 0 for none.
   */
  readonly status: 'inserted' | 'ran' | 'restored' | 'edited';
  /** One sentence for the panel: why it was run, or was not. */
  readonly message: string;
};

/** That the notebook no longer shows what a session ended with. */
export type NotebookStanding = {
  /** `failed`: a cell of the session failed when it ran last. `edited`: one was edited, and has not run with the others since. */
  readonly status: 'failed' | 'edited';
  /** Continues the headline: `but cell 3 failed in the notebook: AssertionError`. */
  readonly message: string;
};

/** True while the cell holds what was written. */
export function isWritten(
  accepted: AcceptState | null
): accepted is AcceptState & { readonly status: 'inserted' | 'ran' } {
  return accepted?.status === 'inserted' || accepted?.status === 'ran';
}

/** True when something was written and the old source is not back. */
export function canRestore(accepted: AcceptState | null): boolean {
  return (
    isWritten(accepted) ||
    (accepted?.status === 'edited' && accepted.attempt > 0)
  );
}

/** The target the panel is about. */
export type TargetView = {
  readonly cellId: string;
  readonly path: string;
  /** `cell 7`: its position, from 1. */
  readonly label: string;
  readonly kind: 'code' | 'markdown';
  readonly prompt: string;
  /** True when the text comes from the notebook and not from the panel's box. */
  readonly promptFromNotebook: boolean;
  readonly assertions: number;
  readonly holdouts: number;
  /** Ids of the cells that hold them, in order. */
  readonly checkCells?: {
    readonly assertions: readonly string[];
    readonly holdouts: readonly string[];
  };
  /** Cells of drafted assertions that nobody approved yet. */
  readonly unverified?: readonly string[];
  /** Evaluators of other extensions that check it, too. */
  readonly evaluators?: readonly string[];
  /** Cells that could be marked as assertions, when there is none. */
  readonly candidatesForAssertion: readonly {
    readonly cellId: string;
    readonly label: string;
  }[];
  /** Deleted while its session ran: the panel shows that session until another target is active. */
  readonly deleted?: boolean;
  /** Reason why this cell cannot be refined (locked, an assertion cell). */
  readonly refused: string | null;
};

/** What becomes of a check that the model disputes. */
export type DisputeAnswer = 'right' | 'skip';

/** Immutable snapshot; a new object whenever anything in it changes. */
export type RefineView = {
  readonly target: TargetView | null;
  readonly models: ModelSetup;
  readonly isolation: Isolation | null;
  readonly session: SessionState | null;
  readonly question: RefineQuestion | null;
  readonly accepted: AcceptState | null;
  /** Null while the notebook stands as the session ended. */
  readonly standing?: NotebookStanding | null;
  /** Null when no check in a fresh kernel was made; `unknown` when it could not be made, or leaves the question open. */
  readonly cleanCheck: {
    readonly status: 'running' | 'passed' | 'failed' | 'unknown';
    readonly message: string;
  } | null;
  /** True when the session was cut off by a reload and is shown from the journal. */
  readonly interrupted: boolean;
  /** One sentence that is no part of a session: why nothing could start. */
  readonly notice: string | null;
  /** Default: `problem`. */
  readonly noticeTone?: NoticeTone;
};

/** `info` is shown in grey: nothing went wrong. */
export type NoticeTone = 'problem' | 'info';

/** A cell to refine that need not be the active one. */
export type RefineStart = {
  readonly path: string;
  /** The target, or a cell that belongs to one (prompt, assertion). */
  readonly cellId: string;
  /** Do nothing when prompt, checks and source are what they were at the last pass. */
  readonly unlessUnchanged?: boolean;
  /** Goes into the first prompt. */
  readonly hint?: string;
  /** Pause after each attempt. */
  readonly stepwise?: boolean;
  /** Where the debugger has stopped the kernel: attempts run there, with its variables. */
  readonly frame?: PausedFrame;
  /** Fix the error that the target shows. */
  readonly repair?: boolean;
};

/** The application's refinement service: one session per notebook at a time. */
export interface IRefineManager extends IDisposable {
  readonly view: RefineView;
  readonly viewChanged: ISignal<IRefineManager, void>;

  /** Set the prompt of the current target; belongs to that target only. */
  setPrompt(text: string): void;
  /** Refine the current target, or the named one. Resolves when the session has ended. */
  refine(start?: RefineStart): Promise<void>;
  /** Let the model draft assertions for a target that has none, and ask which to use. */
  generateAssertions(
    start?: Pick<RefineStart, 'path' | 'cellId'>
  ): Promise<void>;
  /** Attempt 0 only: check what the target, or the named one, holds. Needs no model. */
  check(start?: Pick<RefineStart, 'path' | 'cellId'>): Promise<void>;
  /** Go on after a session that ended without a pass. */
  moreAttempts(count: number): Promise<void>;
  /** Go on after a dispute: the disputed check is right, or is left out of this session. */
  answerDispute(answer: DisputeAnswer): Promise<void>;
  /** Add an assertion cell below the current target, for the user to edit. */
  addCheck(source: string): void;
  stop(): void;
  setPaused(paused: boolean): void;
  /** Of a paused session: make one attempt, then pause again. */
  step(): void;
  /** While a session runs: goes into the next prompt. After it: starts one more attempt with it. */
  hint(text: string): void;
  /** Write an attempt's code into the target. */
  accept(attempt: number): Promise<void>;
  /** Bring back what the target held at the start. */
  restore(): Promise<void>;
  answer(questionId: string, choiceId: string, detail?: AnswerDetail): void;
  /** The request exactly as it would be sent first, with context from the kernel: for attempt 1, or for drafts. */
  previewRequest(): Promise<{
    readonly request: RefineRequest;
    readonly messages: readonly {
      readonly role: string;
      readonly content: string;
    }[];
  }>;
  /** Ask the server again which models there are. */
  refreshModels(): Promise<void>;
  selectModel(profile: string, model: string): Promise<void>;
  /** Hand a key to the server; it is kept in no other place. */
  setKey(key: string, baseUrl: string | null): Promise<void>;
  openDemo(): Promise<void>;
  checkClean(): Promise<void>;
  /** Activate the cell in its notebook. */
  revealCell(cellId: string): void;
  /** The same, with the cursor in a line of it, from 1. */
  editCell(cellId: string, line: number): void;
  toggleAssertion(cellId: string): void;
  /** The drafted assertions of these cells count as the user's own from now on. */
  approveAssertions(cellIds: readonly string[]): void;
}

export const IRefineManager = new Token<IRefineManager>(
  'jupyterlab-refine:IRefineManager',
  'Refines notebook cells against assertions and reports the progress.'
);

/** What other extensions have added, by name. Dispose what {@link add} returns to remove the item. */
export interface IRefineRegistry<Item extends { readonly name: string }> {
  readonly items: ReadonlyMap<string, Item>;
  readonly changed: ISignal<IRefineRegistry<Item>, void>;
  /** @throws Error for a malformed name, and for one that is built in or was already added. */
  add(item: Item): IDisposable;
}

/** A profile of models that another extension calls by itself, not through the server. */
export interface IAddedModels {
  /** Lower-case letters, digits and hyphens: settings name a model `profile/model`. A profile of the server with the same name hides it. */
  readonly name: string;
  /** Host name without path, shown beside the model: `localhost:11434`. */
  readonly host: string;
  /** At least one; the first is the default. */
  readonly models: readonly string[];
  /** By model; missing: the list price where there is one, else unknown. */
  readonly prices?: Readonly<Record<string, ModelPrices>>;
  /** One streamed answer; see `ILanguageModel.generate`. */
  generate(
    model: string,
    request: ModelRequest,
    signal: AbortSignal
  ): AsyncIterable<ModelEvent>;
}

export type IRefineEvaluators = IRefineRegistry<IAddedEvaluator>;
export type IRefineFeedbackStrategies = IRefineRegistry<IFeedbackStrategy>;
export type IRefineModels = IRefineRegistry<IAddedModels>;

export const IRefineEvaluators = new Token<IRefineEvaluators>(
  'jupyterlab-refine:IRefineEvaluators',
  'Evaluators from other extensions.'
);
export const IRefineFeedbackStrategies = new Token<IRefineFeedbackStrategies>(
  'jupyterlab-refine:IRefineFeedbackStrategies',
  'Feedback strategies from other extensions.'
);
export const IRefineModels = new Token<IRefineModels>(
  'jupyterlab-refine:IRefineModels',
  'Models from other extensions.'
);

export type { AddedEvaluationInput, IAddedEvaluator } from './core/extensions';
export type {
  FeedbackInput,
  IFeedbackStrategy
} from './core/feedback/strategy';
export type {
  ModelEvent,
  ModelIdentity,
  ModelRequest,
  Usage
} from './core/domain/model';
export type { VisibleAttempt, VisibleRequest } from './core/domain/visible';
