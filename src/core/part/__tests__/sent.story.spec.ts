/** The bytes that a session on a part of a cell sends, and the attempts that it makes of the answers. */
import { FakeExecutor, fakeAssertion } from '../../../testing/fakeExecutor';
import { checkCell, makeRequest } from '../../__tests__/requests';
import { answer, model, run } from '../../__tests__/sessions';
import { Steering } from '../../session/steering';

const SOURCE = [
  '# Prices; keep this comment',
  'rates = {"a": 2}\t',
  '',
  'class Shop:',
  '    def price(self, name):',
  '        return rates[name]',
  '',
  '    def name(self): return "shop"   ',
  '',
  'shop = Shop()',
  ''
].join('\n');
const PART = { first: 5, last: 6 };
const BEFORE = SOURCE.slice(0, SOURCE.indexOf('    def price'));
const AFTER = SOURCE.slice(SOURCE.indexOf('\n\n    def name'));

const checked = () =>
  new FakeExecutor(({ candidate }) => ({
    assertions: [
      fakeAssertion({
        source: 'assert shop.price("b") == 0',
        outcome: candidate.includes('get(name, 0)') ? 'passed' : 'failed'
      })
    ]
  }));

it('asks for the lines of the part, and replaces them alone', async () => {
  const generator = model(
    answer('    def price(self, name):\n        return rates.get(name)'),
    answer('def price(self, name):\n    return rates.get(name, 0)')
  );
  const executor = checked();
  const { outcome, state } = await run(
    makeRequest({
      source: SOURCE,
      part: PART,
      prompt: 'Unknown names cost nothing.',
      assertions: [checkCell('assert shop.price("b") == 0', 1)]
    }),
    { generator, executor }
  );
  expect(outcome.stopReason).toBe('passed');
  expect(state.attempts.map(({ code }) => code)).toEqual([
    SOURCE,
    `${BEFORE}    def price(self, name):\n        return rates.get(name)${AFTER}`,
    `${BEFORE}    def price(self, name):\n        return rates.get(name, 0)${AFTER}`
  ]);
  expect(outcome.best?.candidate).toBe(state.attempts[2]?.code);
  expect(executor.jobs.map(({ candidate }) => candidate)).toEqual(
    state.attempts.map(({ code }) => code)
  );

  const [first, second] = generator.requests.map(({ messages }) => messages);
  expect(first?.[0]?.content).toBe(
    'You rewrite some lines of one cell of a Jupyter notebook in Python. Answer with one fenced code block that holds the new lines alone, those that replace the marked ones, and nothing after it: no checks, no example calls, no explanation. Never call input(), and install no packages.'
  );
  expect(first?.[1]?.content).toContain(
    [
      'The cell now:',
      '',
      '```python',
      '# Prices; keep this comment',
      'rates = {"a": 2}\t',
      '',
      'class Shop:',
      '    # --- to replace: start ---',
      '    def price(self, name):',
      '        return rates[name]',
      '    # --- to replace: end ---',
      '',
      '    def name(self): return "shop"   ',
      '',
      'shop = Shop()',
      '```',
      '',
      'Rewrite only the lines between the two marks. Your answer replaces them; everything else in the cell stays byte for byte. Answer with these lines alone, without the marks and without the rest of the cell. Keep their indentation.'
    ].join('\n')
  );
  expect(second?.[1]?.content).toMatch(
    /\n\nAn earlier program was wrong\.\n\n[^]*\n\nWrite the lines in another way\.$/
  );
});

it('keeps what the user edited outside of the part', async () => {
  const generator = model(
    answer('    def price(self, name):\n        return 1'),
    answer('    def price(self, name):\n        return rates.get(name, 0)')
  );
  const steering = new Steering();
  const edited = `${SOURCE.replace('return rates[name]', 'return 2')}# mine\n`;
  const { state } = await run(
    makeRequest({ source: SOURCE, part: PART }),
    { generator, executor: checked(), steering },
    event => {
      if (event.type === 'attempt-start' && event.attempt === 1) {
        steering.edit({ from: 0, code: edited });
      }
    }
  );
  expect(state.attempts.slice(2).map(({ code }) => code)).toEqual([
    edited,
    edited.replace('return 2', 'return rates.get(name, 0)')
  ]);
});

it('gives a judge the cell as it is, without the marks', async () => {
  const judge = model('{"evaluation": "PASS", "score": 10, "feedback": []}');
  await run(
    makeRequest({
      source: SOURCE,
      part: PART,
      prompt: '',
      assertions: [],
      options: { evaluators: ['judge'] }
    }),
    {
      generator: model(answer('    def price(self, name): pass')),
      evaluatorModel: judge,
      executor: new FakeExecutor(() => ({}))
    }
  );
  const sent = JSON.stringify(judge.requests[0]?.messages);
  expect(sent).toContain('return rates[name]');
  expect(sent).not.toMatch(/to replace|these lines alone/);
});
