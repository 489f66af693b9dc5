import { AnswerParser, parseAnswer } from '../parse';
import { withoutPasted, type Around } from '../pasted';

const CHECKS = 'D = dist(points)\nassert D == 5\nassert dist([]) == 0';
const ABOVE =
  'import re\npoints = [1, 2]\ndef scale(x):\n    return 2 * x  # twice';

const AROUND = {
  checks: [CHECKS],
  above: [ABOVE],
  cell: '',
  prompt: 'Write dist(points).'
};

function clean(source: string, parts: Partial<Around> = {}) {
  const around = { ...AROUND, needs: ['dist'], ...parts };
  const { code, leftOut } = withoutPasted(source, around);
  return { code, leftOut };
}

const DIST = 'def dist(points):\n    return sum(points)';

it.each([
  [
    'pasted checks, with their set-up and remarks',
    `${DIST}\n\n# Checks\nD = dist(points)\nassert D == 5\n\nassert dist( [] )==0  # none\n`,
    '3 pasted checks'
  ],
  [
    'pasted checks with messages of its own',
    `${DIST}\nD = dist(points)\nassert D == 5, f"{D}, not 5"`,
    '2 pasted checks'
  ],
  [
    'own assertions on the target',
    `${DIST}\nassert dist([9]) == 8`,
    '1 pasted check'
  ],
  [
    'definitions of cells above as they are',
    `points = [1, 2]\n\ndef scale(x):\n    return 2 * x\n\n${DIST}`,
    '2 repeated definitions'
  ],
  [
    'demonstrations',
    `${DIST}\n\n# Example usage\nprint(dist([1]))\ndist([2])\n\nif __name__ == "__main__":\n    print(dist([3]))`,
    '3 examples'
  ],
  [
    'a line of a check with what prints its value',
    `${DIST}\n\n# Test the function\npoints = [1, 2]\nD = dist(points)\nprint("It is", D)`,
    '1 pasted check, 1 repeated definition, 1 example'
  ],
  [
    'its own test of the target',
    `${DIST}\n\n# Check it\ndef check_dist():\n    assert dist([1]) == 7, "wrong"\n    print("ok")\n\ncheck_dist()`,
    '2 examples'
  ],
  [
    'all of it, in any place',
    `points = [1, 2]\nassert dist([]) == 0\n${DIST}\nprint(dist([1]))`,
    '1 pasted check, 1 repeated definition, 1 example'
  ]
])('leaves out %s', (_, code, leftOut) => {
  expect(clean(code)).toEqual({ code: DIST, leftOut });
});

it.each([
  ['imports', `import re\n${DIST}`],
  ['other definitions of a name above', `points = [3]\n${DIST}`],
  ['assertions on data', `assert len(points) == 2\n${DIST}`],
  ['calls that register', `${DIST}\napp.add(dist)`],
  ['calls of other functions', `setup()\n${DIST}`],
  ['what is needed', 'D = dist(points)'],
  ['what later code reads', `${DIST}\nD = dist(points)\nE = D + 1`],
  [
    'a helper that asserts',
    `def check_points(p):\n    assert p\n\ndef dist(points):\n    check_points(points)\n    return sum(points)`
  ],
  [
    'a guard that the target calls, and that calls it',
    `def check_points(p):\n    assert p and dist(p[1:]) >= 0\n\ndef dist(points):\n    return check_points(points) or sum(points)`
  ],
  ['definitions above that are nothing else', 'points = [1, 2]'],
  ['conditions', `if points:\n    n = 1\n${DIST}`]
])('keeps %s', (_, code) => {
  expect(clean(code)).toEqual({ code, leftOut: '' });
});

it('leaves nothing of an answer that only repeats the checks', () => {
  expect(clean(`import re\n\n${CHECKS}`).code).toBe('');
});

it('keeps examples where the task asks for output, or the checks read more', () => {
  const code = `${DIST}\nprint(dist([1]))`;
  for (const parts of [
    { prompt: 'Write dist and print dist([1]).' },
    { needs: ['dist', 'total'] },
    { needs: [] }
  ]) {
    expect(clean(code, parts).code).toBe(code);
  }
});

it('keeps what the cell shows itself', () => {
  const cell = `def dist(points):\n    pass\n\nprint( dist([1]) )  # so far`;
  expect(clean(`${DIST}\nprint(dist([1]))\ndist([2])`, { cell })).toEqual({
    code: `${DIST}\nprint(dist([1]))`,
    leftOut: '1 example'
  });
});

it('keeps tests that the task asks for', () => {
  const code = `${DIST}\ndef test_dist():\n    assert dist([1]) == 1\ntest_dist()`;
  expect(clean(code, { prompt: 'Write dist and a test.' }).code).toContain(
    'def test_dist'
  );
});

it('keeps a statement that the checks make too where the cell is to make it', () => {
  expect(clean('D = dist(points)\nx = 1', { needs: ['D'] }).leftOut).toBe('');
});

it('is done while an answer is read, and said', () => {
  const answer = (language: string) =>
    parseAnswer(`\`\`\`${language}\n${DIST}\nassert dist([]) == 0\n\`\`\`\n`, {
      language,
      kind: 'code',
      needs: ['dist'],
      around: { checks: [CHECKS], above: [], cell: '', prompt: '' }
    });
  expect(answer('python')).toMatchObject({
    code: DIST,
    leftOut: '1 pasted check'
  });
  expect(answer('julia')).not.toHaveProperty('leftOut');
});

it.each([
  ['a pasted check', `${DIST}\n\n# Checks\nD = dist(points)\n`, true],
  ['a demonstration', `${DIST}\nprint(dist(points))\n`, true],
  ['a check before the target', `assert dist([]) == 0\n`, false],
  ['the target', `${DIST}\n`, false],
  ['more definitions', `${DIST}\nassert dist([]) == 0\ndef g():\n`, false]
])('is seen while it is written: %s', (_, code, isComplete) => {
  const parser = new AnswerParser({
    language: 'python',
    kind: 'code',
    needs: ['dist'],
    around: AROUND
  });
  parser.push('```python\n' + code);
  expect(parser.isComplete).toBe(isComplete);
});

it.each(['``', 'prin', 'x ='])(
  'leaves out what is no whole line below: %s',
  line => {
    const { code } = parseAnswer(
      `\`\`\`python\n${DIST}\nassert dist([]) == 0\n${line}`,
      { language: 'python', kind: 'code', needs: ['dist'], around: AROUND }
    );
    expect(code).toBe(DIST);
  }
);

it('leaves no gap where a line was', () => {
  expect(clean(`import os\n\npoints = [1, 2]\n\n\n${DIST}`).code).toBe(
    `import os\n\n\n${DIST}`
  );
});
