/** The results for a spreadsheet (CSV, of a check) and for continuous integration (JUnit). */
import {
  cellLabel,
  pointsNumber,
  pointsOf,
  type NotebookResult,
  type TargetResult,
  type TestResult
} from './results';
import { printable } from './text';

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
];

/** A row for each test cell; one for a target without any, and for a notebook without targets. */
export function csvText(results: readonly NotebookResult[]): string {
  const rows = results.flatMap(result => {
    const { path, targets, problem } = result;
    return targets.length > 0 || problem === null
      ? targets.flatMap(target => targetRows(path, target))
      : [
          row(
            path,
            '',
            '',
            problem.status,
            ['', '', '', ''],
            { kind: '', message: problem.message },
            ''
          )
        ];
  });
  return [HEAD, ...rows]
    .map(cells => `${cells.map(quoted).join(',')}\r\n`)
    .join('');
}

type Cells = readonly string[];

function row(
  path: string,
  cell: string,
  test: string,
  status: string,
  numbers: Cells,
  reason: { readonly kind: string; readonly message: string } | null,
  confirmed: '' | 'yes' | 'no'
): Cells {
  const { kind, message } = reason ?? { kind: '', message: '' };
  return [path, cell, test, status, ...numbers, kind, message, confirmed];
}

/** Of a test of which something holds; a reason where it is not confirmed. */
function notConfirmed(reason: string) {
  return { kind: '', message: `not confirmed: ${reason}` };
}

function targetRows(path: string, target: TargetResult): readonly Cells[] {
  const { cellId, status, tests, reason, assertions, holdouts } = target;
  if (tests.length === 0) {
    const passed = assertions.passed + holdouts.passed;
    const total = assertions.total + holdouts.total;
    const numbers = [String(passed), String(total), '', ''];
    const [open] = target.confirmed?.reasons ?? [];
    return [
      row(
        path,
        cellId,
        '',
        status,
        numbers,
        reason ?? (open ? notConfirmed(open.reason) : null),
        target.confirmed ? (open ? 'no' : 'yes') : ''
      )
    ];
  }
  return tests.map(test => {
    const points = pointsOf(test);
    const holds = test.passed === test.total && test.total > 0;
    const numbers = [
      String(test.passed),
      String(test.total),
      points ? pointsNumber(points.score) : '',
      points ? pointsNumber(points.max) : ''
    ];
    return row(
      path,
      cellId,
      nameOf(test),
      holds ? 'passed' : status === 'passed' ? 'failed' : status,
      numbers,
      holds
        ? test.unconfirmed === null
          ? null
          : notConfirmed(test.unconfirmed)
        : reason,
      test.passed === 0 ? '' : test.unconfirmed === null ? 'yes' : 'no'
    );
  });
}

function nameOf({ gradeId, cellId }: TestResult): string {
  return gradeId ?? cellId;
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

/** One suite for each notebook, one case for each target. */
export function junitText(
  command: 'run' | 'check',
  results: readonly NotebookResult[]
): string {
  const suites = results.map(({ path, targets, problem }) => {
    const cases = targets.map(target => testCase(path, target));
    const own =
      problem !== null && targets.length === 0
        ? [
            `    <testcase classname="${xml(path)}" name="notebook">`,
            `      <error type="${problem.status}" message="${xml(problem.message.split('\n')[0] ?? '')}"/>`,
            '    </testcase>'
          ]
        : [];
    const failures = targets.filter(({ status }) => status === 'failed').length;
    const errors =
      targets.filter(({ status }) => !['passed', 'failed'].includes(status))
        .length + (own.length > 0 ? 1 : 0);
    const count = cases.length + (own.length > 0 ? 1 : 0);
    return [
      `  <testsuite name="${xml(path)}" tests="${count}" failures="${failures}" errors="${errors}">`,
      ...cases.flat(),
      ...own,
      '  </testsuite>'
    ];
  });
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="jupyter refine ${command}">`,
    ...suites.flat(),
    '</testsuites>',
    ''
  ].join('\n');
}

function testCase(path: string, target: TargetResult): readonly string[] {
  const { status, reason, message, outcome } = target;
  const { kernelMs = 0, modelMs = 0 } = outcome ?? {};
  const seconds = ((kernelMs + modelMs) / 1000).toFixed(3);
  const head = `    <testcase classname="${xml(path)}" name="${xml(cellLabel(target))}" time="${seconds}"`;
  if (status === 'passed') {
    const [open] = target.confirmed?.reasons ?? [];
    return open
      ? [
          `${head}>`,
          `      <system-out>not confirmed: ${xml(open.reason)}</system-out>`,
          '    </testcase>'
        ]
      : [`${head}/>`];
  }
  const tag = status === 'failed' ? 'failure' : 'error';
  const why = reason?.message ?? message;
  return [
    `${head}>`,
    `      <${tag} type="${reason?.kind ?? status}" message="${xml(why)}"/>`,
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
