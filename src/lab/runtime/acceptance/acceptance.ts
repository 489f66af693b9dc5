/** Writes an attempt of one session into its cell, and takes it back. */
import type { ICellModel } from '@jupyterlab/cells';
import type { NotebookPanel } from '@jupyterlab/notebook';
import type { AttemptState, SessionState } from '../../../core/events/state';
import { leftOut } from '../../../core/parse/leftOut';
import { decideOnPass, isHarmless } from '../../../notebook/onPass';
import { wholeSource } from '../../../notebook/structure/ownChecks';
import type { ResultMetadata } from '../../../notebook/structure/result';
import type { AcceptState } from '../../../tokens';
import {
  findCell,
  ownMetadata,
  replaceSource,
  setOwnMetadata
} from '../cells/notebookEdits';
import {
  acceptedNow,
  containsAttempt,
  heldAttempt,
  type Noted
} from './acceptedNow';
import { isKnown, proposedSource, sourceOf } from './proposedSource';
import { askWithReview, type ReviewPorts } from './reviewQuestion';
import { askReplace, failedMessage, restoredMessage } from './acceptanceWords';
import { capitalized, cellLabel, doubtSentence } from '../words';

export type AcceptancePorts = ReviewPorts & {
  readonly panel: NotebookPanel;
  /** Run cells in the notebook; resolves with false when one failed. */
  readonly run: (cellIds: readonly string[]) => Promise<boolean>;
  /** True while the debugger has stopped the kernel where the attempts ran: no cell can run. */
  readonly isPaused: () => boolean;
  /** True when the target has run since it was written. */
  readonly hasRun: () => boolean;
  /** The provenance of an accepted attempt. */
  readonly provenanceOf: (
    session: SessionState,
    attempt: AttemptState
  ) => ResultMetadata | undefined;
  /** Other code is about to be written to the target. */
  readonly onWrite?: () => void;
  /** Something of {@link Acceptance.state} changed. */
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
  constructor(private readonly ports: AcceptancePorts) {}

  /** As the notebook is now: what was undone, edited or run since counts. */
  get state(): AcceptState | null {
    const { noted, ports } = this;
    const cell = noted && this.findCell(noted.session);
    if (!noted || !cell) {
      return noted?.state ?? null;
    }
    return acceptedNow(
      noted,
      {
        held: cell.sharedModel.getSource(),
        before: this.startOf(noted.session).source,
        written: this.written,
        isPaused: ports.isPaused(),
        hasRun: ports.hasRun(),
        label: this.label(noted.session)
      },
      ports.trans
    );
  }

  /** After a pass: write, run or ask, as `onPass` says. */
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
      {},
      leftOut(session.request!, attempt.code)
    );
    switch (decision.action) {
      case 'insert':
        await this.write(session, attempt, 'inserted', signal);
        return;
      case 'run':
        await this.write(session, attempt, 'ran', signal);
        return;
      case 'ask':
        await this.review(
          session,
          attempt,
          {
            title: trans.__('Passed. Write it to %1?', this.label(session)),
            body: isText(session)
              ? []
              : decision.doubts.map(doubt => doubtSentence(doubt, trans))
          },
          signal
        );
    }
  }

  /** The user chose an attempt: it is reviewed before it is written, or with `run` written and run at once. */
  async take(
    session: SessionState,
    attempt: AttemptState,
    signal: AbortSignal,
    run = false
  ): Promise<void> {
    if (run && this.canRun(session)) {
      await this.write(session, attempt, 'ran', signal);
      return;
    }
    const held = this.cellOf(session)?.sharedModel.getSource();
    if (
      held !== undefined &&
      held === proposedSource(session, attempt, held).source
    ) {
      await this.write(session, attempt, 'inserted', signal);
      return;
    }
    await this.review(
      session,
      attempt,
      {
        title: this.ports.trans.__(
          'Write attempt %1 to %2?',
          attempt.attempt,
          this.label(session)
        ),
        body: []
      },
      signal
    );
  }

  /** After a reload: know the attempt that the cell holds since before. */
  recall(session: SessionState): void {
    const held = this.findCell(session)?.sharedModel.getSource();
    const attempt = held === undefined ? null : heldAttempt(session, held);
    if (attempt !== null) {
      const { trans } = this.ports;
      const state = containsAttempt(attempt, this.label(session), trans);
      this.note({ session, state });
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
    const { trans } = this.ports;
    if (!cell) {
      return;
    }
    const before = this.startOf(session);
    const held = cell.sharedModel.getSource();
    const edited =
      held !== before.source &&
      held !== this.written &&
      !isKnown(session, held);
    replaceSource(cell, before.source);
    setOwnMetadata(cell, RESULT, before.result);
    const attempt = this.lastAttempt;
    this.ports.onWritten({ attempt, status: 'restored' });
    const message = restoredMessage(edited, this.label(session), trans);
    const state: AcceptState = { attempt, status: 'restored', message };
    this.note(edited ? { session, state, edit: held } : { session, state });
  }

  /** @param reviewed - What the user accepted of what was proposed; default: all of it. */
  private async write(
    session: SessionState,
    attempt: AttemptState,
    how: 'inserted' | 'ran',
    signal: AbortSignal,
    reviewed?: { readonly source: string; readonly proposed: string }
  ): Promise<void> {
    const cell = this.cellOf(session);
    // A review has shown the user's own edits as part of the change.
    if (
      !cell ||
      (!reviewed && !(await this.mayReplace(session, cell, attempt, signal)))
    ) {
      return;
    }
    const held = cell.sharedModel.getSource();
    const proposal = proposedSource(session, attempt, held);
    const { source } = session.request!.target;
    // Another start when the user edited the cell and the session went on from there.
    if (this.before?.start !== source) {
      this.before = {
        start: source,
        source: cell.sharedModel.getSource(),
        result: ownMetadata(cell)[RESULT]
      };
    }
    this.written = reviewed?.source ?? proposal.source;
    this.ports.onWrite?.();
    replaceSource(cell, this.written);
    setOwnMetadata(cell, RESULT, this.ports.provenanceOf(session, attempt));
    const partly = reviewed ? reviewed.source !== reviewed.proposed : false;
    const keepsEdits = !reviewed && proposal.keepsEdits;
    const written = {
      attempt: attempt.attempt,
      ...(this.written === sourceOf(session, attempt)
        ? {}
        : { source: this.written })
    };
    // What the user is typing beside the refined lines is not run unasked.
    if (how === 'ran' && !keepsEdits) {
      const passed = await this.runWithAssertions(session, attempt, partly);
      this.ports.onWritten({ ...written, status: passed ? 'ran' : 'failed' });
    } else {
      this.ports.onWritten({ ...written, status: 'inserted' });
      this.note({
        session,
        state: { attempt: attempt.attempt, status: 'inserted', message: '' },
        inserted: { isText: isText(session), partly, keepsEdits }
      });
    }
  }

  private async runWithAssertions(
    session: SessionState,
    attempt: AttemptState,
    partly: boolean
  ): Promise<boolean> {
    const { trans, run } = this.ports;
    const request = session.request!;
    const label = this.label(session);
    const done = (message: string) =>
      this.note({
        session,
        state: { attempt: attempt.attempt, status: 'ran', message }
      });
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
    if (!held) {
      done(failedMessage(this.ports.panel, label, cellIds, trans));
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

  /** True when no edit of the user's would be lost, or the user lets it go. */
  private async mayReplace(
    session: SessionState,
    cell: ICellModel,
    attempt: AttemptState,
    signal: AbortSignal
  ): Promise<boolean> {
    const { replaces } = proposedSource(
      session,
      attempt,
      cell.sharedModel.getSource()
    );
    if (replaces === 'nothing') {
      return true;
    }
    const { trans, questions } = this.ports;
    const choice = await askReplace(
      questions,
      this.label(session),
      { replaces, isPart: session.request!.part !== undefined },
      signal,
      trans
    );
    if (choice === 'keep') {
      const message = trans.__(
        '%1 keeps your edit. Attempt %2 was not written.',
        capitalized(this.label(session)),
        attempt.attempt
      );
      this.note({
        session,
        state: { attempt: this.lastAttempt, status: 'edited', message }
      });
    }
    return choice === 'replace' && !cell.isDisposed;
  }

  /** Show the change in the cell, and write what the user accepted of it. */
  private async review(
    session: SessionState,
    attempt: AttemptState,
    about: { readonly title: string; readonly body: readonly string[] },
    signal: AbortSignal
  ): Promise<void> {
    const cell = this.cellOf(session);
    if (!cell) {
      return;
    }
    const held = cell.sharedModel.getSource();
    const proposed = proposedSource(session, attempt, held).source;
    const chosen = await askWithReview(
      this.ports,
      cell,
      { proposed, canRun: this.canRun(session), ...about },
      signal
    );
    if (chosen) {
      const { how, source } = chosen;
      await this.write(
        session,
        attempt,
        how,
        signal,
        source === undefined ? undefined : { source, proposed }
      );
    }
  }

  private canRun(session: SessionState): boolean {
    return !isText(session) && !this.ports.isPaused();
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
      [...(panel.content.model?.cells ?? [])],
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

  private note(noted: Noted): void {
    this.noted = noted;
    this.ports.onChange();
  }

  /** What the cell held before anything was written, and the target's source at the start of that session. */
  private before: {
    readonly start: string;
    readonly source: string;
    readonly result: unknown;
  } | null = null;
  /** What was written last. */
  private written: string | null = null;
  private noted: Noted | null = null;
}

/** The assertions of a text read what no kernel but an attempt's has: nothing of it runs in the notebook. */
function isText(session: SessionState): boolean {
  return session.request!.target.kind === 'markdown';
}
