/** Earlier sessions of the notebooks: kept when one ends, listed, opened to read. */
import type { RefineEvent } from '../../../core/events/events';
import { fold, initialState } from '../../../core/events/fold';
import { parseEvents, stringifyEvent } from '../../../core/events/journal';
import type { SessionState } from '../../../core/events/state';
import type { HistoryView, PastSession } from '../../../tokens';
import type { IPastStore } from './pastStore';
import type { RefineRequest } from '../../../core/domain/request';
import { withDisplays } from '../../../core/events/bounded';
import { shortened } from '../session/journal';

/** What the panel shows of it; reads are asynchronous, so that a later one wins. */
export class SessionHistory {
  /**
   * @param scope - of the server, whose notebooks may have the names of others.
   */
  constructor(
    private readonly store: IPastStore,
    private readonly scope: string,
    private readonly onChange: () => void
  ) {}

  /** Null while it is closed. */
  get view(): HistoryView | null {
    return this._view;
  }

  /** Keep a session that has ended; a browser that stores nothing keeps nothing. */
  async keep(path: string, events: readonly RefineEvent[]): Promise<void> {
    const [first] = events;
    const text = pastText(events);
    const state = first && stateOf(events, first.session);
    if (!state?.request || !text) {
      return;
    }
    const entry = entryOf(state, path);
    try {
      await this.store.put({ entry, notebook: this.key(path), text });
    } catch (reason) {
      console.warn('jupyterlab-refine: session not kept.', reason);
    }
  }

  /** List the sessions of a notebook. */
  async open(path: string): Promise<void> {
    let entries: readonly PastSession[] = [];
    try {
      entries = await this.store.list(this.key(path));
    } catch (reason) {
      console.warn('jupyterlab-refine: no history.', reason);
    }
    this.show({ path, entries, shown: null });
  }

  /** Show one of those listed; null: the list again. */
  async choose(id: string | null): Promise<void> {
    const { view } = this;
    const entry = view?.entries.find(known => known.id === id);
    const text = entry ? await this.store.read(entry.id) : null;
    const session = entry && text ? stateOf(parseEvents(text), entry.id) : null;
    if (view && view === this._view) {
      this.show({
        ...view,
        shown: entry && session ? { entry, session } : null
      });
    }
  }

  close(): void {
    this.show(null);
  }

  private key(path: string): string {
    return `${this.scope}#${path}`;
  }

  private show(view: HistoryView | null): void {
    this._view = view;
    this.onChange();
  }

  private _view: HistoryView | null = null;
}

function stateOf(events: readonly RefineEvent[], id: string): SessionState {
  return events.reduce(fold, initialState(id));
}

function entryOf(state: SessionState, path: string): PastSession {
  const { session, request, outcome, startedAt, attempts } = state;
  return {
    id: session,
    path,
    at: startedAt,
    cell: (request?.target.index ?? 0) + 1,
    attempts: attempts.filter(({ attempt }) => attempt > 0).length,
    passedOn: outcome?.passed ? (outcome.best?.attempt ?? null) : null,
    prompt: (request?.prompt ?? '').slice(0, 200)
  };
}

/** Largest stored session, characters. */
export const PAST_LIMIT = 1_000_000;

const DISPLAY_LIMIT = 100_000;

/** The events as they are stored; null where even the least is too long. */
export function pastText(events: readonly RefineEvent[]): string | null {
  const open = events.map(event =>
    withDisplays(withoutSecrets(event), DISPLAY_LIMIT)
  );
  for (const kept of [open, open.map(shortened)]) {
    const text = kept.map(stringifyEvent).join('');
    if (text.length <= PAST_LIMIT) {
      return text;
    }
  }
  return null;
}

/** No text of a hold-out or scorer, no name that they hide; requests hold no keys. */
function withoutSecrets(event: RefineEvent): RefineEvent {
  return event.type === 'session-start'
    ? { ...event, request: withoutHidden(event.request) }
    : event;
}

function withoutHidden<
  T extends Pick<RefineRequest, 'holdouts' | 'scorer' | 'hiddenNames'>
>(checks: T): T {
  const { holdouts, scorer, hiddenNames } = checks;
  return {
    ...checks,
    holdouts: holdouts.map(cell => ({ ...cell, source: '' })),
    ...(scorer ? { scorer: { ...scorer, source: '' } } : {}),
    ...(hiddenNames ? { hiddenNames: [] } : {})
  };
}
