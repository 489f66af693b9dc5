import { jsonText, withoutCommands } from '../github';

function written(text: string): string {
  let all = '';
  withoutCommands({ write: piece => (all += piece) }).write(text);
  return all;
}

/** As the runner reads: lines without white space around, the older form anywhere. */
function isCommand(text: string): boolean {
  return text
    .split(/\r\n|\r|\n/)
    .some(line => line.trim().startsWith('::') || line.includes('##['));
}

const HOSTILE = [
  '::error::x\n',
  'a\n  ::add-mask::x',
  'a\r::error::x',
  '\u0085\u00a0\u3000::error::x',
  ':::error::x',
  '::::',
  'text ##[add-mask]x',
  '###[group]',
  '##[##[a]'
];

test.each(HOSTILE)('%j is no command', text => {
  expect(isCommand(text.replace(/\u0085/g, ''))).toBe(true);
  expect(isCommand(written(text).replace(/\u0085/g, ''))).toBe(false);
});

test.each(['a::b\n', 'x = y[::2]\n', '## [a] #[b]\n', 'n.ipynb: passed\n'])(
  'other text stays as it is: %j',
  text => {
    expect(written(text)).toBe(text);
  }
);

test('JSON without a command is the same data', () => {
  const data = { text: 'a\n::error::x ##[add-mask]x ###[a]' };
  expect(isCommand(jsonText(data, 1))).toBe(false);
  expect(JSON.parse(jsonText(data, 1))).toEqual(data);
});
