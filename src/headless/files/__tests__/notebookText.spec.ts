/** @jest-environment node */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import type { NotebookContent } from '../../../notebook';
import { NotebookText } from '../notebookText';

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'refine-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function read(text: string): NotebookText {
  const path = join(folder, 'n.ipynb');
  writeFileSync(path, text);
  return NotebookText.read(path);
}

/** JSON of a value in one of many layouts. */
const layouts = fc.constantFrom<(value: unknown) => string>(
  value => JSON.stringify(value),
  value => JSON.stringify(value, null, 1),
  value => `\uFEFF${JSON.stringify(value, null, 4)}\n`,
  value => JSON.stringify(value, null, '\t').replace(/\n/g, '\r\n'),
  value => `\n${JSON.stringify(value, null, 2).replace(/,\n/g, '\n,\n ')}\n\n`
);
const source = fc.string({ unit: fc.constantFrom('a', '"', '\\', '[', '}') });

it('keeps the bytes of all cells but those that change', () => {
  fc.assert(
    fc.property(
      fc.array(source, { minLength: 1, maxLength: 4 }),
      fc.jsonValue({ maxDepth: 2 }),
      fc.nat(),
      layouts,
      (sources, extra, at, layout) => {
        const cells = sources.map((text, n) => ({
          id: `c${n}`,
          cell_type: 'code',
          metadata: { extra },
          source: text
        }));
        const before = {
          cells,
          metadata: { cells: [extra] },
          nbformat: 4,
          nbformat_minor: 4
        };
        const text = layout(before);
        const given = read(text);
        expect(given.changedTo(given.notebook)).toBe(text);
        const place = at % cells.length;
        const added = { ...cells[place]!, id: 'new', source: ['x\n', extra] };
        const after = {
          ...before,
          nbformat_minor: 5,
          cells: [
            ...cells.slice(0, place),
            { ...cells[place]!, outputs: [extra] },
            added,
            ...cells.slice(place + 1)
          ]
        } as unknown as NotebookContent;
        const changed = given.changedTo(after);
        expect(JSON.parse(changed.replace(/^\uFEFF/, ''))).toEqual(
          JSON.parse(JSON.stringify(after))
        );
        const untouched = text.slice(0, text.indexOf(`"c${place}"`));
        expect(changed.startsWith(untouched)).toBe(true);
      }
    )
  );
});

it('names the line that is wrong', () => {
  expect(() => read('{\n"a": 1,\n}')).toThrow('See line 3.');
});
