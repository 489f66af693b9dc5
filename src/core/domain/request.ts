/**
 * What one refinement is asked to do. Plain, serialisable data: built by
 * `notebook/`, read by the loop, shown by the panel before anything is sent.
 */
import type { ContextValues, RefineOptions } from '../options';
import type { Part } from '../part/part';
import type { RepairGoal } from './repair';

/** Where the prompt of a target was found, in the contract's order. */
export type PromptOrigin =
  'magic' | 'panel' | 'comment' | 'docstring' | 'markdown' | 'none';

/** The cell whose source is refined. */
export type Target = {
  readonly cellId: string;
  /** Position in the notebook, from 0. */
  readonly index: number;
  readonly kind: 'code' | 'markdown';
  /** The source at the start of the session: attempt 0, and what Restore brings back. */
  readonly source: string;
  /** What the cell holds below it, with the line breaks between: checks of its own, which no candidate changes. */
  readonly below?: string;
};

/** A cell that checks the target. All of its statements run; those that check make up the n of k/n. */
export type CheckCell = {
  readonly cellId: string;
  readonly index: number;
  readonly role: 'assertion' | 'holdout';
  readonly source: string;
  /** Checking statements counted from the source without a kernel; the kernel's own count decides. */
  readonly statements: number;
  /** First lines of checks that the user left out of this session. */
  readonly skipped?: readonly number[];
};

/** A check that is right, as long as its source is what it was. */
export type RightCheck = {
  readonly cellId: string;
  readonly source: string;
};

/** The cell that defines `score(ns)`; see the contract. */
export type ScorerCell = {
  readonly cellId: string;
  readonly index: number;
  readonly source: string;
};

/** The source of one cell above the target. */
export type ContextCell = {
  readonly cellId: string;
  readonly index: number;
  readonly kind: 'code' | 'markdown';
  readonly source: string;
  /** True when the source was cut to stay within the character budget. */
  readonly cut: boolean;
  /** False: it has not run in this kernel, and what it defines is not there. */
  readonly ran?: boolean;
};

/** What the kernel reports about one live variable, as `contextValues` allows. */
export type VariableInfo = {
  readonly name: string;
  /** Qualified type name: `pandas.core.frame.DataFrame`. */
  readonly type: string;
  /** For arrays and frames: `[12, 3]`. */
  readonly shape?: readonly number[];
  /** For containers and strings. */
  readonly length?: number;
  /** For arrays and series. */
  readonly dtype?: string;
  /** For frames: column name and dtype, at most 100 of them. */
  readonly columns?: readonly (readonly [name: string, dtype: string])[];
  /** For functions and classes: `(n: int) -> int`. */
  readonly signature?: string;
  /** First line of the docstring of a function or class. */
  readonly doc?: string;
  /** A short repr; only with `contextValues: samples`. */
  readonly sample?: string;
  /** Set when the name or the value looks secret: nothing else is reported then. */
  readonly redacted?: boolean;
};

/** What goes to the model beside prompt and checks. */
export type RefineContext = {
  /** Cells above the target, in notebook order; nearest were chosen first. */
  readonly cells: readonly ContextCell[];
  /** Cells above that the budget left out. */
  readonly cellsLeftOut: number;
  readonly variables: readonly VariableInfo[];
  readonly values: ContextValues;
  /** What was masked in the cells, one sentence each. */
  readonly notes?: readonly string[];
};

/** What of a request follows from the cells that check the target. */
export type RequestChecks = Pick<
  RefineRequest,
  | 'assertions'
  | 'holdouts'
  | 'scorer'
  | 'hiddenNames'
  | 'hiddenData'
  | 'ownNames'
  | 'askedNames'
>;

/** A change that the user asks for after a session has ended. */
export type FollowUp = {
  /** In the user's words. */
  readonly text: string;
  /** What the sessions before did, as prompts report it, oldest first; made of visible stages alone. */
  readonly history: readonly string[];
};

/** Everything `refine()` needs to know about one cell. */
export type RefineRequest = {
  /** Unique id of the session, a UUID. */
  readonly session: string;
  /** Path of the notebook as the server knows it; for display and journal only, never sent. */
  readonly path: string;
  /** Language of the kernel, lower case: `python`, `r`, `julia`. */
  readonly language: string;
  readonly target: Target;
  readonly prompt: string;
  readonly promptOrigin: PromptOrigin;
  readonly assertions: readonly CheckCell[];
  readonly holdouts: readonly CheckCell[];
  /** Measures what passes the assertions; absent: nothing is measured. */
  readonly scorer?: ScorerCell;
  /** Names that only hold-out cells define; no candidate sees them. */
  readonly hiddenNames?: readonly string[];
  /** Names of live variables that the scorer sees and no candidate does (`refine-hide`). */
  readonly hiddenData?: readonly string[];
  /** Names that the checks read and nothing but the target binds: its results, also those of an earlier run. */
  readonly ownNames?: readonly string[];
  /** Names that the checks read and the target must define, even where a library has bound them. */
  readonly askedNames?: readonly string[];
  /** Checks that a model disputed and the user confirmed as right. */
  readonly rightChecks?: readonly RightCheck[];
  /** What an answer leaves out of the target stays, without a question; absent: the user is asked after a pass. */
  readonly keepsLeftOut?: boolean;
  /** The lines of the target that are refined; absent: all of it. */
  readonly part?: Part;
  /** The error of the target to fix. */
  readonly repair?: RepairGoal;
  /** The target is the result of an earlier session, and is to be changed. */
  readonly followUp?: FollowUp;
  readonly context: RefineContext;
  readonly options: RefineOptions;
};
