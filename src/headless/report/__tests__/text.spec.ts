/** @jest-environment node */
import { helpText } from '../../cli/helpText';
import { nearestName } from '../../../core/text/nearest';
import { counted, oneLine, painter, printable } from '../text';

describe('printable', () => {
  it.each([
    ['plain\n\ttext äöü 日本', 'plain\n\ttext äöü 日本'],
    ['\u001b[31mred\u001b[0m', 'red'],
    ['\u001b[2J\u001b[1;1Hgone', 'gone'],
    ['\u001b]0;title\u0007text', 'text'],
    ['\u001b]8;;http://x\u001b\\link\u001b]8;;\u001b\\', 'link'],
    ['one\r\ntwo\rthree', 'one\ntwothree'],
    ['a\u202eb\u2066c', 'abc'],
    ['bell\u0007 back\b csi\u009b31m', 'bell back csi31m']
  ])('%j', (text, expected) => {
    expect(printable(text)).toBe(expected);
  });
});

describe('oneLine', () => {
  it.each([
    ['short', 10, 'short'],
    ['first\nsecond', 10, 'first …'],
    ['0123456789abc', 10, '01234567 …'],
    ['  trimmed \n', 20, 'trimmed']
  ])('%j at %d', (text, width, expected) => {
    expect(oneLine(text, width)).toBe(expected);
  });
});

it('counts in words', () => {
  expect([
    counted(0, 'check'),
    counted(1, 'check'),
    counted(2, 'check')
  ]).toEqual(['0 checks', '1 check', '2 checks']);
});

it('paints only where colours are', () => {
  expect(painter(false)('bad', 'x')).toBe('x');
  expect(painter(true)('bad', 'x')).toBe('\u001b[31mx\u001b[39m');
  expect(painter(true)('bad', '')).toBe('');
});

describe('nearestName', () => {
  const known = ['run', 'check', 'help', '--max-attempts', '--model'];
  it.each([
    ['rnu', 'run'],
    ['chekc', 'check'],
    ['--max-atempt', '--max-attempts'],
    ['--Model', '--model'],
    ['entirely-else', null]
  ])('%s means %s', (name, expected) => {
    expect(nearestName(name, known)).toBe(expected);
  });
});

describe('helpText', () => {
  it('fits a terminal and names flags where they belong', () => {
    const run = helpText('run');
    expect(
      Math.max(...run.split('\n').map(line => line.length))
    ).toBeLessThanOrEqual(100);
    expect(run).toContain('--output FILE');
    expect(run).toContain('--max-attempts NUMBER');
    expect(helpText('check')).not.toContain('--output');
    expect(helpText(null)).toContain('jupyter refine run NOTEBOOK');
  });
});
