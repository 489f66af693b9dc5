/** Tokens and money, with models that hold to what they are asked for: no call starts that could overrun the budget. */
import fc from 'fast-check';
import { FakeClock } from '../../../testing/fakeClock';
import { fakeAssertion, FakeExecutor } from '../../../testing/fakeExecutor';
import { RefineError } from '../../errors';
import { estimatePrompt } from '../budget/estimate';
import { refine } from '../../loop';
import type {
  ILanguageModel,
  ModelEvent,
  ModelPrices,
  ModelRequest
} from '../../domain/model';
import type { RefineOptions } from '../../options';
import { costOf } from '../budget/prices';
import { checkCell, makeRequest } from '../../__tests__/requests';
import { answer, drain } from '../../__tests__/sessions';

/** What a model may use of an answer that nobody limits. */
const UNLIMITED = 16384;

/** What all models of a session use together, and hold while they answer. */
class Ledger {
  calls = 0;
  active = 0;
  tokens = 0;
  cost = 0;
  /** The most that would have been used, had every call of the moment used all it may. */
  mostTokens = 0;
  mostCost = 0;

  begin(tokens: number, cost: number): void {
    this.calls++;
    this.active++;
    this._heldTokens += tokens;
    this._heldCost += cost;
    this.mostTokens = Math.max(this.mostTokens, this.tokens + this._heldTokens);
    this.mostCost = Math.max(this.mostCost, this.cost + this._heldCost);
  }

  end(tokens: number, cost: number, used: number, paid: number): void {
    this.active--;
    this._heldTokens -= tokens;
    this._heldCost -= cost;
    this.tokens += used;
    this.cost += paid;
  }

  private _heldTokens = 0;
  private _heldCost = 0;
}

type Reply = {
  readonly text: string;
  /** Share of what it may use. */
  readonly share: number;
  readonly ms: number;
  readonly fault: 'none' | 'refuses' | 'breaks' | 'hangs';
};

let models = 0;

class HonestModel implements ILanguageModel {
  constructor(
    private readonly _ledger: Ledger,
    private readonly _replies: readonly Reply[],
    private readonly _clock: FakeClock,
    readonly prices: ModelPrices | null
  ) {}

  readonly identity = {
    profile: 'fake',
    model: `honest-${models++}`,
    host: 'localhost',
    recorded: false
  };

  async *generate(
    request: ModelRequest,
    signal: AbortSignal
  ): AsyncIterable<ModelEvent> {
    const reply = this._replies[this._calls++ % this._replies.length];
    const prompt = estimatePrompt(request.messages);
    const room = request.maxOutputTokens ?? UNLIMITED;
    const price = (tokens: number) =>
      this.prices ? costOf(this.prices, prompt, tokens) : 0;
    let used = 0;
    let read = prompt;
    this._ledger.begin(prompt + room, price(room));
    try {
      await this._clock.sleep(reply.ms, signal);
      if (reply.fault === 'refuses') {
        read = 0;
        throw new RefineError('model', 'no', { code: 'bad-request' });
      }
      const text = reply.text.slice(0, room * 4);
      used = Math.ceil(text.length / 4);
      yield { type: 'text', text };
      if (reply.fault === 'breaks') {
        return;
      }
      if (reply.fault === 'hangs') {
        await this._clock.sleep(1e6, signal);
      }
      used = Math.max(used, Math.floor(room * reply.share));
      yield {
        type: 'end',
        finishReason: 'stop',
        usage: {
          calls: 1,
          promptTokens: prompt,
          completionTokens: used,
          estimated: false,
          cost: null
        }
      };
    } finally {
      this._ledger.end(
        prompt + room,
        price(room),
        read + used,
        read === 0 ? 0 : price(used)
      );
    }
  }

  private _calls = 0;
}

const reply = (texts: readonly string[]): fc.Arbitrary<Reply> =>
  fc.record({
    text: fc.constantFrom(...texts),
    share: fc.constantFrom(0, 0.1, 0.5, 1),
    ms: fc.constantFrom(0, 1, 700),
    fault: fc.oneof(
      { weight: 12, arbitrary: fc.constant('none' as const) },
      {
        weight: 1,
        arbitrary: fc.constantFrom(
          'refuses' as const,
          'breaks' as const,
          'hangs' as const
        )
      }
    )
  });

const codes = reply(
  ['a = 1', 'b = 2', 'c = 3', 'd = 4', 'e = 5'].map(c => answer(c))
);
const judgements = reply([
  'PASS',
  'Score: 4/10',
  'I cannot say.',
  '{"evaluation": "NEEDS_IMPROVEMENT", "score": 7}'
]);
const price = fc.constantFrom<ModelPrices | null>(
  null,
  { input: 1, output: 4 },
  { input: 2, output: 0 },
  { input: 0, output: 8 }
);

const schedule = fc.record({
  codes: fc.array(codes, { minLength: 1, maxLength: 6 }),
  judgements: fc.array(judgements, { minLength: 1, maxLength: 4 }),
  prices: fc.tuple(price, price, price),
  held: fc.array(fc.integer({ min: 0, max: 4 }), {
    minLength: 1,
    maxLength: 6
  }),
  stopAfter: fc.option(fc.nat(80), { nil: null }),
  options: fc.record({
    workflow: fc.constantFrom<RefineOptions['workflow']>(
      'standard',
      'evaluator-optimizer',
      'self-refine',
      'scored'
    ),
    feedback: fc.constantFrom<RefineOptions['feedback']>('auto', 'summary'),
    maxAttempts: fc.integer({ min: 1, max: 8 }),
    maxTokens: fc.option(fc.integer({ min: 100, max: 60000 }), { nil: null }),
    maxCost: fc.option(
      fc.integer({ min: 1, max: 100 }).map(n => n / 1000),
      { nil: null }
    ),
    maxOutputTokens: fc.constantFrom(null, 16, 300)
  })
});

type Schedule = typeof schedule extends fc.Arbitrary<infer T> ? T : never;

async function play(s: Schedule) {
  const clock = new FakeClock();
  const controller = new AbortController();
  const ledger = new Ledger();
  const [first, judge] = s.prices;
  let most = 0;
  let running = 0;
  let runs = 0;
  const executor = new FakeExecutor(
    () => {
      const held = s.held[runs++ % s.held.length];
      return {
        durationMs: 500,
        stderr: 'x'.repeat(800),
        assertions: Array.from({ length: 4 }, (_, i) =>
          fakeAssertion({
            line: i + 1,
            outcome: i < held ? ('passed' as const) : ('failed' as const),
            ...(i < held
              ? {}
              : { message: `expected ${'y'.repeat(700)}, got ${i}` })
          })
        )
      };
    },
    { clock }
  );
  const stream = refine(
    makeRequest({
      assertions: [checkCell('assert True', 4)],
      options: { ...s.options, sessionTimeout: 60 }
    }),
    {
      generator: new HonestModel(ledger, s.codes, clock, first),
      evaluatorModel: new HonestModel(ledger, s.judgements, clock, judge),
      executor,
      clock,
      signal: controller.signal
    }
  );
  let seen = 0;
  const drained = drain(stream, event => {
    running += event.type === 'attempt-start' ? 1 : 0;
    running -= event.type === 'attempt-end' ? 1 : 0;
    most = Math.max(most, running);
    if (++seen === s.stopAfter) {
      controller.abort();
    }
  });
  let over = false;
  void drained.then(() => (over = true));
  for (let i = 0; i < 40 && !over; i++) {
    await clock.advance(3000);
  }
  expect(over).toBe(true);
  return { ...(await drained), ledger, executor, most, clock };
}

it('no call is made that could exceed the tokens or the money', async () => {
  let budgets = 0;
  await fc.assert(
    fc.asyncProperty(schedule, async s => {
      const { outcome, ledger, executor, most, clock } = await play(s);
      const { options } = s;
      expect(ledger.mostTokens).toBeLessThanOrEqual(
        options.maxTokens ?? Infinity
      );
      expect(ledger.mostCost).toBeLessThanOrEqual(
        (options.maxCost ?? Infinity) + 1e-9
      );
      // Every call is reported, and none continues after the end.
      expect(outcome.usage.calls).toBe(ledger.calls);
      expect(ledger.active).toBe(0);
      expect(executor.active).toBe(0);
      expect(outcome.attempts).toBeLessThanOrEqual(options.maxAttempts);
      expect(most).toBeLessThanOrEqual(1);
      expect(clock.now()).toBeLessThanOrEqual(66000);
      // Of a call that was left before its end only what had come is known.
      const left = ['stopped', 'timeout'].includes(outcome.stopReason);
      if (outcome.usage.cost === null) {
        expect(s.prices).toContain(null);
      } else if (!left) {
        expect(outcome.usage.cost).toBeCloseTo(ledger.cost, 9);
      }
      budgets += Number(outcome.stopReason === 'budget');
    }),
    { numRuns: process.env['REFINE_FULL'] ? 300 : 100 }
  );
  // Or the schedules are too tame to show anything.
  expect(budgets).toBeGreaterThan(5);
}, 120000);
