import { choiceOf, wholeLines } from '../selectionCommands';

const SOURCE =
  'import re\n\n@cache\ndef f(\n    a\n) -> int:\n    return a\n\nx = f(1)\n';

type Place = readonly [line: number, column: number];

const range = (from: Place, to: Place) => ({
  start: { line: from[0], column: from[1] },
  end: { line: to[0], column: to[1] }
});

describe('what is chosen', () => {
  it('is the lines that a selection touches, in either direction', () => {
    expect(choiceOf(SOURCE, range([3, 2], [6, 4]))).toEqual({
      first: 4,
      last: 7
    });
    expect(choiceOf(SOURCE, range([6, 4], [3, 2]))).toEqual({
      first: 4,
      last: 7
    });
    expect(choiceOf(SOURCE, range([8, 0], [8, 1]))).toEqual({
      first: 9,
      last: 9
    });
  });

  it('leaves the line out before whose first column it ends', () => {
    expect(choiceOf(SOURCE, range([0, 0], [1, 0]))).toEqual({
      first: 1,
      last: 1
    });
  });

  it('is nothing where only blank lines are selected', () => {
    expect(choiceOf(SOURCE, range([1, 0], [2, 0]))).toBeNull();
  });

  it('is the line of a cursor that can be in a definition', () => {
    const at = (line: number) => choiceOf(SOURCE, range([line, 0], [line, 0]));
    expect([2, 3, 4, 5, 6, 7].map(at)).toEqual(
      [3, 4, 5, 6, 7, 8].map(around => ({ around }))
    );
    expect([0, 1, 8].map(at)).toEqual([null, null, null]);
  });
});

it('takes a line for an error only where all of it is selected', () => {
  const inLine = (from: number, to: number) =>
    wholeLines(SOURCE, range([6, from], [6, to]));
  expect(inLine(4, 10)).toBeNull();
  expect(inLine(4, 4)).toBeNull();
  expect(inLine(4, 12)).toEqual({ first: 7, last: 7 });
  expect(inLine(12, 0)).toEqual({ first: 7, last: 7 });
  expect(wholeLines(SOURCE, range([3, 3], [4, 2]))).toEqual({
    first: 4,
    last: 5
  });
});
