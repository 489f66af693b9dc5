/** The figures of a run of all benchmarks beside what they are to reach, as Markdown. */
import { existsSync, readFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';

/**
 * What each figure is, where it comes from, and what it is to reach (null: nothing).
 *
 * `of`: a figure, or what gives one of the figures of a file.
 */
const ROWS = [
  ['Notebooks of 5 targets, 2 workers', 'grading', 'check / nbclient', 0.25],
  [
    'Notebooks of 5 targets, against nbgrader autograde',
    'grading',
    'check / nbgrader autograde',
    null
  ],
  ['Rows that are wrong', 'grading', 'rows that are wrong', 0],
  ['Until the first row of check, s', 'grading', 'until the first row, s', 1],
  [
    'A target of 1,000 in a notebook, against one of 100',
    'grading',
    figures =>
      figures['ms a target, 1000 in one notebook'] /
      figures['ms a target, 100 in one notebook'],
    null
  ],
  ['Loop, ms an attempt', 'loop', 'loop, ms an attempt', 1],
  ['Loop, CPU ms an attempt', 'loop', 'loop, CPU ms an attempt', null],
  [
    'Failing attempt against IPython’s traceback',
    'kernel',
    ({ rows }) =>
      p50(rows, 'failing attempt, warm') / p50(rows, 'failing cell'),
    0.75
  ],
  [
    'Token from the wire to the panel, p95, ms',
    'token',
    'from the wire to the panel, p95, ms',
    5
  ]
];

function p50(rows, start) {
  return rows.find(
    ({ kernel, kind }) => kernel === 'small kernel' && kind.startsWith(start)
  )?.p50;
}

/** @param {string} folder Where the benchmarks have left their figures. */
export function resultsOf(folder) {
  const lines = ROWS.map(([what, name, of, most]) => {
    const file = join(folder, `${name}.json`);
    const figures = existsSync(file)
      ? JSON.parse(readFileSync(file, 'utf8'))
      : null;
    const value =
      figures === null
        ? undefined
        : typeof of === 'string'
          ? figures[of]
          : of(figures);
    return [
      what,
      number(value),
      most === null ? '' : `<= ${most}`,
      value === undefined || most === null
        ? ''
        : value <= most
          ? 'yes'
          : '**no**'
    ];
  });
  const date = new Date().toISOString().slice(0, 10);
  return `# Results of the benchmarks

${date}, load ${loadavg()[0].toFixed(1)}. Written by \`make bench\` to \`.make/bench/\`. Figures with a peer are ratios: the time here over that of the peer in
the same run.

${table([['What', 'Here', 'To reach', 'Reached'], ...lines])}
`;
}

function number(value) {
  return value === undefined || Number.isNaN(value)
    ? 'not run'
    : Number.isInteger(value)
      ? String(value)
      : value.toFixed(2);
}

function table(rows) {
  const widths = rows[0].map((_, at) =>
    Math.max(...rows.map(row => row[at].length), 3)
  );
  const line = row =>
    `| ${row.map((cell, at) => (at === 0 ? cell.padEnd(widths[at]) : cell.padStart(widths[at]))).join(' | ')} |`;
  const rule = widths.map((width, at) =>
    at === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`
  );
  return [line(rows[0]), line(rule), ...rows.slice(1).map(line)].join('\n');
}
