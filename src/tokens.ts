/** Tokens and interfaces that the panel and other extensions use. */
import { Token } from '@lumino/coreutils';
import type { IDisposable } from '@lumino/disposable';
import type { ISignal } from '@lumino/signaling';
import type {
  ModelEvent,
  ModelPrices,
  ModelRequest
} from './core/domain/model';
import type { DisplayData } from './core/domain/execution';
import type { IAddedEvaluator } from './core/evaluators/added';
import type { IFeedbackStrategy } from './core/domain/visible';
import type {
  AnswerDetail,
  DisputeAnswer,
  RefineView,
  RefineStart,
  ComparedPair
} from './views';

export * from './views';

/** Shows rich outputs of attempts, sanitized and untrusted; nothing is loaded from outside. */
export interface IDisplayRenderer {
  /**
   * Replace the content of `host` with the output.
   *
   * @param label - text in place of an image.
   * @returns what takes it away again; null where this form is not shown.
   */
  render(
    display: DisplayData,
    label: string,
    host: HTMLElement
  ): IDisposable | null;
}

/** An editor of code in an element of the panel. */
export type PanelEditor = {
  readonly source: () => string;
  readonly focus: () => void;
  readonly dispose: () => void;
};

/** A place that shows Markdown which is not to be trusted, also while it grows. */
export type PanelMarkdown = {
  readonly node: HTMLElement;
  readonly show: (text: string) => Promise<void>;
  readonly dispose: () => void;
};

/** What the panel uses of the application. */
export type PanelFactories = {
  readonly renderer: IDisplayRenderer;
  /** Null: Markdown is shown as it is written. */
  readonly createMarkdown: (() => PanelMarkdown) | null;
  readonly createEditor: (
    host: HTMLElement,
    options: {
      readonly source: string;
      /** Of the kernel, lower case. */
      readonly language: string;
      /** What a screen reader calls it. */
      readonly label: string;
    }
  ) => PanelEditor;
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
  stop(): void;
  setPaused(paused: boolean): void;
  /** While a session runs: goes into the next prompt. After it: the same as {@link followUp}. */
  hint(text: string): void;
  /** Id of the cell whose session runs in an open notebook; null: none runs. */
  runningIn(path: string): string | null;
  /** Show two attempts of the current target against each other, in a tab. */
  compare(pair: ComparedPair): Promise<void>;
  /**
   * Go on after a session has ended. Without a pass, and with nothing written:
   * one more attempt with the text as a hint. Else a new session, whose prompt
   * has the change that is asked for and the history of the session.
   */
  followUp(text: string): Promise<void>;
  /** Answer a question about the current target and its last session, in words. Nothing is run or written. */
  ask(question: string): Promise<void>;
  /** Explain the error that a cell shows, in words. Nothing is run or written. */
  explainError(start: Pick<RefineStart, 'path' | 'cellId'>): Promise<void>;
  /** The next attempts refine this one: of the running session, or up to `count` more of one that has ended. */
  continueFrom(attempt: number, count: number): Promise<void>;
  /** Run what the user made of an attempt's code as the next attempt: isolated, judged like any other, without a call. */
  runEdited(attempt: number, code: string): Promise<void>;
  /** Run an attempt again, with what was denied to it allowed for the rest of the session: network, or files. */
  allow(attempt: number): Promise<void>;
  /** Show the earlier sessions of the current notebook, or the current one again. */
  showHistory(shown: boolean): Promise<void>;
  /** Show one of the earlier sessions, read-only; null: their list again. */
  openPast(id: string | null): Promise<void>;
  /** Run an attempt and its failing check in a console, stopped at the failing line; asks first. */
  debug(attempt: number): Promise<void>;
  /** Write an attempt's code into the target, after a review; with `run` at once, and run it. */
  accept(attempt: number, run?: boolean): Promise<void>;
  /** Bring back what the target held at the start. */
  restore(): Promise<void>;
  answer(questionId: string, choiceId: string, detail?: AnswerDetail): void;
  /** The request exactly as it would be sent first, with context from the kernel: for attempt 1, or for drafts. */
  previewRequest(): Promise<
    readonly { readonly role: string; readonly content: string }[]
  >;
  /** Ask the server which models there are; with `again` it also asks the providers. */
  refreshModels(again?: boolean): Promise<void>;
  /** @param choice - `profile/model`. */
  selectModel(choice: string): Promise<void>;
  /** Hand a key to the server; it is kept in no other place. */
  setKey(key: string, baseUrl: string | null): Promise<void>;
  openDemo(): Promise<void>;
  checkClean(): Promise<void>;
  /** Activate the cell in its notebook. */
  revealCell(cellId: string): void;
  /** The same, with the cursor in a line of it, from 1. */
  editCell(cellId: string, line: number): void;
  toggleAssertion(cellId: string): void;
  /** Whether only tagged cells check the current target, and no others below it; kept in its metadata. */
  setOnlyTagged(only: boolean): void;
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
  /** By model; missing: unknown. */
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

export type {
  AddedEvaluationInput,
  IAddedEvaluator
} from './core/evaluators/added';
export type { FeedbackInput, IFeedbackStrategy } from './core/domain/visible';
export type {
  ModelEvent,
  ModelIdentity,
  ModelRequest,
  Usage
} from './core/domain/model';
export type { VisibleAttempt, VisibleRequest } from './core/domain/visible';
