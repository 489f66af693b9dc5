/** The plots of the page, as SVG without a script: a mark and its interval for each run. */
import { html } from '../../report/html';
import type { Comparison } from '../compare';
import type { Estimate } from '../statistics';
import type { Summary } from '../summary';
import { kindText } from './rows';

const WIDTH = 640;
const HEIGHT = 280;
const LEFT = 48;
const BOTTOM = 40;
/** Room for the legend, and for the number on the highest bar. */
const TOP = 44;
const RIGHT = 16;
/** Room for the names of horizontal bars. */
const NAMES = 210;
const BAR = 18;

/** Share of the tasks that are solved within 1, 2, … attempts. */
export function solvedPlot(summaries: readonly Summary[]): string {
  const most = Math.max(
    ...summaries.map(({ solvedWithin }) => solvedWithin.length)
  );
  const x = (attempt: number, run: number) =>
    LEFT +
    ((attempt + 0.5) * (WIDTH - LEFT - RIGHT)) / most +
    (run - (summaries.length - 1) / 2) * 8;
  const y = (share: number) => TOP + (1 - share) * (HEIGHT - TOP - BOTTOM);
  const marks = summaries.map(({ solvedWithin }, run) => {
    const points = solvedWithin.flatMap((share, at) =>
      share ? [{ share, at }] : []
    );
    const path = points.map(
      ({ share, at }, i) =>
        `${i === 0 ? 'M' : 'L'}${fixed(x(at, run))} ${fixed(y(share.value))}`
    );
    return `<g class="s${run % 6}"><path class="line" d="${path.join(' ')}"/>${points
      .map(
        ({ share, at }) =>
          `<line x1="${fixed(x(at, run))}" x2="${fixed(x(at, run))}" y1="${fixed(y(share.low))}" y2="${fixed(y(share.high))}"/><circle cx="${fixed(x(at, run))}" cy="${fixed(y(share.value))}" r="4"/>`
      )
      .join('')}</g>`;
  });
  return figure(
    'Solved within k attempts',
    'Share of tasks that are solved within k attempts, with intervals',
    HEIGHT,
    [...shareAxis(y), ...attemptAxis(most), ...marks, ...legend(summaries)]
  );
}

/** Tasks by the attempt that solved them. */
export function histogramPlot(summaries: readonly Summary[]): string {
  const columns =
    Math.max(...summaries.map(({ histogram }) => histogram.length)) + 1;
  const counts = summaries.map(({ histogram, unsolved }) => [
    ...Array.from({ length: columns - 1 }, (_, at) => histogram[at] ?? 0),
    unsolved
  ]);
  const most = Math.max(1, ...counts.flat());
  const room = (WIDTH - LEFT - RIGHT) / columns;
  const bar = (room - 12) / summaries.length;
  const y = (count: number) =>
    TOP + (1 - count / most) * (HEIGHT - TOP - BOTTOM);
  return figure(
    'Tasks by number of attempts',
    'Number of tasks that each attempt solved, and of those not solved',
    HEIGHT,
    [
      ...Array.from({ length: columns }, (_, at) =>
        label(
          LEFT + (at + 0.5) * room,
          HEIGHT - BOTTOM + 18,
          at === columns - 1 ? 'not solved' : String(at + 1)
        )
      ),
      axis(),
      ...counts.map(
        (all, run) =>
          `<g class="s${run % 6}">${all
            .map((count, at) => {
              const left = LEFT + at * room + 6 + run * bar;
              return `<rect x="${fixed(left)}" y="${fixed(y(count))}" width="${fixed(Math.max(1, bar - 2))}" height="${fixed(HEIGHT - BOTTOM - y(count))}"/>${label(left + bar / 2, y(count) - 5, String(count))}`;
            })
            .join('')}</g>`
      ),
      ...legend(summaries)
    ]
  );
}

/** Failed attempts by kind. */
export function failurePlot(summaries: readonly Summary[]): string {
  const kinds = [
    ...new Set(
      summaries.flatMap(({ failures }) => failures.map(({ kind }) => kind))
    )
  ];
  if (kinds.length === 0) {
    return '';
  }
  const count = (summary: Summary, kind: string) =>
    summary.failures.find(one => one.kind === kind)?.attempts ?? 0;
  const most = Math.max(
    1,
    ...summaries.flatMap(one => kinds.map(kind => count(one, kind)))
  );
  const room = BAR * summaries.length + 10;
  const height = TOP + kinds.length * room + 8;
  const scale = (WIDTH - NAMES - 60) / most;
  return figure('Failed attempts', 'Failed attempts by kind', height, [
    ...kinds.flatMap((kind, row) => [
      label(NAMES - 8, TOP + row * room + room / 2, kindText(kind), 'end'),
      ...summaries.map((summary, run) => {
        const value = count(summary, kind);
        const top = TOP + row * room + run * BAR;
        const wide = value * scale;
        return `<g class="s${run % 6}"><rect x="${NAMES}" y="${top + 1}" width="${fixed(wide)}" height="${BAR - 2}"/>${label(NAMES + wide + 6, top + BAR - 5, String(value), 'start')}</g>`;
      })
    ]),
    ...legend(summaries)
  ]);
}

/** Differences in solved tasks, in points, with their intervals. */
export function differencePlot(comparisons: readonly Comparison[]): string {
  const shown = comparisons.flatMap(one =>
    one.solved === null ? [] : [{ one, solved: one.solved }]
  );
  if (shown.length === 0) {
    return '';
  }
  const reach = Math.max(
    0.05,
    ...shown.flatMap(({ solved }) => [
      Math.abs(solved.low),
      Math.abs(solved.high)
    ])
  );
  const room = 44;
  const height = TOP + shown.length * room + BOTTOM;
  const x = (value: number) =>
    LEFT + ((value / reach + 1) / 2) * (WIDTH - 2 * LEFT);
  const ticks = [-reach, 0, reach];
  return figure(
    'Difference in solved tasks, points',
    'Difference in the share of solved tasks, with intervals',
    height,
    [
      `<line class="axis" x1="${fixed(x(0))}" x2="${fixed(x(0))}" y1="${TOP}" y2="${height - BOTTOM}"/>`,
      ...ticks.map(tick =>
        label(
          x(tick),
          height - BOTTOM + 18,
          (100 * tick).toFixed(1).replace('-', '−')
        )
      ),
      ...shown.map(({ one, solved }, row) => {
        const middle = TOP + (row + 0.7) * room;
        return `<g class="s0">${label(0, middle - 16, `${one.b} − ${one.a}`, 'start')}<line x1="${fixed(x(solved.low))}" x2="${fixed(x(solved.high))}" y1="${middle}" y2="${middle}"/><circle cx="${fixed(x(solved.value))}" cy="${middle}" r="4"/></g>`;
      })
    ]
  );
}

function shareAxis(y: (share: number) => number): readonly string[] {
  return [
    axis(),
    ...[0, 0.25, 0.5, 0.75, 1].flatMap((share: Estimate['value']) => [
      `<line class="grid" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${fixed(y(share))}" y2="${fixed(y(share))}"/>`,
      label(LEFT - 6, y(share) + 4, `${100 * share} %`, 'end')
    ])
  ];
}

function attemptAxis(most: number): readonly string[] {
  const room = (WIDTH - LEFT - RIGHT) / most;
  const step = Math.ceil(most / 20);
  return Array.from({ length: most }, (_, at) =>
    at % step === 0
      ? label(LEFT + (at + 0.5) * room, HEIGHT - BOTTOM + 18, String(at + 1))
      : ''
  );
}

function axis(): string {
  return `<line class="axis" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${HEIGHT - BOTTOM}" y2="${HEIGHT - BOTTOM}"/>`;
}

/** Nothing for one run. */
function legend(summaries: readonly Summary[]): readonly string[] {
  if (summaries.length < 2) {
    return [];
  }
  const room = (WIDTH - LEFT) / summaries.length;
  return summaries.map(
    ({ label: name }, run) =>
      `<g class="s${run % 6}"><rect x="${fixed(LEFT + run * room)}" y="6" width="10" height="10"/>${label(LEFT + run * room + 16, 15, name, 'start')}</g>`
  );
}

function label(
  x: number,
  y: number,
  text: string,
  anchor: 'start' | 'middle' | 'end' = 'middle'
): string {
  return `<text x="${fixed(x)}" y="${fixed(y)}" text-anchor="${anchor}">${html(text)}</text>`;
}

function figure(
  title: string,
  description: string,
  height: number,
  parts: readonly string[]
): string {
  return `<figure><figcaption>${html(title)}</figcaption><svg viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${html(description)}">${parts.join('')}</svg></figure>`;
}

function fixed(value: number): string {
  return String(Number(value.toFixed(1)));
}
