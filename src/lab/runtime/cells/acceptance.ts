/** Writes an attempt of one session into its cell, and takes it back. */
import type { ICellModel } from '@jupyterlab/cells';
import type { NotebookPanel } from '@jupyterlab/notebook';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { AttemptState, SessionState } from '../../../core/events/state';
import { decideOnPass, isHarmless } from '../../../notebook/onPass';
import type { ResultMetadata } from '../../../notebook/provenance';
import type { AcceptState } from '../../../tokens';
import {
  findCell,
  ownMetadata,
  replaceSource,
  setOwnMetadata
} from './notebookEdits';
import type { ICellReview, ReviewOptions } from './cellReview';
import { failureIn } from './failureIn';
import type { Questions } from '../questions';
import { capitalized, cellLabel, doubtSentence } from '../words';
import { linkedController } from '../../../core/session/abort';

export type AcceptancePorts = {
  readonly panel: NotebookPanel;
  readonly questions: Questions;
  readonly trans: TranslationBundle;
  /** Show a change in the cell until it is disposed of; null where the cell cannot show one. */
  readonly review: (
    cellId: string,
    options: Omit<ReviewOptions, 'trans'>
  ) => ICellReview | null;
  /** Run cells in the notebook; resolves with false when one failed. */
  readonly run: (cellIds: readonly string[]) => Promise<boolean>;
  /** True while the debugger has stopped the kernel where the attempts ran: no cell can run. */
  readonly isPaused: () => boolean;
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

  get state(): AcceptState | null {
    return this._state;
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
      attempt.execution
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

  /** The user chose an attempt: it is reviewed before it is written. */
  async take(
    session: SessionState,
    attempt: AttemptState,
    signal: AbortSignal
  ): Promise<void> {
    if (this.cellOf(session)?.sharedModel.getSource() === attempt.code) {
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
    const { panel, trans } = this.ports;
    const cell = panel.isDisposed
      ? null
      : findCell(panel.content.model, session.request?.target.cellId ?? '');
    const held = cell?.sharedModel.getSource();
    const attempt = session.attempts.find(
      other => other.attempt > 0 && other.code !== '' && other.code === held
    );
    if (attempt) {
      this.setState({
        attempt: attempt.attempt,
        status: 'inserted',
        message: trans.__(
          '%1 holds attempt %2.',
          capitalized(this.label(session)),
          attempt.attempt
        )
      });
    }
  }

  /** A repetition in a fresh kernel is part of the provenance, as long as the cell holds what was repeated. */
  noteClean(session: SessionState, number: number, passed: boolean): void {
    const { panel } = this.ports;
    const cell = panel.isDisposed
      ? null
      : findCell(panel.content.model, session.request!.target.cellId);
    const attempt = session.attempts.find(other => other.attempt === number);
    const result = cell ? ownMetadata(cell)[RESULT] : undefined;
    if (
      cell &&
      typeof result === 'object' &&
      this._state?.attempt === number &&
      cell.sharedModel.getSource() === attempt?.code
    ) {
      setOwnMetadata(cell, RESULT, { ...result, clean: passed });
    }
  }

  /** Restore the code that the cell started with. */
  async restore(session: SessionState, signal: AbortSignal): Promise<void> {
    const cell = this.cellOf(session);
    const { trans } = this.ports;
    const before = this.before ?? {
      source: session.request!.target.source,
      result: undefined
    };
    if (!cell || !(await this.mayReplace(session, cell, signal))) {
      return;
    }
    replaceSource(cell, before.source);
    setOwnMetadata(cell, RESULT, before.result);
    this.ports.onWritten({
      attempt: this._state?.attempt ?? 0,
      status: 'restored'
    });
    this.setState({
      attempt: this._state?.attempt ?? 0,
      status: 'restored',
      message: trans.__('%1 restored.', capitalized(this.label(session)))
    });
  }

  /** @param reviewed - What the user accepted of the attempt; default: all of it. */
  private async write(
    session: SessionState,
    attempt: AttemptState,
    how: 'inserted' | 'ran',
    signal: AbortSignal,
    reviewed?: string
  ): Promise<void> {
    const cell = this.cellOf(session);
    const { trans } = this.ports;
    // A review has shown the user's own edits as part of the change.
    if (
      !cell ||
      (reviewed === undefined &&
        !(await this.mayReplace(session, cell, signal)))
    ) {
      return;
    }
    const { source } = session.request!.target;
    // Another source when the user edited the cell and the session went on from there.
    if (this.before?.source !== source) {
      this.before = { source, result: ownMetadata(cell)[RESULT] };
    }
    this.ports.onWrite?.();
    replaceSource(cell, reviewed ?? attempt.code);
    setOwnMetadata(cell, RESULT, this.ports.provenanceOf(session, attempt));
    const partly = reviewed !== undefined && reviewed !== attempt.code;
    const written = {
      attempt: attempt.attempt,
      ...(partly ? { source: reviewed } : {})
    };
    if (how === 'ran') {
      const held = await this.runWithAssertions(session, attempt, partly);
      this.ports.onWritten({ ...written, status: held ? 'ran' : 'failed' });
    } else {
      this.ports.onWritten({ ...written, status: 'inserted' });
      this.setState({
        attempt: attempt.attempt,
        status: 'inserted',
        message: isText(session)
          ? trans.__(
              'Written to %1. A text cell is not run.',
              this.label(session)
            )
          : this.ports.isPaused()
            ? trans.__(
                'Written to %1. It runs when the debugger has let the kernel go on and you run it.',
                this.label(session)
              )
            : partly
              ? trans.__(
                  'The accepted parts were written to %1, not run.',
                  this.label(session)
                )
              : trans.__('Written to %1, not run.', this.label(session))
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
      this.setState({ attempt: attempt.attempt, status: 'ran', message });
    done(trans.__('Written to %1, running.', label));
    const cellIds = [
      request.target.cellId,
      ...request.assertions.map(check => check.cellId)
    ];
    const held = await run(cellIds);
    if (!held) {
      done(this.failedMessage(label, cellIds));
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

  private failedMessage(label: string, cellIds: readonly string[]): string {
    const { panel, trans } = this.ports;
    const { model } = panel.content;
    const failure = panel.isDisposed ? null : failureIn(model, cellIds);
    return failure === null
      ? trans.__('Written to %1, but a cell failed in the notebook.', label)
      : trans.__(
          'Written to %1, but %2 failed in the notebook: %3',
          label,
          cellLabel([...(model?.cells ?? [])], failure.cellId, trans),
          failure.error
        );
  }

  /** True when the cell holds what it held at the start or an attempt, or the user lets it go. */
  private async mayReplace(
    session: SessionState,
    cell: ICellModel,
    signal: AbortSignal
  ): Promise<boolean> {
    const held = cell.sharedModel.getSource();
    if (
      held === session.request!.target.source ||
      session.attempts.some(attempt => attempt.code === held)
    ) {
      return true;
    }
    const { trans, questions } = this.ports;
    const choice = await questions.ask(
      {
        subject: 'target-changed',
        title: trans.__(
          '%1 was edited during the session',
          capitalized(this.label(session))
        ),
        body: trans.__('Your edit was not overwritten.'),
        choices: [
          { id: 'keep', label: trans.__('Keep my edit') },
          { id: 'replace', label: trans.__('Replace my edit') }
        ]
      },
      signal
    );
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
    const { trans, questions } = this.ports;
    const choices = [
      { id: 'insert', label: trans.__('Write only') },
      ...(this.canRun(session)
        ? [{ id: 'run', label: trans.__('Write and run') }]
        : []),
      { id: 'leave', label: trans.__('Leave unchanged') }
    ];
    const { controller, unlink } = linkedController(signal);
    let choice: string | null = null;
    const choose = (chosen: string) => {
      choice = chosen;
      controller.abort();
    };
    const review =
      cell.sharedModel.getSource() === attempt.code
        ? null
        : this.ports.review(cell.id, {
            proposed: attempt.code,
            choices,
            onChoice: choose,
            onNothingLeft: () => choose('leave')
          });
    try {
      const answer = await questions.ask(
        {
          subject: 'accept',
          title: about.title,
          body: [
            ...about.body,
            ...(review
              ? [
                  trans.__(
                    'The cell shows the change. You can reject parts of it there.'
                  )
                ]
              : [])
          ].join('\n'),
          choices
        },
        controller.signal
      );
      choice ??= answer;
      if (choice === 'insert' || choice === 'run') {
        await this.write(
          session,
          attempt,
          choice === 'run' ? 'ran' : 'inserted',
          signal,
          review?.source
        );
      }
    } finally {
      unlink();
      review?.dispose();
    }
  }

  private canRun(session: SessionState): boolean {
    return !isText(session) && !this.ports.isPaused();
  }

  private cellOf(session: SessionState): ICellModel | null {
    const { panel, trans } = this.ports;
    if (panel.isDisposed) {
      return null;
    }
    const cell = findCell(panel.content.model, session.request!.target.cellId);
    if (!cell) {
      this.ports.notify(trans.__('The cell was deleted. Nothing was written.'));
    }
    return cell;
  }

  private label(session: SessionState): string {
    const { panel, trans } = this.ports;
    return cellLabel(
      [...(panel.content.model?.cells ?? [])],
      session.request!.target.cellId,
      trans
    );
  }

  private setState(state: AcceptState): void {
    this._state = state;
    this.ports.onChange();
  }

  /** What the cell held before anything was written. */
  private before: { source: string; result: unknown } | null = null;
  private _state: AcceptState | null = null;
}

/** The assertions of a text read what no kernel but an attempt's has: nothing of it runs in the notebook. */
function isText(session: SessionState): boolean {
  return session.request!.target.kind === 'markdown';
}
