/** What the panel shows: plain snapshots, which `IRefineManager` hands out. */
import type { Part } from './core/part/part';
import type { ModelIdentity, Usage } from './core/domain/model';
import type { DraftedAssertion } from './core/drafts/drafts';
import type { RefineRequest } from './core/domain/request';
import type { Isolation } from './core/domain/execution';
import type { PausedFrame } from './core/domain/executor';
import type { SessionState } from './core/events/state';

/** A model profile as the server reports it; never with a key. */
export type ModelProfile = {
  readonly name: string;
  readonly host: string;
  readonly models: readonly string[];
  readonly defaultModel: string | null;
  readonly demo: boolean;
  /** What is wrong with it or its list of models; null or absent: nothing. */
  readonly error?: string | null;
};

/** Whether a model can be called, and if not what the user can do. */
export type ModelSetup =
  | { readonly status: 'loading' }
  | {
      readonly status: 'ready';
      readonly identity: ModelIdentity;
      readonly profiles: readonly ModelProfile[];
      /** What speaks against the chosen model: its server is not there, or does not list it. */
      readonly problem?: string;
      /** Sentences about other profiles that cannot be used, or for which a model must be chosen. */
      readonly hints?: readonly string[];
      /** Missing if the server sets no limits. */
      readonly policy?: ServerLimits;
    }
  | {
      /** Nothing but the demo: `hints` are sentences and commands to show. */
      readonly status: 'no-model';
      readonly hints: readonly string[];
      readonly profiles: readonly ModelProfile[];
      readonly policy?: ServerLimits;
    }
  | {
      /** Our routes are missing: the server process is older than the extension. */
      readonly status: 'no-routes';
    }
  | {
      readonly status: 'error';
      readonly message: string;
      /** Where the server answered: what could be chosen. */
      readonly profiles?: readonly ModelProfile[];
      readonly policy?: ServerLimits;
    };

/** What the server's policy (`c.Refine.policy`) sets for every user; null: no limit of the server's. */
export type ServerLimits = {
  readonly allowKeyFromPanel: boolean;
  readonly maxAttempts: number | null;
  /** Tokens of one session. */
  readonly maxTokens: number | null;
  /** Seconds of one session. */
  readonly sessionTimeout: number | null;
  /** Tokens of all users of this server in one day. */
  readonly dailyTokenLimit: number | null;
  readonly dailyTokensUsed: number;
};

/** Whether the user may enter a key. */
export function takesKeys(models: ModelSetup): boolean {
  return !('policy' in models) || models.policy?.allowKeyFromPanel !== false;
}

/** The server's name for what a key or address entered in the panel has made. */
export const ENTERED_PROFILE = 'panel';

export function enteredServer(models: ModelSetup): ModelProfile | undefined {
  const profiles = 'profiles' in models ? models.profiles : [];
  return profiles?.find(({ name }) => name === ENTERED_PROFILE);
}

/**
 * A question to the user; the first choice is the safe one and the default.
 * One with a field or with drafts has no default: it waits until a choice is made.
 */
export type RefineQuestion = {
  readonly id: string;
  readonly subject:
    | 'live'
    | 'continue'
    | 'cells-above'
    | 'accept'
    | 'execute'
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

/** One cell that checks a target, or holds hidden data; an nbgrader test may be there twice. */
export type CheckView = {
  readonly cellId: string;
  /** `cell 8`. */
  readonly label: string;
  readonly role: 'assertion' | 'holdout' | 'scorer' | 'hidden-data';
  /** Assertions, counted from the source. */
  readonly statements: number;
  /** Names of hidden data. */
  readonly names: readonly string[];
  /** False: no tag says so, it stands in the run of assertions below the target. */
  readonly tagged: boolean;
  /** Why a tagged cell checks nothing, a sentence; null: it checks something. */
  readonly problem: string | null;
};

/** The target the panel is about. */
export type TargetView = {
  readonly cellId: string;
  readonly path: string;
  /** `cell 7`: its position, from 1. */
  readonly label: string;
  readonly kind: 'code' | 'markdown';
  /** The kernel's, lower case: `python`, `r`; absent until it is known. */
  readonly language?: string;
  readonly prompt: string;
  /** Where the text comes from; that of a `%%refine` cell is edited there. */
  readonly promptOrigin: RefineRequest['promptOrigin'];
  /** Prompt or code were edited since the running session was sent. */
  readonly edited?: boolean;
  readonly assertions: number;
  readonly holdouts: number;
  /** Every cell that bears on a pass, in notebook order; hidden data last. */
  readonly checks?: readonly CheckView[];
  /** Only tagged cells check it, see `IRefineManager.setOnlyTagged`. */
  readonly onlyTagged?: boolean;
  /** Evaluators of other extensions that check it, too. */
  readonly evaluators?: readonly string[];
  /** Deleted while its session ran: the panel shows that session until another target is active. */
  readonly deleted?: boolean;
  /** Reason why this cell cannot be refined (locked, an assertion cell); one that has checks can be checked. */
  readonly refused: string | null;
};

/** An answer in words, as far as it has arrived; it is never run. */
export type ExplanationView = {
  readonly id: string;
  readonly question: string;
  /** Markdown of a model: not to be trusted. */
  readonly text: string;
  /** `earlier`: of an earlier page or session. */
  readonly status: 'writing' | 'ended' | 'stopped' | 'failed' | 'earlier';
  /** What it cost, once that is known. */
  readonly usage: Usage | null;
  /** Why it failed. */
  readonly message?: string;
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
  /** Continues the headline where a cell of the session failed in the notebook since: `but cell 3 failed in the notebook: …`. */
  readonly standing?: string | null;
  /** Null when no check in a fresh kernel was made; `unknown` when it could not be made, or leaves the question open. */
  readonly cleanCheck: {
    readonly status: 'running' | 'passed' | 'failed' | 'unknown';
    readonly message: string;
  } | null;
  /** Answers in words about the target, oldest first. */
  readonly explanations?: readonly ExplanationView[];
  /** True when the session was cut off by a reload and is shown from the journal. */
  readonly interrupted: boolean;
  /** Shown in place of the session; absent: closed. */
  readonly history?: HistoryView | null;
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
  /** Where the debugger has stopped the kernel: attempts run there, with its variables. */
  readonly frame?: PausedFrame;
  /** Fix the error that the target shows. */
  readonly repair?: boolean;
  /** Refine this part of the cell; the rest stays byte for byte. Default: the whole cell. */
  readonly part?: Part;
};

/** A session that has ended, as the history lists it. */
export type PastSession = {
  readonly id: string;
  readonly path: string;
  /** When it started, milliseconds since the epoch. */
  readonly at: number;
  /** Position of the cell at that time, from 1. */
  readonly cell: number;
  readonly attempts: number;
  /** Number of the attempt that passed; null without a pass. */
  readonly passedOn: number | null;
  /** The beginning of its prompt. */
  readonly prompt: string;
};

/** When an earlier session started, in the reader's own format. */
export function pastDate({ at }: PastSession): string {
  return new Date(at).toLocaleString(undefined, {
    dateStyle: 'medium',
    timeStyle: 'short'
  });
}

/** Earlier sessions of a notebook, in place of the current one. */
export type HistoryView = {
  readonly path: string;
  /** Newest first. */
  readonly entries: readonly PastSession[];
  /** One of them, to read; null: the list. */
  readonly shown: {
    readonly entry: PastSession;
    readonly session: SessionState;
  } | null;
};

/** Numbers of attempts, or the cell as it is now; default: the newest attempt and the one before it. */
export type ComparedPair = {
  readonly left?: number | 'cell';
  readonly right?: number | 'cell';
};
