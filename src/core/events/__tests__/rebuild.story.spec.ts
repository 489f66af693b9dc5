/** A file of events has all that is needed to rebuild the session that wrote it. */
import { FakeExecutor, fakeAssertion } from '../../../testing/fakeExecutor';
import { FakeModel } from '../../../testing/fakeModel';
import type { RefineDeps } from '../../deps';
import { NO_USAGE } from '../../domain/model';
import type { RefineEvent } from '../events';
import { fold, initialState } from '../fold';
import { parseEvents, stringifyEvent } from '../journal';
import {
  checkCell,
  makeRequest,
  type RequestParts
} from '../../__tests__/requests';
import { answer, model, run, scored } from '../../__tests__/sessions';

const MORE =
  '{"evaluation": "NEEDS_IMPROVEMENT", "score": 4, "feedback": ["Name it."]}';
const PASS = '{"evaluation": "PASS", "score": 9, "feedback": []}';

const USAGE = { ...NO_USAGE, calls: 1, promptTokens: 9, completionTokens: 4 };

type Played = {
  readonly live: ReturnType<typeof initialState>;
  /** As they are read from the file. */
  readonly events: readonly RefineEvent[];
  readonly models: readonly FakeModel[];
};

async function play(
  request: RequestParts,
  deps: Partial<RefineDeps>
): Promise<Played> {
  let text = '';
  const { state } = await run(makeRequest(request), deps, event => {
    text += stringifyEvent(event);
  });
  const { generator, evaluatorModel } = deps;
  return {
    live: state,
    events: parseEvents(text),
    models: [generator, evaluatorModel].filter(one => one instanceof FakeModel)
  };
}

const long = `Traceback\n${'  frame\n'.repeat(200)}ValueError: bad row 7`;

const SESSIONS: Readonly<Record<string, () => Promise<Played>>> = {
  'a judge, a hold-out and a repeat': () =>
    play(
      {
        source: 'x = 0',
        holdouts: [checkCell('assert f(9)', 1, 'holdout')],
        options: {
          evaluators: ['assertions', 'judge'],
          temperature: 0.5,
          maxOutputTokens: 900
        }
      },
      {
        generator: model(
          answer('a = 0'),
          answer('a = 0'),
          [
            { type: 'reasoning', text: 'Hm. ' },
            { type: 'text', text: answer('holds = 12') },
            { type: 'end', finishReason: 'stop', usage: USAGE }
          ],
          answer('holds = 12\nname = 1')
        ),
        evaluatorModel: model('What?', MORE, PASS),
        executor: new FakeExecutor(job => ({
          assertions: [
            ...(scored(job).assertions ?? []),
            fakeAssertion({ id: 'hidden:1', cellId: 'hidden', role: 'holdout' })
          ]
        }))
      }
    ),
  'a summary of each failure': () =>
    play(
      { options: { feedback: 'summary', maxAttempts: 2 } },
      {
        generator: model(answer('a'), answer('b')),
        evaluatorModel: model('It raised.'),
        executor: new FakeExecutor([
          {
            status: 'error',
            error: { name: 'ValueError', message: 'bad row 7', traceback: long }
          }
        ])
      }
    ),
  'a call that fails': () =>
    play(
      {},
      {
        generator: model(answer('a'), [
          { type: 'text', text: 'I will' },
          { type: 'throw', error: new Error('connection lost') }
        ])
      }
    )
};

describe.each(Object.entries(SESSIONS))('%s', (_, session) => {
  it('folds to the state that the session had', async () => {
    const { events, live } = await session();
    expect(events.reduce(fold, initialState(live.session))).toEqual(live);
  });

  it('has each prompt, each raw answer and how it was asked for', async () => {
    const { events, models } = await session();
    const calls = events.filter(event => event.type === 'model-call');
    const sent = models.flatMap(one => one.requests);
    expect(calls).toHaveLength(sent.length);
    const starts = events.filter(event => event.type === 'attempt-start');
    const prompts = calls.map(({ attempt, purpose, prompt }) =>
      purpose === 'candidate'
        ? starts.find(start => start.attempt === attempt)?.prompt
        : prompt
    );
    for (const request of sent) {
      // A fresh start has the prompt of the first attempt.
      const same = calls.filter(
        (_, i) =>
          JSON.stringify(prompts[i]) === JSON.stringify(request.messages)
      );
      expect(same).toContainEqual(
        expect.objectContaining({
          temperature: request.temperature ?? null,
          maxOutputTokens: request.maxOutputTokens ?? null
        })
      );
    }
  });

  it('adds the usage of single calls up to that of the session', async () => {
    const { events, live } = await session();
    const usages = events.filter(event => event.type === 'usage');
    expect(usages.map(({ usage }) => usage.calls)).toEqual(usages.map(() => 1));
    expect(usages.at(-1)?.total).toEqual(live.usage);
    expect(live.usage.calls).toBe(usages.length);
  });
});

it('keeps an answer as it came, with its reasoning and its end', async () => {
  const { events } = await SESSIONS['a judge, a hold-out and a repeat']!();
  const calls = events.filter(event => event.type === 'model-call');
  expect(
    calls.map(({ attempt, purpose, answer: text, finishReason }) => [
      attempt,
      purpose,
      text,
      finishReason
    ])
  ).toEqual([
    [1, 'candidate', answer('a = 0'), 'stop'],
    [2, 'candidate', answer('a = 0'), 'stop'],
    [3, 'candidate', answer('holds = 12'), 'stop'],
    [3, 'judge', 'What?', 'stop'],
    [3, 'judge', MORE, 'stop'],
    [4, 'candidate', answer('holds = 12\nname = 1'), 'stop'],
    [4, 'judge', PASS, 'stop']
  ]);
  expect(calls[2]).toMatchObject({
    reasoning: 'Hm. ',
    temperature: 0.9,
    maxOutputTokens: 900,
    model: { model: 'fake-1' }
  });
});

it('keeps what came of a call that failed', async () => {
  const { events } = await SESSIONS['a call that fails']!();
  expect(
    events.filter(event => event.type === 'model-call').at(-1)
  ).toMatchObject({ attempt: 2, answer: 'I will', finishReason: null });
});

it('has the thoughts of the best attempt in the outcome', async () => {
  const { live } = await SESSIONS['a judge, a hold-out and a repeat']!();
  expect(live.outcome?.best).toMatchObject({ thoughts: 'I try this.' });
});

it('knows what followed the end', async () => {
  const { events, live } =
    await SESSIONS['a judge, a hold-out and a repeat']!();
  const at = { at: 1, session: live.session };
  const best = live.outcome!.best!.attempt;
  const clean = { passed: false, message: 'x is not defined' };
  const usage = { ...NO_USAGE, calls: 1, promptTokens: 7 };
  const explained = { question: 'why?', text: 'Because.', usage };
  const more: RefineEvent[] = [
    { ...at, type: 'fresh-kernel', attempt: best, result: clean },
    { ...at, type: 'explanation', ...explained },
    { ...at, type: 'acceptance', attempt: best, status: 'inserted' }
  ];
  const state = parseEvents(
    [...events, ...more].map(stringifyEvent).join('')
  ).reduce(fold, initialState(live.session));
  expect(state.outcome).toEqual({ ...live.outcome, clean });
  expect(state.explanations).toEqual([explained]);
  expect(state.usage.promptTokens).toBe(live.usage.promptTokens + 7);
  expect(state.acceptance).toEqual({ attempt: best, status: 'inserted' });
});
