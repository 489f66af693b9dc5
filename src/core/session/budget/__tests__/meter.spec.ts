import { Budget } from '../budget';
import { RefineError, type RefineErrorCode } from '../../../errors';
import { CallMeter } from '../meter';
import type { ModelEvent, Usage } from '../../../domain/model';

const MODEL = {
  identity: { profile: 'p', model: 'm', host: 'h', recorded: false },
  prices: { input: 1, output: 10 }
};
/** 4 of the message and 100 of its text. */
const MESSAGES = [{ role: 'user', content: 'x'.repeat(400) }] as const;
const PROMPT = 104;

const text = (length: number): ModelEvent => ({
  type: 'text',
  text: 'x'.repeat(length)
});
const used = (promptTokens: number, completionTokens: number): Usage => ({
  calls: 1,
  promptTokens,
  completionTokens,
  estimated: false,
  cost: null
});
const end = (usage: Usage): ModelEvent => ({
  type: 'end',
  finishReason: 'stop',
  usage
});
const retry = (usage?: Usage | null): ModelEvent => ({
  type: 'retry',
  reason: 'again',
  delayMs: 1,
  ...(usage === undefined ? {} : { usage })
});

/** A meter that has taken the events, and what it said to each. */
function counted(
  events: readonly ModelEvent[],
  maxTokens: number | null = null,
  maxOutputTokens: number | null = null
) {
  const budget = new Budget({ maxTokens, maxCost: null });
  const room = budget.room(PROMPT, maxOutputTokens)!;
  const meter = new CallMeter(MODEL, { messages: MESSAGES }, room);
  return { meter, goesOn: events.map(event => meter.take(event)) };
}

it('believes the provider, and estimates from characters without', () => {
  const reported = counted([text(40), end(used(90, 7))]).meter.usage;
  expect(reported).toMatchObject({ ...used(90, 7), cost: 160e-6 });
  expect(counted([text(40)]).meter.usage).toMatchObject({
    ...used(PROMPT, 10),
    estimated: true,
    cost: 204e-6
  });
});

it('counts reasoning like text', () => {
  const { meter } = counted([{ type: 'reasoning', text: 'x'.repeat(80) }]);
  expect(meter.usage.completionTokens).toBe(20);
});

describe('a call that is made again', () => {
  it.each<[string, ModelEvent[], Partial<Usage>]>([
    [
      'counts with what was reported of it',
      [text(40), retry(used(50, 5)), text(4), end(used(90, 7))],
      { calls: 2, promptTokens: 140, completionTokens: 12, estimated: false }
    ],
    [
      'counts with its text when nothing was reported',
      [text(40), retry(), text(4), end(used(90, 7))],
      {
        calls: 2,
        promptTokens: PROMPT + 90,
        completionTokens: 10 + 7,
        estimated: true
      }
    ],
    [
      'is free when nothing came of it',
      [retry(), end(used(90, 7))],
      { calls: 1, promptTokens: 90, completionTokens: 7 }
    ],
    [
      'is free when that is known',
      [text(40), retry(null), end(used(90, 7))],
      { calls: 1, promptTokens: 90, completionTokens: 7 }
    ]
  ])('%s', (_, events, expected) => {
    expect(counted(events).meter.usage).toMatchObject(expected);
  });

  it('is cut when the budget does not pay for it twice', () => {
    const events = [text(40), retry(used(PROMPT, 50)), text(40)];
    expect(counted(events, 300).goesOn).toEqual([true, true, true]);
    expect(counted(events, 265).goesOn).toEqual([true, true, false]);
    expect(counted(events, 200).goesOn).toEqual([true, false, false]);
  });
});

describe('a call that failed', () => {
  const failed = (
    code: RefineErrorCode,
    events: readonly ModelEvent[] = [],
    usage?: Usage
  ) => {
    const { meter } = counted(events);
    meter.fail(new RefineError('model', 'no', { code, usage }));
    return meter.usage;
  };

  it.each<RefineErrorCode>(['bad-request', 'unauthorized', 'model-not-found'])(
    'is free when it was refused: %s',
    code => {
      expect(failed(code)).toMatchObject({ ...used(0, 0), cost: 0 });
    }
  );

  it('counts when it was answered, or may have been', () => {
    expect(failed('provider-error', [text(40)])).toMatchObject({
      promptTokens: PROMPT,
      completionTokens: 10
    });
    expect(failed('refused', [], used(90, 7))).toMatchObject({
      promptTokens: 90,
      completionTokens: 7
    });
  });

  it('keeps what was spent before it was made again', () => {
    const usage = failed('bad-request', [text(40), retry(used(50, 5))]);
    expect(usage).toMatchObject({
      calls: 2,
      promptTokens: 50,
      completionTokens: 5
    });
  });
});

describe('a limit that the server does not keep', () => {
  it('cuts an answer that is much longer than was asked for', () => {
    // Six characters a token, as no text has them.
    expect(counted([text(600), text(1)], null, 100).goesOn).toEqual([
      true,
      false
    ]);
  });

  it('cuts an answer without a limit where the budget ends', () => {
    const room = 20000 - PROMPT;
    const { meter, goesOn } = counted(
      [text(4 * (room - 1)), text(4), text(1)],
      20000
    );
    expect(goesOn).toEqual([true, true, false]);
    expect(meter.usage.promptTokens + meter.usage.completionTokens).toBe(20001);
  });

  it('cuts nothing without a budget and a limit', () => {
    expect(counted([text(1e7)]).goesOn).toEqual([true]);
  });
});

it('money is covered like tokens', () => {
  const budget = new Budget({ maxTokens: null, maxCost: 0.01 });
  const room = budget.room(1000, 100, MODEL.prices)!;
  expect(room.covers(used(1000, 900))).toBe(true);
  expect(room.covers(used(1000, 901))).toBe(false);
});
