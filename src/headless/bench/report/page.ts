/** The report as one page, with its plots: no script, and nothing from elsewhere. */
import { html } from '../../report/html';
import type { BenchReport, TaskResult } from '../results';
import {
  differencePlot,
  failurePlot,
  histogramPlot,
  solvedPlot
} from './plots';
import { kindText, type Report, type Table } from './rows';

export function pageOf(
  { title, about, summaries, comparisons, tables }: Report,
  { runs, version }: BenchReport
): string {
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${html(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>${html(title)}</h1>
<p>${about.map(html).join(' ')}</p>
<div class="plots">
${[
  solvedPlot(summaries),
  histogramPlot(summaries),
  failurePlot(summaries),
  differencePlot(comparisons)
].join('\n')}
</div>
${tables.map(htmlTable).join('\n')}
<h2>Tasks</h2>
${runs.map(({ label, tasks }) => tasksTable(label, tasks)).join('\n')}
<footer>jupyter refine bench ${html(version)}</footer>
</body>
</html>
`;
}

function htmlTable({ title, head, rows }: Table): string {
  const cells = ([first = '', ...others]: readonly string[]) =>
    `<tr><th scope="row">${html(first)}</th>${others.map(text => `<td>${html(text)}</td>`).join('')}</tr>`;
  return `<h2>${html(title)}</h2>
<div class="wide"><table>
<thead><tr>${head.map(text => `<th scope="col">${html(text)}</th>`).join('')}</tr></thead>
<tbody>
${rows.map(cells).join('\n')}
</tbody>
</table></div>`;
}

function tasksTable(label: string, tasks: readonly TaskResult[]): string {
  const rows = tasks.map(task => {
    const { solvedBy, attempts, error, failures } = task;
    const last = failures.filter(failure => failure !== null).at(-1);
    const became =
      error !== null
        ? `no result: ${error}`
        : solvedBy !== null
          ? `solved by attempt ${solvedBy}`
          : `not solved in ${attempts}`;
    const why = last ? `${kindText(last.kind)}: ${last.message}` : '';
    return `<tr><th scope="row">${html(task.task)}</th><td class="${solvedBy === null ? 'bad' : 'good'}">${html(became)}</td><td>${html(why)}</td></tr>`;
  });
  return `<details><summary>${html(label || 'All tasks')}</summary><div class="wide"><table>
<thead><tr><th scope="col">Task</th><th scope="col">Result</th><th scope="col">Last failure</th></tr></thead>
<tbody>
${rows.join('\n')}
</tbody>
</table></div></details>`;
}

/** The colours differ in lightness too. */
const STYLE = `
:root { color-scheme: light dark; font: 15px/1.4 system-ui, sans-serif; }
body { margin: 2rem auto; max-width: 84rem; padding: 0 1rem; }
.plots { display: grid; gap: 1.5rem; grid-template-columns: repeat(auto-fit, minmax(min(30rem, 100%), 1fr)); }
figure { margin: 0; }
figcaption { font-weight: 600; }
svg { width: 100%; height: auto; font-size: 12px; }
svg text { fill: currentColor; }
svg line, .line { stroke: var(--own); stroke-width: 2; fill: none; }
svg rect, svg circle { fill: var(--own); }
svg .axis { stroke: currentColor; stroke-width: 1; }
svg .grid { stroke: #8884; stroke-width: 1; }
.s0 { --own: light-dark(#1f5fbf, #7db2ff); }
.s1 { --own: light-dark(#b3500b, #ffab66); }
.s2 { --own: light-dark(#1b7a3d, #6fdd8b); }
.s3 { --own: light-dark(#8a2b91, #e29bea); }
.s4 { --own: light-dark(#6b5b00, #e0cf5a); }
.s5 { --own: light-dark(#8f1d33, #ff9caf); }
.wide { overflow-x: auto; }
table { border-collapse: collapse; }
th, td { border: 1px solid #8886; padding: 0.3rem 0.6rem; text-align: left; vertical-align: top; }
td { font-variant-numeric: tabular-nums; }
.good { color: light-dark(#0a6b2d, #6fdd8b); }
.bad { color: light-dark(#a3140f, #ff9c94); }
footer { margin-top: 2rem; opacity: 0.7; }
`;
