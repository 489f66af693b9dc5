import { pythonNames } from '../names';
import { parseTree } from '../syntax';

const names = (source: string) =>
  [...pythonNames(parseTree(source).topNode, source).binds].sort();

it.each([
  ['brackets', '['.repeat(5000)],
  ['signs', `x = ${'-'.repeat(5000)}1`],
  ['a chain', `x = ${'a.b('.repeat(5000)}`]
])('does not read what is nested too deep: %s', (_, source) => {
  expect(names(source)).toEqual([]);
});

it('reads a long source that is not nested', () => {
  const lines = Array.from({ length: 3000 }, (_, n) => `x${n} = ${n}`);
  expect(names(lines.join('\n'))).toHaveLength(3000);
});

it('reads a source after many empty lines', () => {
  expect(names(`${'\n'.repeat(200_000)}x = 1\n`)).toEqual(['x']);
});
