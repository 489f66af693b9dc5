import { contradictions } from '../contradictions';

const found = (source: string | readonly string[], task = 'Write f(n).') =>
  contradictions(
    [source].flat().map((text, index) => ({
      cellId: String(index),
      source: text
    })),
    task
  ).map(pair =>
    pair.map(({ cellId, line, source: text }) => `${cellId}:${line} ${text}`)
  );

describe('checks that contradict each other', () => {
  it('are named with both places', () => {
    expect(found('assert f(1) == 2\n\nassert f(1) == 3')).toEqual([
      ['0:1 f(1) == 2', '0:3 f(1) == 3']
    ]);
    expect(
      found(['assert f(1) == 2', 'import math\nassert 3 == f(1)'])
    ).toEqual([['0:1 f(1) == 2', '1:2 3 == f(1)']]);
  });

  it.each([
    [
      'spaces and quotes',
      `assert f("a", k = 1) == 'x'\nassert f('a', k=1) == "y"`
    ],
    ['order of keywords', 'assert f(a=1, b=2) == 3\nassert f(b=2, a=1) == 4'],
    [
      'parentheses and messages',
      'assert (f(1)) == (2), "two"\nassert f(1) == 3'
    ],
    [
      'calm checks in between',
      'assert f(1) == 2\nassert isinstance(f(2), int)\nassert math.isclose(f(3), 4)\nprint("half")\nassert f(1) == 3'
    ],
    ['one line', 'assert f(1) == 2; assert f(1) == 3'],
    ['the parts of an and', 'assert f(1) == 2 and f(2) == 3\nassert f(2) == 4'],
    ['other types', 'assert f(1) == 2\nassert f(1) == "2"'],
    ['None', 'assert f(1) is None\nassert f(1) == 3'],
    ['lists', 'assert f([1, 2]) == [1, 2]\nassert f([1, 2]) == [2, 1]'],
    ['dicts', 'assert f(1) == {"a": 1}\nassert f(1) == {"a": 2}'],
    ['sets', 'assert f(1) == {1, 2}\nassert f(1) == {1, 3}'],
    ['denied equality', 'assert f(1) == 2\nassert f(1) != 2'],
    ['truth', 'assert is_prime(4)\nassert not is_prime(4)'],
    [
      'large integers',
      'assert f(1) == 9007199254740993\nassert f(1) == 9007199254740992'
    ],
    ['negative numbers', 'assert f(-1) == -2\nassert f(-1) == 2'],
    [
      'methods of new objects',
      'assert Solution().f(1) == 2\nassert Solution().f(1) == 3'
    ],
    [
      'the body of a test',
      'def test_f():\n    assert f(1) == 2\n    assert f(1) == 3'
    ]
  ])('are seen through %s', (_, source) => {
    expect(found(source)).toHaveLength(1);
  });

  it.each([
    ['next', 'assert next(it) == 1\nassert next(it) == 2'],
    [
      'a name that changes something',
      'assert push_item(1) == 1\nassert push_item(1) == 2'
    ],
    ['a call without arguments', 'assert f() == 1\nassert f() == 2'],
    [
      'methods of one object',
      'assert stack.peek(1) == 1\nassert stack.peek(1) == 2'
    ],
    ['variables', 'assert f(x) == 1\nassert f(x) == 2'],
    ['a variable bound between', 'assert f(1) == 1\nx = g()\nassert f(1) == 2'],
    [
      'a function bound by the checks',
      'f = make(2)\nassert f(1) == 1\nassert f(1) == 2'
    ],
    [
      'a function defined by the checks',
      'def f(x):\n    return next(it)\nassert f(1) == 1\nassert f(1) == 2'
    ],
    [
      'a call that may change something',
      'assert f(1) == 1\nassert add(3)\nassert f(1) == 2'
    ],
    [
      'a statement that may change something',
      'assert f(1) == 1\nreset()\nassert f(1) == 2'
    ],
    [
      'an import of the function between',
      'assert f(1) == 1\nfrom b import f\nassert f(1) == 2'
    ],
    [
      'a loop between',
      'assert f(1) == 1\nfor i in x:\n    pass\nassert f(1) == 2'
    ],
    [
      'tests of their own',
      'def test_a():\n    assert f(1) == 1\ndef test_b():\n    assert f(1) == 2'
    ],
    ['fixtures', 'def test_a(db):\n    assert f(1) == 1\n    assert f(1) == 2'],
    [
      'True and 1 and 1.0',
      'assert f(2) == 1\nassert f(2) == 1.0\nassert f(2) == True'
    ],
    [
      'arguments of other types',
      'assert f(1) == 1\nassert f(True) == 2\nassert f(1.0) == 3\nassert f([1]) == 4\nassert f((1,)) == 5\nassert f([True]) == 6'
    ],
    [
      'floats close to each other',
      'assert f(1) == 0.3\nassert f(1) == 0.30000000000000004'
    ],
    [
      'tolerances',
      'assert abs(f(1) - 2) < 1e-6\nassert f(1) == pytest.approx(3)'
    ],
    ['a list and a tuple', 'assert f(1) == [1]\nassert f(1) == (1,)'],
    ['escapes', String.raw`assert f(1) == "\x61"` + '\nassert f(1) == "a"'],
    ['sets in another order', 'assert f(1) == {1, 2}\nassert f(1) == {2, 1}'],
    ['equal keys', 'assert f(1) == {1: 2, 1: 3}\nassert f(1) == {1: 3}'],
    ['f-strings', 'assert f(1) == f"{x}"\nassert f(1) == f"{y}"'],
    [
      'more arguments',
      'assert f(1) == 1\nassert f(1, 2) == 2\nassert f(1, *a) == 3'
    ],
    ['chained comparisons', 'assert f(1) == 1 == x\nassert f(1) == 2 == y'],
    ['or', 'assert f(1) == 1 or f(1) == 2\nassert f(1) == 2'],
    [
      'an assignment in an expression',
      'assert f(1) == 1\nassert (f := g)\nassert f(1) == 2'
    ],
    ['await', 'assert await f(1) == 1\nassert await f(1) == 2'],
    ['classes', 'assert f(1) == 1\nclass A:\n    pass\nassert f(1) == 2'],
    ['what is no Python', 'assert f(1) ==\nassert f(1) == 2 2\n']
  ])('are not seen in %s', (_, source) => {
    expect(found(source)).toEqual([]);
  });

  it('are not seen where the task speaks of state', () => {
    const source = 'assert f(1) == 1\nassert f(1) == 2';
    expect(
      found(source, 'Return how often it was called. Each call counts.')
    ).toEqual([]);
    expect(found(source, 'def f(x):\n    global seen')).toEqual([]);
    expect(found(source)).toHaveLength(1);
  });
});
