import { pointsOf, pointsText, sum } from '../points';

const test = (passed: number, total: number, maxPoints: number | null) => ({
  cellId: 'c',
  gradeId: 'g',
  passed,
  total,
  maxPoints,
  unconfirmed: null
});

it.each([
  [2, 2, 3, 3],
  [1, 2, 0, 1.5],
  [0, 2, 0, 0],
  [0, 0, 0, 0]
])('%d of %d checks', (passed, total, full, partial) => {
  const one = test(passed, total, 3);
  expect(pointsOf(one, false)).toEqual({ score: full, max: 3 });
  expect(pointsOf(one, true)).toEqual({ score: partial, max: 3 });
});

it('has none where the cell has none', () => {
  expect(pointsOf(test(1, 1, null), false)).toBeNull();
  expect(sum([null])).toBeNull();
  expect(sum([null, { score: 1, max: 2 }, { score: 0, max: 1 }])).toEqual({
    score: 1,
    max: 3
  });
});

it('shows two digits', () => {
  expect(pointsText({ score: 1 / 3, max: 1 })).toBe('0.33 of 1 point');
  expect(pointsText({ score: 2, max: 2.5 })).toBe('2 of 2.5 points');
});
