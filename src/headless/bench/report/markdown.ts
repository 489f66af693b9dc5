/** The report as Markdown: what the command prints. */
import { printable } from '../../report/text';
import type { Report, Table } from './rows';

export function markdownReport({ title, about, tables }: Report): string {
  return [
    `# ${escaped(title)}`,
    about.map(escaped).join(' '),
    ...tables.map(markdownTable)
  ].join('\n\n');
}

export function markdownTable({ title, head, rows }: Table): string {
  const all = [head, ...rows].map(row => row.map(escaped));
  const widths = head.map((_, at) =>
    Math.max(3, ...all.map(row => row[at]?.length ?? 0))
  );
  const line = (row: readonly string[]) =>
    `| ${widths
      .map((width, at) =>
        at === 0
          ? (row[at] ?? '').padEnd(width)
          : (row[at] ?? '').padStart(width)
      )
      .join(' | ')} |`;
  const rule = widths.map((width, at) =>
    at === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`
  );
  const [first = [], ...others] = all;
  return [
    `## ${escaped(title)}`,
    '',
    line(first),
    line(rule),
    ...others.map(line)
  ].join('\n');
}

/** A model's name cannot end a cell or start a link. */
function escaped(text: string): string {
  return printable(text)
    .replace(/\s+/g, ' ')
    .replace(/[\\|[\]<>`]/g, '\\$&');
}
