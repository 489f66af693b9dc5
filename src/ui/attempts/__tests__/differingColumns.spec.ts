import { differingColumns } from '../differingColumns';

const frame = (value: string) =>
  `  month region  total\n0     1  north  10.50\n1     2  south  ${value}`;

it.each([
  ['a value', frame('20.25'), frame('21.00'), [2, 16, 21]],
  ['a shorter one', frame(' 9.00'), frame('21.00'), [2, 16, 21]],
  ['equal texts', frame('1'), frame('1'), null],
  ['rows that only one has', frame('1'), `${frame('1')}\n2     3`, null],
  [
    'the leftmost of two',
    'a b c\n1 2 3\n4 5 6',
    'a b c\n1 2 9\n4 0 6',
    [2, 2, 3]
  ],
  ['the end of a line', 'a b\n1 2', 'a b\n1 2 33', [1, 2, 6]],
  [
    'a number of rows that pandas counts',
    '   a  b\n0  1  2\n\n[9 rows x 2 columns]',
    '   a  b\n0  1  3\n\n[8 rows x 2 columns]',
    [1, 6, 7]
  ],
  ['one value of no table', '3', '42', [0, 0, 2]]
])('finds %s', (_, one, other, expected) => {
  const found = differingColumns(one, other);
  expect(found && [found.line, found.start, found.end]).toEqual(expected);
  const swapped = differingColumns(other, one);
  expect(swapped && [swapped.line, swapped.start, swapped.end]).toEqual(
    expected
  );
});
