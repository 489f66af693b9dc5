/** @jest-environment node */
import { settingsSchema } from '../../../core/settings';
import { parseArguments, SETTING_FLAGS } from '../arguments';
import { helpText } from '../helpText';
import { type Command, UsageError } from '../commands';

const parse = (text: string, environment = {}): Command =>
  parseArguments(text.split(' ').filter(Boolean), environment);

describe('parseArguments', () => {
  it('reads keepBest, a switch here', () => {
    expect(parse('run --keep-best a.ipynb')).toMatchObject({
      options: { keepBest: 'always' },
      notebooks: ['a.ipynb']
    });
  });

  it('takes --no- for what a switch leaves out', () => {
    const text = 'run a.ipynb --no-keep-best --no-allow-network';
    expect(parse(text)).toMatchObject({
      options: { keepBest: 'never', allowNetwork: false }
    });
  });

  it('takes a notebook that is given twice for one', () => {
    expect(
      parse('run a.ipynb ./a.ipynb folder/../a.ipynb --output b.ipynb')
    ).toMatchObject({ notebooks: ['a.ipynb'], output: 'b.ipynb' });
  });

  it('takes the defaults of the settings', () => {
    expect(parse('check a.ipynb b.ipynb')).toMatchObject({
      command: 'check',
      notebooks: ['a.ipynb', 'b.ipynb'],
      cell: [],
      kernel: null,
      events: null,
      json: false,
      quiet: false,
      strict: false,
      server: null,
      options: settingsSchema.parse({}),
      tests: null,
      csv: null,
      junit: null,
      workers: 1
    });
  });

  it.each([
    ['run a.ipynb', false],
    ['run a.ipynb --clean', true],
    ['run a.ipynb --clean --no-confirm-clean', false],
    ['check a.ipynb', false],
    ['check a.ipynb --clean', true],
    ['check a.ipynb --confirm-clean', true]
  ])('%s repeats a pass in a fresh kernel: %s', (text, confirmClean) => {
    expect(parse(text)).toMatchObject({ options: { confirmClean } });
  });

  it.each([
    [
      'run a --ouput b',
      'jupyter refine run has no flag --ouput. Did you mean --output?'
    ],
    ['run a -x', 'jupyter refine run has no flag -x.'],
    ['check a --in-place', 'jupyter refine check has no flag --in-place.'],
    ['run a --approve-execution', 'jupyter refine run has no flag'],
    ['run a --json=yes', "'--json' does not take an argument"],
    ['run a --cell', "'--cell <value>' argument missing"],
    ['run a --cell --json', "'--cell' argument is ambiguous"],
    ['run a --target-score -1', "use '--target-score=-XYZ'"]
  ])('refuses %s', (text, message) => {
    expect(() => parse(text)).toThrow(UsageError);
    expect(() => parse(text)).toThrow(message);
  });

  it.each<[string, Record<string, string>, string, string]>([
    ['--server http://h:1/ --token t', {}, 'http://h:1/', 't'],
    ['--server http://h:1/lab/tree/x.ipynb?token=q', {}, 'http://h:1/', 'q'],
    ['--server https://hub/user/me/lab', {}, 'https://hub/user/me/', ''],
    ['--server http://h:1', { JUPYTER_TOKEN: 'e' }, 'http://h:1/', 'e'],
    [
      '--server http://h:1 --token t',
      { JUPYTER_TOKEN: 'e' },
      'http://h:1/',
      't'
    ]
  ])('reads the server of %s', (text, environment, url, token) => {
    expect(parse(`check a.ipynb ${text}`, environment)).toMatchObject({
      server: { url, token }
    });
  });

  it.each([
    ['', { command: 'help', about: null }],
    ['--help', { command: 'help', about: null }],
    ['help run', { command: 'help', about: 'run' }],
    ['help nothing', { command: 'help', about: null }],
    ['run --help', { command: 'help', about: 'run' }],
    ['check -h', { command: 'help', about: 'check' }],
    ['--version', { command: 'version' }]
  ])('reads %j', (text, expected) => {
    expect(parse(text)).toEqual(expected);
  });

  it.each([
    ['rum a', 'There is no command rum; there are run, check, demo and help.'],
    [
      'run',
      'jupyter refine run needs a notebook: jupyter refine run NOTEBOOK.ipynb'
    ],
    [
      'run a --output b --in-place',
      '--output and --in-place cannot be combined. Give one of them.'
    ],
    [
      'run a --output-dir b --in-place',
      '--output-dir and --in-place cannot be combined. Give one of them.'
    ],
    [
      'run a b --output c',
      '--output c takes one notebook, but 2 were given: use --output-dir or --in-place.'
    ],
    [
      'run a --base-url localhost',
      '--base-url localhost: it must be a URL such as http://localhost:8000/v1.'
    ],
    ['run a --workers 0', '--workers 0: it must be a whole number from 1.'],
    [
      'run a --token t',
      '--token needs --server. Give the URL of the server too.'
    ],
    [
      'run a --server here',
      '--server here: it must be a URL such as http://localhost:8888/.'
    ],
    [
      'run a --base-url u --profile p',
      '--profile and --base-url cannot be combined. Give one of them.'
    ],
    ['run a --prompt=', '--prompt needs a text: what the target is to do.'],
    [
      'run a --model m --generator-model main/n',
      '--model and --generator-model cannot be combined. Give one of them.'
    ],
    [
      'run a --evaluators=',
      '--evaluators "": it must be among assertions, static, judge, scorer, human.'
    ]
  ])('refuses %s', (text, message) => {
    expect(() => parse(text)).toThrow(new UsageError(message));
  });

  it.each([
    ['--max-attempts 0', 'Too small: expected number to be >=1.'],
    ['--max-attempts 2.5', 'Invalid input: expected int, received number.'],
    ['--attempt-timeout x', 'Invalid input: expected number, received string.'],
    [
      '--feedback loud',
      'it must be among auto, raw, diff, summary, locals, score.'
    ],
    ['--temperature 9', 'Too big: expected number to be <=2, or none.'],
    ['--max-tokens 0', 'Too small: expected number to be >0, or none.'],
    [
      '--evaluators luck',
      'it must be among assertions, static, judge, scorer, human.'
    ]
  ])('refuses %s, naming flag, value and what it must be', (text, expected) => {
    expect(() => parse(`run a ${text}`)).toThrow(
      new UsageError(`${text}: ${expected}`)
    );
  });

  it('lists the flags of a command, and the settings', () => {
    const help = helpText('check');
    expect(help).toContain('--attempt-timeout');
    expect(help).toMatch(/--clean +Second run of a pass/);
    expect(help).not.toMatch(/\n\n\n|:\n\n|--in-place/);
    expect(helpText('run')).toContain('--in-place');
  });
});

it.each<readonly [string, object]>([
  ['run a --cell 3 --cell x', { cell: ['3', 'x'] }],
  ['run a --output-dir o --junit j.xml', { outputDir: 'o', junit: 'j.xml' }],
  ['run a --in-place --dry-run', { inPlace: true, dryRun: true }],
  ['run --target-score=-0.5 a', { options: { targetScore: -0.5 } }],
  ['run a --clean', { options: { confirmClean: true } }],
  ['check a --csv=r.csv --workers 3', { csv: 'r.csv', workers: 3 }],
  ['check --strict a --json -- -b', { strict: true, notebooks: ['a', '-b'] }]
])('reads %s', (text, parsed) => {
  expect(parse(text)).toMatchObject(parsed);
});

it.each<readonly [string, object]>([
  ['--evaluators assertions,static', { evaluators: ['assertions', 'static'] }],
  ['--criteria short,fast', { criteria: ['short', 'fast'] }],
  ['--attempt-timeout 2.5', { attemptTimeout: 2.5 }],
  ['--max-tokens none', { maxTokens: null }],
  ['--generator-prompt={{task}}', { generatorPrompt: '{{task}}' }],
  [
    '--isolation fork --allow-network',
    { isolation: 'fork', allowNetwork: true }
  ]
])('%s is a setting', (text, options) => {
  expect(parse(`run a ${text}`)).toMatchObject({ options });
});

it('has a flag for each setting, but for what asks', () => {
  const asked = ['approveExecution'];
  expect(SETTING_FLAGS.map(({ name }) => name)).toEqual(
    Object.keys(settingsSchema.shape).filter(name => !asked.includes(name))
  );
});
