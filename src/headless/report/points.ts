/** Points of targets and notebooks. */
export type Points = { readonly score: number; readonly max: number };

/** The checks of a test that held, all of them, and its points; null: it has none. */
export type PointedTest = {
  readonly passed: number;
  readonly total: number;
  readonly maxPoints: number | null;
};

/** As nbgrader counts: all or nothing. With `partial`, the share of its checks that held. */
export function pointsOf(test: PointedTest, partial: boolean): Points | null {
  const { passed, total, maxPoints: max } = test;
  if (max === null) {
    return null;
  }
  const share = total === 0 ? 0 : passed / total;
  return { score: max * (partial || share === 1 ? share : 0), max };
}

/** Of all tests together; null where none has points. */
export function sum(all: readonly (Points | null)[]): Points | null {
  const given = all.filter(points => points !== null);
  return given.length === 0
    ? null
    : {
        score: given.reduce((total, { score }) => total + score, 0),
        max: given.reduce((total, { max }) => total + max, 0)
      };
}

export function pointsOfTarget(
  { tests }: { readonly tests: readonly PointedTest[] },
  partial: boolean
): Points | null {
  return sum(tests.map(test => pointsOf(test, partial)));
}

/** `1.5`, with two digits at most. */
export function pointsNumber(value: number): string {
  return String(Math.round(value * 100) / 100);
}

/** `1.5 of 2 points` */
export function pointsText({ score, max }: Points): string {
  return `${pointsNumber(score)} of ${pointsNumber(max)} point${max === 1 ? '' : 's'}`;
}
