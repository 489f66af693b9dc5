/** What the specs of this room share: short limits and ways to collect events. */
import type { RefineError } from '../../core/errors';
import type {
  ILanguageModel,
  ModelEvent,
  ModelRequest
} from '../../core/domain/model';
import {
  ScriptedServer,
  type ScriptedAnswer,
  type ScriptInput
} from '../../testing/scriptedServer';
import { directModel } from '../direct';
import { ParameterMemory } from '../call/parameters';
import type { Tuning } from '../call/tuning';

export const KEY = 'sk-canary-0123456789abcdef';

/** Waits short enough for a test; the limits for silence stay the real ones. */
export const SHORT: Partial<Tuning> = {
  closingMs: 100,
  backoffMs: 5,
  maxBackoffMs: 20
};

/** Limits for silence, short and in the same order as the real ones. */
export const IMPATIENT: Partial<Tuning> = {
  firstTokenMs: 400,
  loadingMs: 1200,
  stallMs: 150
};

export const REQUEST: ModelRequest = {
  messages: [
    { role: 'system', content: 'You write Python.' },
    { role: 'user', content: 'Write fib(n).' }
  ]
};

export const FIB = '```python\ndef fib(n):\n    return n\n```';

/** A scripted server and a model that calls it directly, with a memory of its own. */
export class Bench {
  static async open(
    answers: readonly ScriptedAnswer[] = [],
    script: ScriptInput = {}
  ) {
    const server = await ScriptedServer.start({
      ...script,
      answers: [...answers]
    });
    return new Bench(server);
  }

  private constructor(readonly server: ScriptedServer) {}

  model(
    tuning: Partial<Tuning> = {},
    options: { model?: string; apiKey?: string | null } = {}
  ): ILanguageModel {
    return directModel({
      baseUrl: this.server.baseUrl,
      apiKey: options.apiKey === undefined ? KEY : options.apiKey,
      model: options.model ?? 'scripted-model',
      tuning: { ...SHORT, ...tuning },
      memory: this.memory
    });
  }

  /** Bodies of all requests so far. */
  get bodies(): readonly Record<string, unknown>[] {
    return this.server.log.records.map(
      ({ body }) => body as Record<string, unknown>
    );
  }

  readonly memory = new ParameterMemory();
}

export async function collect(
  model: ILanguageModel,
  request: ModelRequest = REQUEST,
  signal: AbortSignal = new AbortController().signal
): Promise<readonly ModelEvent[]> {
  const events: ModelEvent[] = [];
  for await (const event of model.generate(request, signal)) {
    events.push(event);
  }
  return events;
}

/** The joined text of all events of a type, without what a retry voided. */
export function textOf(
  events: readonly ModelEvent[],
  type: 'text' | 'reasoning' = 'text'
): string {
  const last = events.map(event => event.type).lastIndexOf('retry');
  return events
    .slice(last + 1)
    .map(event => (event.type === type ? event.text : ''))
    .join('');
}

export function ofType<Type extends ModelEvent['type']>(
  events: readonly ModelEvent[],
  type: Type
): readonly Extract<ModelEvent, { type: Type }>[] {
  return events.filter(
    (event): event is Extract<ModelEvent, { type: Type }> => event.type === type
  );
}

/** The error that a call ends with, and the events before it. */
export async function failing(
  model: ILanguageModel,
  request: ModelRequest = REQUEST
): Promise<{
  readonly error: RefineError;
  readonly events: readonly ModelEvent[];
}> {
  const events: ModelEvent[] = [];
  try {
    for await (const event of model.generate(
      request,
      new AbortController().signal
    )) {
      events.push(event);
    }
  } catch (error) {
    return { error: error as RefineError, events };
  }
  throw new Error(`No error; events: ${JSON.stringify(events)}`);
}
