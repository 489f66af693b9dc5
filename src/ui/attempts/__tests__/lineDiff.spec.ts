import { diffLines, type DiffLine } from '../lineDiff';

const without = (kind: DiffLine['kind'], lines: readonly DiffLine[]) =>
  lines
    .filter(line => line.kind !== kind)
    .map(line => line.text)
    .join('\n');

it('puts a replaced line before the new one', () => {
  const sign = { same: ' ', added: '+', removed: '-' };
  expect(
    diffLines('a\nb\nc', 'a\nB\nc').map(({ kind, text }) => sign[kind] + text)
  ).toEqual([' a', '-b', '+B', ' c']);
});

it('accounts for every line where codes differ too much', () => {
  const lines = (name: string) =>
    Array.from({ length: 900 }, (_, i) => `${name}${i}`).join('\n');
  const result = diffLines(lines('a'), lines('b'));
  expect(without('removed', result)).toBe(lines('b'));
  expect(without('added', result)).toBe(lines('a'));
});
