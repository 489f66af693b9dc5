/** The results for a spreadsheet (CSV, of a check) and for continuous integration (JUnit). */
import {
  cellLabel,
  pointsNumber,
  pointsOf,
  type NotebookResult,
  type TargetResult
} from './results';
import { printable } from './screen';

const HEAD = [
  'notebook',
  'cell',
  'test',
  'status',
  'passed',
  'total',
  'points',
  'max_points',
  'kind',
  'reason',
  'confirmed'
] as const;

/** What is not named stays empty. */
type Row = Partial<Readonly<Record<(typeof HEAD)[number], string | number>>>;

/** A row for each test cell; one for a target without any, and for a notebook without targets. */
export function csvText(results: readonly NotebookResult[]): string {
  const rows = results.flatMap(({ path, targets, problem }): readonly Row[] =>
    targets.length > 0 || problem === null
      ? targets.flatMap(target =>
          targetRows(target).map(row => ({ notebook: path, ...row }))
        )
      : [{ notebook: path, status: problem.status, reason: problem.message }]
  );
  return [HEAD, ...rows.map(row => HEAD.map(name => row[name] ?? ''))]
    .map(cells => `${cells.map(cell => quoted(String(cell))).join(',')}\r\n`)
    .join('');
}

function targetRows(target: TargetResult): readonly Row[] {
  const { cellId: cell, status, assertions, holdouts, confirmed } = target;
  const kind = target.reason?.kind;
  const failure = status === 'passed' ? {} : { kind, reason: target.message };
  // A target without test cells is one test.
  const whole = {
    gradeId: '',
    cellId: cell,
    passed: assertions.passed + holdouts.passed,
    total: assertions.total + holdouts.total,
    maxPoints: null,
    unconfirmed: confirmed?.reasons[0]?.reason ?? null
  };
  const tests = target.tests.length > 0 ? target.tests : [whole];
  return tests.map(test => {
    const { gradeId, cellId, passed, total, unconfirmed } = test;
    const points = pointsOf(test);
    const isWhole = test === whole;
    const holds = isWhole ? status === 'passed' : passed === total && total > 0;
    const open = unconfirmed && { reason: `not confirmed: ${unconfirmed}` };
    const isKnown = isWhole ? confirmed !== null : passed > 0;
    return {
      cell,
      test: gradeId ?? cellId,
      status: holds ? 'passed' : status === 'passed' ? 'failed' : status,
      passed,
      total,
      points: points ? pointsNumber(points.score) : '',
      max_points: points ? pointsNumber(points.max) : '',
      ...(holds ? open : failure),
      confirmed: isKnown ? (unconfirmed === null ? 'yes' : 'no') : ''
    };
  });
}

/** What makes a formula of a text, also in full width, where a cell starts: some spreadsheets split at `;` and tabs. */
const FORMULA = /(^|[;\t\n])(\s*)(?=[=+\-@\uff1d\uff0b\uff0d\uff20])/g;

/** Quoted where it must be; an apostrophe stands before what a spreadsheet would take for a formula. */
function quoted(text: string): string {
  const plain = printable(text);
  const safe = /^-?[\d.]+$/.test(plain)
    ? plain
    : plain.replace(FORMULA, "$1$2'");
  return /[",\n\r]/.test(safe) ? `"${safe.replace(/"/g, '""')}"` : safe;
}

/** One suite for each notebook, one case for each target; one for a notebook without any that has a problem. */
export function junitText(
  command: 'run' | 'check',
  results: readonly NotebookResult[]
): string {
  const suites = results.flatMap(({ path, targets, problem }) => {
    const cases = targets.map(target => testCase(path, target));
    const statuses = targets.map(({ status }) => status);
    if (problem !== null && targets.length === 0) {
      const why = problem.message.split('\n')[0]!;
      cases.push([
        `    <testcase classname="${xml(path)}" name="notebook">`,
        `      <error type="${problem.status}" message="${xml(why)}"/>`,
        '    </testcase>'
      ]);
      statuses.push('error');
    }
    const failures = statuses.filter(status => status === 'failed').length;
    const passed = statuses.filter(status => status === 'passed').length;
    const errors = statuses.length - failures - passed;
    return [
      `  <testsuite name="${xml(path)}" tests="${cases.length}" failures="${failures}" errors="${errors}">`,
      ...cases.flat(),
      '  </testsuite>'
    ];
  });
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="jupyter refine ${command}">`,
    ...suites,
    '</testsuites>',
    ''
  ].join('\n');
}

function testCase(path: string, target: TargetResult): readonly string[] {
  const { status, reason, message: why, outcome } = target;
  const { kernelMs = 0, modelMs = 0 } = outcome ?? {};
  const seconds = ((kernelMs + modelMs) / 1000).toFixed(3);
  const head = `    <testcase classname="${xml(path)}" name="${xml(cellLabel(target))}" time="${seconds}"`;
  const [open] = target.confirmed?.reasons ?? [];
  if (status === 'passed' && !open) {
    return [`${head}/>`];
  }
  const tag = status === 'failed' ? 'failure' : 'error';
  return [
    `${head}>`,
    status === 'passed'
      ? `      <system-out>not confirmed: ${xml(open!.reason)}</system-out>`
      : `      <${tag} type="${reason?.kind ?? status}" message="${xml(why)}"/>`,
    '    </testcase>'
  ];
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\n': '&#10;',
  '\t': '&#9;'
};

function xml(text: string): string {
  // Lone surrogates and the two non-characters are no XML.
  return printable(text)
    .replace(/[\ufffe\uffff]|\p{Cs}/gu, '\ufffd')
    .replace(/[&<>"\n\t]/g, found => ENTITIES[found] ?? found);
}
