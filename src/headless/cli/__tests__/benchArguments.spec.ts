/** @jest-environment node */
import { parseArguments } from '../arguments';
import { UsageError } from '../usageError';

const parse = (text: string) =>
  parseArguments(text.split(' ').filter(Boolean), { JUPYTER_TOKEN: 'e' });

it('reads a benchmark with everything', () => {
  expect(
    parse(
      'bench t.jsonl --profile p --model m --server http://s/ --workers 2 --output-dir o --resume r --events e --kernel k --json --quiet --max-attempts 3'
    )
  ).toMatchObject({
    command: 'bench',
    files: ['t.jsonl'],
    profile: 'p',
    model: 'm',
    server: { url: 'http://s/', token: 'e' },
    workers: 2,
    outputDir: 'o',
    resume: 'r',
    events: 'e',
    kernel: 'k',
    json: true,
    quiet: true,
    sweep: null,
    options: { maxAttempts: 3, confirmClean: false }
  });
});

it('reads the values of a sweep as settings', () => {
  expect(
    parse('bench t --references --max-attempts 2 --sweep patience=1,3')
  ).toMatchObject({
    references: true,
    sweep: {
      flag: 'patience',
      values: [
        {
          label: 'patience=1',
          options: { patience: 1, maxAttempts: 2 }
        },
        {
          label: 'patience=3',
          options: { patience: 3, maxAttempts: 2 }
        }
      ]
    }
  });
});

it.each([
  ['t --recorded a --model m', '--recorded calls no model: leave out --model.'],
  [
    't --recorded a --references',
    '--recorded calls no model: leave out --references.'
  ],
  ['--compare a b --workers 0', '--workers 0: it must be a whole number'],
  [
    '--compare a b --recorded r',
    '--compare runs nothing: leave out --recorded.'
  ],
  ['--compare a', '--compare takes two reports, and 1 were given'],
  [
    't --base-url http://m --profile p',
    '--base-url replaces all profiles: leave out --profile.'
  ],
  ['t --base-url m', '--base-url m: it must be a URL'],
  ['t --token t', '--token needs --server.'],
  ['t --model m --generator-model p/n', 'both set the model that writes'],
  ['t --evaluators assertions,human', '--evaluators human: bench asks nothing'],
  ['t --isolation live', '--isolation live: bench runs each attempt in a fork'],
  ['t --sweep feedback=raw', 'it needs two values at least'],
  [
    't --sweep fedback=raw,diff',
    'There is no setting fedback. Did you mean feedback?'
  ],
  ['t --sweep feedback=raw,loud', '--feedback loud: it must be one of auto'],
  ['t --sweep allow-network=yes,no', 'allow-network is true or false.'],
  [
    't --in-place',
    'There is no flag --in-place: only jupyter refine run has it.'
  ]
])('refuses bench %s', (text, message) => {
  const read = () => parse(`bench ${text}`);
  expect(read).toThrow(UsageError);
  expect(read).toThrow(message);
});
