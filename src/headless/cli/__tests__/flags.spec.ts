/** @jest-environment node */
import { parseArguments } from '../arguments';
import { flagsOf, type CommandName } from '../commands';

type Use = readonly [argv: string, parsed: object];

/** What `run`, `check` and `bench` have in common. */
const SHARED = {
  kernel: ['--kernel ir', { kernel: 'ir' }],
  events: ['--events e.jsonl', { events: 'e.jsonl' }],
  server: ['--server http://s/', { server: { url: 'http://s/', token: '' } }],
  token: [
    '--server http://s/ --token t',
    { server: { url: 'http://s/', token: 't' } }
  ],
  workers: ['--workers 3', { workers: 3 }],
  quiet: ['--quiet', { quiet: true }],
  json: ['--json', { json: true }],
  version: ['--version', { command: 'version' }]
} satisfies Record<string, Use>;

const MODEL = {
  profile: ['--profile p', { profile: 'p' }],
  'base-url': ['--base-url http://m/v1', { baseUrl: 'http://m/v1' }],
  model: ['--model m', { model: 'm' }]
} satisfies Record<string, Use>;

const NOTEBOOKS = {
  cell: ['--cell 3 --cell x', { cell: ['3', 'x'] }],
  junit: ['--junit j.xml', { junit: 'j.xml' }],
  strict: ['--strict', { strict: true }]
} satisfies Record<string, Use>;

const USES: Readonly<Record<CommandName, Readonly<Record<string, Use>>>> = {
  run: {
    ...SHARED,
    ...MODEL,
    ...NOTEBOOKS,
    help: ['--help', { command: 'help', about: 'run' }],
    prompt: ['--prompt Sort.', { prompt: 'Sort.' }],
    output: ['--output o.ipynb', { output: 'o.ipynb' }],
    'output-dir': ['--output-dir o', { outputDir: 'o' }],
    'in-place': ['--in-place', { inPlace: true }],
    record: ['--record c.jsonl', { record: 'c.jsonl' }],
    replay: ['--replay c.jsonl', { replay: 'c.jsonl' }],
    'dry-run': ['--dry-run', { dryRun: true }]
  },
  check: {
    ...SHARED,
    ...NOTEBOOKS,
    help: ['--help', { command: 'help', about: 'check' }],
    clean: ['--clean', { options: { confirmClean: true } }],
    tests: ['--tests m.ipynb', { tests: 'm.ipynb' }],
    csv: ['--csv r.csv', { csv: 'r.csv' }],
    'notebook-timeout': ['--notebook-timeout 9', { notebookTimeout: 9 }]
  }
};

const COMMANDS = Object.keys(USES) as CommandName[];

it.each(COMMANDS)('every flag of %s is used below', command => {
  const flags = flagsOf(command).map(({ flag }) => flag);
  expect(Object.keys(USES[command]).sort()).toEqual([...flags].sort());
});

it.each(
  COMMANDS.flatMap(command =>
    Object.values(USES[command]).map(
      ([argv, parsed]) => [command, argv, parsed] as const
    )
  )
)('%s reads %s', (command, argv, parsed) => {
  expect(
    parseArguments([command, 'file', ...argv.split(' ')], {})
  ).toMatchObject(parsed);
});
