/** What is done when a session goes round in circles. */
import type { Writer } from '../attempt/attempt';
import type { ILanguageModel } from '../domain/model';
import type { RefineOptions } from '../options';
import type { Session } from '../session/session';
import { circles, isSteered } from './stuck';
import { sentence } from '../messages/sentence';

/** Added to the temperature with each fresh start. */
const WARMER = 0.3;
const WARMEST = 1.5;
/** Stands in for a provider's default, which is unknown. */
const USUAL_TEMPERATURE = 0.7;

export type Models = {
  readonly first: ILanguageModel;
  readonly stronger: ILanguageModel | null;
};

/**
 * A fresh start drops the history but for a line for each attempt and raises
 * the temperature; when that did not help either, the stronger model takes over.
 */
export class FreshStarts {
  constructor(
    private readonly _session: Session,
    private readonly _options: Pick<
      RefineOptions,
      'restartAfter' | 'temperature'
    >,
    private readonly _models: Models
  ) {}

  /** Who writes the next attempt; reports a restart when it makes a fresh start. */
  writer(attempt: number): Writer {
    const { state } = this._session;
    const stuck = circles(state, this._options.restartAfter);
    // What the user says is new: it is sent with the history it refers to.
    if (stuck > 0 && !isSteered(state)) {
      this._session.emit({
        type: 'restart',
        attempt,
        reason: this._reason(stuck)
      });
    }
    const starts = this._starts();
    const { temperature } = this._options;
    return this._strong
      ? { model: this._models.stronger!, temperature }
      : {
          model: this._models.first,
          temperature:
            starts === 0
              ? temperature
              : Math.max(
                  temperature ?? 0,
                  Math.min(
                    WARMEST,
                    (temperature ?? USUAL_TEMPERATURE) + WARMER * starts
                  )
                )
        };
  }

  private _reason(stuck: number): string {
    const { stronger } = this._models;
    return this._starts() > 0 && stronger
      ? sentence('restart.stronger', stuck, stronger.identity.model)
      : sentence('restart.fresh', stuck);
  }

  private _starts(): number {
    return this._session.state.restarts?.length ?? 0;
  }

  private get _strong(): boolean {
    return this._models.stronger !== null && this._starts() > 1;
  }
}
