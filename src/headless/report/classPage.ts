/** The results of a check as one page for people: a table of all notebooks, and what each target cost the class. */
import { html } from './html';
import { pointsNumber, pointsOfTarget, sum, type Points } from './points';
import type { NotebookResult, TargetResult } from './results';

type Row = { readonly path: string; readonly target: TargetResult };

/** No script, and nothing from elsewhere. */
export function classPage(
  results: readonly NotebookResult[],
  partial: boolean,
  version: string
): string {
  const byTarget = new Map<string, Row[]>();
  for (const { path, targets } of results) {
    for (const target of targets) {
      const rows = byTarget.get(nameOf(target)) ?? [];
      byTarget.set(nameOf(target), [...rows, { path, target }]);
    }
  }
  const names = [...byTarget.keys()];
  const all = [...byTarget.values()].flat();
  const passed = all.filter(({ target }) => isPassed(target)).length;
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Results of ${results.length} notebooks</title>
<style>${STYLE}</style>
</head>
<body>
<h1>Results</h1>
<p>${count(results.length, 'notebook')}, ${count(names.length, 'target')}. ${share(passed, all.length)} of all targets passed.</p>
<h2>Targets</h2>
<table>
<thead><tr><th scope="col">Target</th><th scope="col">Passed</th><th scope="col">Mean points</th><th scope="col">Why not</th></tr></thead>
<tbody>
${names.map(name => targetRow(name, byTarget.get(name) ?? [], partial)).join('\n')}
</tbody>
</table>
<h2>Notebooks</h2>
<table>
<thead><tr><th scope="col">Notebook</th>${names.map(name => `<th scope="col">${html(name)}</th>`).join('')}<th scope="col">Points</th></tr></thead>
<tbody>
${results.map(result => notebookRow(result, names, partial)).join('\n')}
</tbody>
</table>
<footer>jupyter refine check ${html(version)}</footer>
</body>
</html>
`;
}

function targetRow(
  name: string,
  rows: readonly Row[],
  partial: boolean
): string {
  const passed = rows.filter(({ target }) => isPassed(target)).length;
  const points = rows.map(({ target }) => pointsOfTarget(target, partial));
  const kinds = new Map<string, number>();
  for (const { target } of rows) {
    if (!isPassed(target)) {
      const kind = target.reason?.kind ?? target.status;
      kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    }
  }
  const why = [...kinds]
    .sort(([, a], [, b]) => b - a)
    .map(([kind, times]) => `${times} × ${html(kind)}`);
  return `<tr><th scope="row">${html(name)}</th><td>${share(passed, rows.length)} <meter min="0" max="${rows.length}" value="${passed}"></meter></td><td>${mean(points)}</td><td>${why.join(', ')}</td></tr>`;
}

function notebookRow(
  result: NotebookResult,
  names: readonly string[],
  partial: boolean
): string {
  const { path, targets, problem } = result;
  const cells = names.map(name => {
    const target = targets.find(one => nameOf(one) === name);
    if (!target) {
      return '<td>–</td>';
    }
    const why = target.reason?.message ?? target.message;
    return isPassed(target)
      ? '<td class="good">passed</td>'
      : `<td class="bad"><details><summary>${html(target.reason?.kind ?? target.status)}</summary>${html(why)}</details></td>`;
  });
  const points = sum(targets.map(target => pointsOfTarget(target, partial)));
  const said = problem
    ? `<br><small>${html(problem.message.split('\n')[0] ?? '')}</small>`
    : '';
  const shown = points
    ? `${pointsNumber(points.score)} of ${pointsNumber(points.max)}`
    : '';
  return `<tr><th scope="row">${html(path)}${said}</th>${cells.join('')}<td>${shown}</td></tr>`;
}

/** The same target in all notebooks of a class: by nbgrader's id of its first test, else by its cell. */
function nameOf({ tests, cellId }: TargetResult): string {
  return tests.find(({ gradeId }) => gradeId !== null)?.gradeId ?? cellId;
}

function isPassed({ status }: TargetResult): boolean {
  return status === 'passed';
}

function mean(points: readonly (Points | null)[]): string {
  const given = points.filter(one => one !== null);
  const total = given.reduce((points, { score }) => points + score, 0);
  const max = given.reduce((most, one) => Math.max(most, one.max), 0);
  return given.length === 0
    ? ''
    : `${pointsNumber(total / given.length)} of ${pointsNumber(max)}`;
}

/** `2 of 3 (67 %)` */
function share(part: number, all: number): string {
  const percent = all === 0 ? 0 : Math.round((100 * part) / all);
  return `${part} of ${all} (${percent} %)`;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

const STYLE = `
:root { color-scheme: light dark; font: 15px/1.4 system-ui, sans-serif; }
body { margin: 2rem auto; max-width: 72rem; padding: 0 1rem; }
table { border-collapse: collapse; }
th, td { border: 1px solid #8886; padding: 0.3rem 0.6rem; text-align: left; vertical-align: top; }
.good { color: light-dark(#0a6b2d, #6fdd8b); }
.bad { color: light-dark(#a3140f, #ff9c94); }
details { max-width: 24rem; overflow-wrap: anywhere; }
footer { margin-top: 2rem; opacity: 0.7; }
`;
