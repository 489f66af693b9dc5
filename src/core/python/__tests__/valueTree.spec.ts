import { valueTree, type ValueNode } from '../valueTree';

const flat = (nodes: readonly ValueNode[]): unknown[] =>
  nodes.map(({ label, text, children }) =>
    children.length > 0 ? [label, text, flat(children)] : [label, text]
  );

describe('valueTree', () => {
  it('reads the items of lists and tuples by index', () => {
    expect(flat(valueTree("[1, 'a, b', (2.5, None)]"))).toEqual([
      ['0', '1'],
      ['1', "'a, b'"],
      [
        '2',
        '(2.5, None)',
        [
          ['0', '2.5'],
          ['1', 'None']
        ]
      ]
    ]);
    expect(flat(valueTree('(1,)'))).toEqual([['0', '1']]);
  });

  it('reads the keys and values of a dict', () => {
    expect(flat(valueTree("{'a': [1], (1, 2): -3, 'c:d': {}}"))).toEqual([
      ["'a'", '[1]', [['0', '1']]],
      ['(1, 2)', '-3'],
      ["'c:d'", '{}']
    ]);
  });

  it('reads sets without an index', () => {
    expect(flat(valueTree("{1, 'b'}"))).toEqual([
      [null, '1'],
      [null, "'b'"]
    ]);
  });

  it('reads the fields of a dataclass and the data of an array', () => {
    expect(flat(valueTree("Point(x=1, label='p', tags=[2])"))).toEqual([
      ['x', '1'],
      ['label', "'p'"],
      ['tags', '[2]', [['0', '2']]]
    ]);
    expect(flat(valueTree('array([1, 2], dtype=int32)'))).toEqual([
      [
        '0',
        '[1, 2]',
        [
          ['0', '1'],
          ['1', '2']
        ]
      ],
      ['dtype', 'int32']
    ]);
  });

  it('shows where items were left out', () => {
    expect(valueTree('[0, 1, 2, ...]').map(({ text }) => text)).toEqual([
      '0',
      '1',
      '2',
      '...'
    ]);
  });

  it.each([
    '3',
    "'[1, 2]'",
    '',
    '<object at 0x7f>',
    '   a  b\n0  1  2',
    '[]',
    "['north', 'south', ... 'ea",
    'Point()',
    `[${'1,'.repeat(10_000)}]`
  ])('finds nothing in %.20s', text => {
    expect(valueTree(text)).toEqual([]);
  });
});
