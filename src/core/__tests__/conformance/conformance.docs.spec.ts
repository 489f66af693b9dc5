import { readFileSync } from 'fs';
import { resolve } from 'path';
import { DIFFERENCES } from './conformanceRuns';

it('docs/conformance.md lists each difference with its reason', () => {
  const text = readFileSync(
    resolve(__dirname, '../../../../docs/conformance.md'),
    'utf8'
  );
  const written: Record<string, unknown> = {};
  let why = '';
  for (const line of text.split('\n')) {
    why = /^### (.*)$/.exec(line)?.[1] ?? why;
    const row = /^\| `(.*?)` +\| (.*?) +\| (.*?) +\|$/.exec(line);
    if (row) {
      written[row[1]] = { why, theirs: row[2], ours: row[3] };
    }
  }
  expect(written).toEqual(DIFFERENCES);
});
