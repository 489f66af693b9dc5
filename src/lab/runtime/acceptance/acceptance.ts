/** Writes an attempt of one session into its cell, takes it back, and knows how it does there since. */
import type { ICellModel } from '@jupyterlab/cells';
import type { NotebookPanel } from '@jupyterlab/notebook';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { AttemptState, SessionState } from '../../../core/events/state';
import {
  acceptedSource,
  holdsAttempt,
  type ResultMetadata
} from '../../../notebook/provenance';
import { decideOnPass, isHarmless } from '../../../notebook/onPass';
import { wholeSource } from '../../../notebook/structure/ownChecks';
import { isWritten, type AcceptState } from '../../../tokens';
import type { CellRun } from '../cells/notebookActions';
import {
  findCell,
  ownMetadata,
  replaceSource,
  setOwnMetadata
} from '../cells/notebookEdits';
import type { Questions } from '../questions';
import { capitalized, cellLabel, failureIn } from '../words';
import type { ICellReview, ReviewOptions } from './cellReview';

export type AcceptancePorts = {
  readonly panel: NotebookPanel;
  readonly trans: TranslationBundle;
  readonly questions: Questions;
  /** Show a change in the cell until it is disposed of; null where the cell cannot show one. */
  readonly review: (
    cellId: string,
    options: Omit<ReviewOptions, 'trans'>
  ) => ICellReview | null;
  /** Run cells in the notebook; resolves with false when one failed. */
  readonly run: (cellIds: readonly string[]) => Promise<boolean>;
  /** True while the debugger has stopped the kernel where the attempts ran: no cell can run. */
  readonly isPaused: () => boolean;
  /** Calls back when a cell of the notebook has run, and with null when something was edited; returns what stops it. */
  readonly watchCells: (listener: (run: CellRun | null) => void) => () => void;
  /** The provenance of an accepted attempt. */
  readonly provenanceOf: (
    session: SessionState,
    attempt: AttemptState
  ) => ResultMetadata | undefined;
  /** {@link Acceptance.state} or {@link Acceptance.failure} changed. */
  readonly onChange: () => void;
  /** The cell holds something else now. */
  readonly onWritten: (
    written: NonNullable<SessionState['acceptance']>
  ) => void;
  /** Show the user why nothing was written. */
  readonly notify: (message: string) => void;
};

/** Key of the provenance in our metadata. */
const RESULT = 'result';

export class Acceptance {
  constructor(private readonly ports: AcceptancePorts) {
    this.unwatch = ports.watchCells(run =>
      run ? this.onRun(run) : this.onEdit()
    );
  }

  dispose(): void {
    this.unwatch();
  }

  /** A session starts: what its checks are now is what its attempts pass. */
  start(): void {
    const { model } = this.ports.panel.content;
    this.atStart = new Map(
      [...(model?.cells ?? [])].map(({ id, sharedModel }) => [
        id,
        sharedModel.getSource()
      ])
    );
  }

  /** As the notebook is now: what was undone or run since counts. */
  get state(): AcceptState | null {
    const { noted, ports } = this;
    const cell = noted && this.findCell(noted.session);
    if (!noted || !cell || noted.state.status === 'edited') {
      return noted?.state ?? null;
    }
    const { state, session } = noted;
    const held = cell.sharedModel.getSource();
    const label = this.label(session);
    if (held === this.left) {
      return state.status === 'inserted' &&
        !isText(session) &&
        this.runs.has(session.request!.target.cellId)
        ? { ...state, message: ports.trans.__('Written to %1 and run.', label) }
        : state;
    }
    const { attempt } = state;
    const back = held === this.written ? attempt : heldAttempt(session, held);
    if (back !== null) {
      return this.contains(session, back);
    }
    const cellNow = capitalized(label);
    return held === this.startOf(session).source
      ? {
          attempt,
          status: 'restored',
          message: ports.trans.__(
            '%1 contains its earlier code again.',
            cellNow
          )
        }
      : {
          attempt,
          status: 'edited',
          message: ports.trans.__('%1 was edited since.', cellNow)
        };
  }

  /** `but cell 3 failed in the notebook: AssertionError`, until that cell is edited: a failure there counts, not the attempt; null: none failed. */
  get failure(): string | null {
    const { panel, trans } = this.ports;
    const failed = isWritten(this.state)
      ? this.cellIds.find(id => {
          const run = this.runs.get(id);
          return run?.error && run.source === this.sourceIn(id);
        })
      : undefined;
    return failed === undefined
      ? null
      : trans.__(
          'but %1 failed in the notebook: %2',
          cellLabel(panel.content.model?.cells ?? [], failed, trans),
          this.runs.get(failed)!.error
        );
  }

  /** After a pass: write, run or ask, as `onPass` says. An edit of the user's is never overwritten unasked. */
  async onPass(
    session: SessionState,
    attempt: AttemptState,
    signal: AbortSignal
  ): Promise<void> {
    const { trans } = this.ports;
    const { onPass } = session.request!.options;
    const decision = decideOnPass(
      onPass === 'auto' && !this.canRun(session) ? 'insert' : onPass,
      attempt.execution,
      trans
    );
    const { action } = decision;
    const doubts = [
      ...(action !== 'insert' && this.hasOtherChecks(session)
        ? [
            trans.__(
              'The checks were edited during the session. The attempt passed the earlier ones.'
            )
          ]
        : []),
      ...decision.doubts
    ];
    const asks = action === 'ask' || doubts.length > 0;
    if (!asks && !this.isEdited(session)) {
      const how = action === 'run' ? 'ran' : 'inserted';
      await this.write(session, attempt, how);
      return;
    }
    await this.review(
      session,
      attempt,
      trans.__('Passed. Write it to %1?', this.label(session)),
      isText(session) ? [] : doubts,
      signal
    );
  }

  /** The user chose an attempt: it is reviewed before it is written, or with `run` written and run at once. */
  async take(
    session: SessionState,
    attempt: AttemptState,
    signal: AbortSignal,
    run = false
  ): Promise<void> {
    const held = this.findCell(session)?.sharedModel.getSource();
    if (run && this.canRun(session) && !this.isEdited(session)) {
      await this.write(session, attempt, 'ran');
    } else if (held === sourceOf(session, attempt)) {
      await this.write(session, attempt, 'inserted');
    } else {
      const title = this.ports.trans.__(
        'Write attempt %1 to %2?',
        attempt.attempt,
        this.label(session)
      );
      await this.review(session, attempt, title, [], signal);
    }
  }

  /** After a reload: know the attempt that the cell holds since before. */
  recall(session: SessionState): void {
    const held = this.findCell(session)?.sharedModel.getSource();
    const attempt = held === undefined ? null : heldAttempt(session, held);
    if (held !== undefined && attempt !== null) {
      this.left = held;
      this.note(session, this.contains(session, attempt));
    }
  }

  /** A repetition in a fresh kernel is part of the provenance, as long as the cell holds what was repeated. */
  noteClean(session: SessionState, number: number, passed: boolean): void {
    const cell = this.findCell(session);
    const attempt = session.attempts.find(other => other.attempt === number);
    const result = cell ? ownMetadata(cell)[RESULT] : undefined;
    if (
      cell &&
      typeof result === 'object' &&
      this.noted?.state.attempt === number &&
      attempt &&
      cell.sharedModel.getSource() === sourceOf(session, attempt)
    ) {
      setOwnMetadata(cell, RESULT, { ...result, clean: passed });
    }
  }

  /** Bring back what the cell held before the first write; an edit made since is one undo away. */
  restore(session: SessionState): void {
    const cell = this.cellOf(session);
    if (!cell) {
      return;
    }
    const { trans } = this.ports;
    const before = this.startOf(session);
    const edited =
      cell.sharedModel.getSource() !== before.source && this.isEdited(session);
    this.left = before.source;
    replaceSource(cell, before.source);
    setOwnMetadata(cell, RESULT, before.result);
    const attempt = this.lastAttempt;
    this.ports.onWritten({ attempt, status: 'restored' });
    const label = capitalized(this.label(session));
    const message = edited
      ? trans.__('%1 restored. Undo in the cell brings your edit back.', label)
      : trans.__('%1 restored.', label);
    this.note(session, { attempt, status: 'restored', message });
  }

  /** @param reviewed - What the user accepted of the attempt; default: all of it. */
  private async write(
    session: SessionState,
    attempt: AttemptState,
    how: 'inserted' | 'ran',
    reviewed?: string
  ): Promise<void> {
    const cell = this.cellOf(session);
    if (!cell) {
      return;
    }
    const { source } = session.request!.target;
    // Another start when the user edited the cell and the session went on from there.
    if (this.before?.start !== source) {
      this.before = {
        start: source,
        source: cell.sharedModel.getSource(),
        result: ownMetadata(cell)[RESULT]
      };
    }
    const whole = sourceOf(session, attempt);
    const written = reviewed ?? whole;
    const partly = written !== whole;
    this.written = this.left = written;
    // What ran before no longer counts.
    this.runs.clear();
    replaceSource(cell, written);
    setOwnMetadata(cell, RESULT, this.ports.provenanceOf(session, attempt));
    const what = {
      attempt: attempt.attempt,
      ...(partly ? { source: written } : {})
    };
    if (how === 'ran') {
      const passed = await this.runWithAssertions(session, attempt, partly);
      this.ports.onWritten({ ...what, status: passed ? 'ran' : 'failed' });
    } else {
      this.ports.onWritten({ ...what, status: 'inserted' });
      this.note(session, {
        attempt: attempt.attempt,
        status: 'inserted',
        message: this.insertedMessage(session, partly)
      });
    }
  }

  /** Of an attempt that was written and not run by us. */
  private insertedMessage(session: SessionState, partly: boolean): string {
    const { trans, isPaused } = this.ports;
    const label = this.label(session);
    return isText(session)
      ? trans.__('Written to %1. A text cell is not run.', label)
      : isPaused()
        ? trans.__(
            'Written to %1, not run. Continue in the debugger, then run the cell.',
            label
          )
        : partly
          ? trans.__('The accepted parts were written to %1, not run.', label)
          : trans.__('Written to %1, not run.', label);
  }

  private async runWithAssertions(
    session: SessionState,
    attempt: AttemptState,
    partly: boolean
  ): Promise<boolean> {
    const { panel, trans, run } = this.ports;
    const request = session.request!;
    const label = this.label(session);
    const done = (message: string) =>
      this.note(session, { attempt: attempt.attempt, status: 'ran', message });
    done(trans.__('Written to %1, running.', label));
    const cellIds = [
      ...new Set([
        request.target.cellId,
        // A skipped check would fail.
        ...request.assertions
          .filter(check => !check.skipped)
          .map(check => check.cellId)
      ])
    ];
    const held = await run(cellIds);
    const failure = held ? null : failureIn(panel, cellIds, trans);
    if (failure) {
      done(
        trans.__(
          'Written to %1, but %2 failed in the notebook: %3',
          label,
          failure.label,
          failure.error
        )
      );
    } else if (!held) {
      done(
        trans.__('Written to %1, but a cell failed in the notebook.', label)
      );
    } else if (request.assertions.some(check => check.skipped)) {
      done(
        trans.__(
          'Written to %1 and run. Cells with a skipped check were not run.',
          label
        )
      );
    } else if (partly) {
      done(trans.__('The accepted parts were written to %1 and run.', label));
    } else if (isHarmless(attempt.execution)) {
      done(
        trans.__(
          'Written to %1 and run. The attempt wrote no file and opened no connection.',
          label
        )
      );
    } else {
      done(trans.__('Written to %1 and run.', label));
    }
    return held;
  }

  /** Show the change in the cell, and write what the user accepts of it; an edit of the user's is part of the change. */
  private async review(
    session: SessionState,
    attempt: AttemptState,
    title: string,
    doubts: readonly string[],
    signal: AbortSignal
  ): Promise<void> {
    const cell = this.cellOf(session);
    if (!cell) {
      return;
    }
    const { trans, questions } = this.ports;
    const edited = this.isEdited(session);
    const leave = { id: 'leave', label: trans.__('Leave unchanged') };
    const write = [
      { id: 'insert', label: trans.__('Write only') },
      ...(this.canRun(session)
        ? [{ id: 'run', label: trans.__('Write and run') }]
        : [])
    ];
    // The first one is the default.
    const choices = edited ? [leave, ...write] : [...write, leave];
    const proposed = sourceOf(session, attempt);
    const controller = new AbortController();
    let choice: string | null = null;
    const review =
      cell.sharedModel.getSource() === proposed
        ? null
        : this.ports.review(cell.id, {
            proposed,
            choices,
            onChoice: chosen => {
              choice = chosen;
              controller.abort();
            }
          });
    const body = [
      ...(edited
        ? [
            trans.__(
              '%1 was edited during the session; the edit is part of what is replaced.',
              capitalized(this.label(session))
            )
          ]
        : []),
      ...doubts,
      ...(review
        ? [
            trans.__(
              'The cell shows the change. You can reject parts of it there; the rest is written.'
            )
          ]
        : [])
    ].join('\n');
    let source: string | undefined;
    try {
      const answer = await questions.ask(
        { subject: 'accept', title, body, choices },
        AbortSignal.any([signal, controller.signal])
      );
      choice ??= answer;
      source = review?.source;
    } finally {
      review?.dispose();
    }
    if (choice === 'insert' || choice === 'run') {
      const how = choice === 'run' ? 'ran' : 'inserted';
      await this.write(session, attempt, how, source);
    } else if (edited && choice === 'leave') {
      const message = trans.__(
        '%1 keeps the edit. Attempt %2 was not written.',
        capitalized(this.label(session)),
        attempt.attempt
      );
      this.note(session, {
        attempt: this.lastAttempt,
        status: 'edited',
        message
      });
    }
  }

  /** After a reload or Undo: the cell holds this attempt, and no more is known. */
  private contains(session: SessionState, attempt: number): AcceptState {
    const message = this.ports.trans.__(
      '%1 contains attempt %2.',
      capitalized(this.label(session)),
      attempt
    );
    return { attempt, status: 'inserted', message };
  }

  private canRun(session: SessionState): boolean {
    return !isText(session) && !this.ports.isPaused();
  }

  /** True when the cell holds what neither stood there at the start nor was written by us. */
  private isEdited(session: SessionState): boolean {
    const held = this.findCell(session)?.sharedModel.getSource();
    return (
      held !== undefined &&
      held !== this.written &&
      held !== wholeSource(session.request!.target) &&
      heldAttempt(session, held) === null
    );
  }

  /** True when a cell that checks the target holds something else than at the start of the session. */
  private hasOtherChecks({ request }: SessionState): boolean {
    const { target, assertions, holdouts } = request!;
    return [...assertions, ...holdouts].some(
      ({ cellId }) =>
        cellId !== target.cellId &&
        this.atStart.get(cellId) !== (this.sourceIn(cellId) ?? undefined)
    );
  }

  /** The target's cell, with a notice when it is gone. */
  private cellOf(session: SessionState): ICellModel | null {
    const { panel, trans, notify } = this.ports;
    const cell = this.findCell(session);
    if (!cell && !panel.isDisposed) {
      notify(trans.__('The cell was deleted. Nothing was written.'));
    }
    return cell;
  }

  private findCell({ request }: SessionState): ICellModel | null {
    const { panel } = this.ports;
    return panel.isDisposed || !request
      ? null
      : findCell(panel.content.model, request.target.cellId);
  }

  private label(session: SessionState): string {
    const { panel, trans } = this.ports;
    return cellLabel(
      panel.content.model?.cells ?? [],
      session.request!.target.cellId,
      trans
    );
  }

  /** What the cell held before the first write. */
  private startOf({ request }: SessionState): {
    readonly source: string;
    readonly result: unknown;
  } {
    return (
      this.before ?? {
        source: wholeSource(request!.target),
        result: undefined
      }
    );
  }

  /** The attempt written last, 0 for none. */
  private get lastAttempt(): number {
    return this.noted?.state.attempt ?? 0;
  }

  private onRun({ cellId, success }: CellRun): void {
    const source = this.sourceIn(cellId);
    if (source === null || !this.cellIds.includes(cellId)) {
      return;
    }
    const { panel, trans, onChange } = this.ports;
    const error = failureIn(panel, [cellId], trans)?.error ?? null;
    if (success || error !== null) {
      this.runs.set(cellId, { source, error });
    } else {
      // A cell before it failed: it was not run.
      this.runs.delete(cellId);
    }
    onChange();
  }

  private onEdit(): void {
    const key = JSON.stringify([this.failure, this.state]);
    if (key !== this.key) {
      this.key = key;
      this.ports.onChange();
    }
  }

  /** The target of what was written, and its checks. */
  private get cellIds(): readonly string[] {
    const request = this.noted?.session.request;
    return request
      ? [request.target, ...request.assertions, ...request.holdouts].map(
          ({ cellId }) => cellId
        )
      : [];
  }

  private sourceIn(cellId: string): string | null {
    const { panel } = this.ports;
    const model = panel.isDisposed ? null : panel.content.model;
    return findCell(model, cellId)?.sharedModel.getSource() ?? null;
  }

  private note(session: SessionState, state: AcceptState): void {
    this.noted = { session, state };
    this.ports.onChange();
  }

  /** What the cell held before anything was written, and the target's source at the start of that session. */
  private before: {
    readonly start: string;
    readonly source: string;
    readonly result: unknown;
  } | null = null;
  private atStart: ReadonlyMap<string, string> = new Map();
  /** What was written last. */
  private written: string | null = null;
  /** The same, or what Restore put there. */
  private left: string | null = null;
  /** What cells held when they ran last, since something was written, and the name of the error that each ended with. */
  private readonly runs = new Map<
    string,
    { readonly source: string; readonly error: string | null }
  >();
  private readonly unwatch: () => void;
  private key = '';
  /** What was done last. */
  private noted: {
    readonly session: SessionState;
    readonly state: AcceptState;
  } | null = null;
}

/** The assertions of a text read what no kernel but an attempt's has: nothing of it runs in the notebook. */
function isText(session: SessionState): boolean {
  return session.request!.target.kind === 'markdown';
}

/** An attempt as its cell holds it. */
function sourceOf(session: SessionState, { code }: AttemptState): string {
  return acceptedSource(session.request!, code);
}

/** Number of the attempt that a source is; null: of none. */
function heldAttempt(
  { request, attempts }: SessionState,
  held: string
): number | null {
  const found = attempts.find(
    ({ attempt, code }) =>
      attempt > 0 && code !== '' && holdsAttempt(request!, code, held)
  );
  return found?.attempt ?? null;
}
