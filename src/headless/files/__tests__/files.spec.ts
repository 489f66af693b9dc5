/** @jest-environment node */
import * as fc from 'fast-check';
import type { NotebookContent } from '../../../notebook';
import { NotebookText } from '../notebookFile';
import { checkWritable, distinctFiles, writeWhole } from '../wholeFile';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

describe('wholeFile', () => {
  const readNotebook = (path: string) => NotebookText.read(path).notebook;

  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'refine-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('leaves nothing behind when it cannot write', () => {
    const path = join(folder, 'taken');
    mkdirSync(path);
    expect(() => writeWhole(path, 'x')).toThrow(`${path} cannot be written: `);
    expect(readdirSync(folder)).toEqual(['taken']);
  });

  it.each([
    ['{', 'is not a notebook: SyntaxError'],
    ['[]', 'is not a notebook: '],
    ['{"cells": []}', 'is not a notebook: nbformat: '],
    ['{"nbformat": 4}', 'is not a notebook: metadata: '],
    ['{"nbformat": 4, "cells": []}', 'is not a notebook: metadata: '],
    [
      '{"nbformat": 4, "metadata": {}, "cells": [{"cell_type": "code"}]}',
      'is not a notebook: cells.0.source: '
    ],
    ['{"nbformat": 3, "worksheets": []}', 'Notebook format 3 cannot be read']
  ])('refuses %s', (text, message) => {
    const path = join(folder, 'n.ipynb');
    writeFileSync(path, text);
    expect(() => readNotebook(path)).toThrow(message);
    expect(() => readNotebook(path)).toThrow(path);
  });

  it.each([
    ['a folder', () => folder],
    [
      'a name that leaves no room for the file beside it',
      () => join(folder, `${'n'.repeat(245)}.ipynb`)
    ]
  ])('knows before a run that %s cannot be written', (_, path) => {
    expect(() => checkWritable(path())).toThrow(
      expect.objectContaining({
        kind: 'input',
        message: expect.stringContaining(`${path()} cannot be written: `)
      })
    );
  });

  it('changes no file that can be written, and creates none', () => {
    const path = join(folder, 'n.ipynb');
    checkWritable(path);
    expect(readdirSync(folder)).toEqual([]);
    writeFileSync(path, 'as it was');
    checkWritable(path);
    expect(readFileSync(path, 'utf8')).toBe('as it was');
    expect(readdirSync(folder)).toEqual(['n.ipynb']);
  });

  it('takes a file once, however its path is written', () => {
    const path = join(folder, 'n.ipynb');
    writeFileSync(path, '{}');
    const link = join(folder, 'link.ipynb');
    symlinkSync(path, link);
    const other = join(folder, '.', 'x', '..', 'missing.ipynb');
    expect(
      distinctFiles([link, path, `${folder}/./n.ipynb`, 'no.ipynb', other])
    ).toEqual([link, 'no.ipynb', other]);
  });
});

describe('notebookFile', () => {
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
    value => `\n${JSON.stringify(value, null, 2)}\n\n`
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

  it('keeps the NaN that Python writes', () => {
    const cell =
      '{"cell_type": "code", "id": "a", "source": "", "metadata": {}}';
    const video = 'A'.repeat(12_000_000);
    const given = read(
      `{"nbformat": 4, "metadata": {"x": NaN, "v": "${video}"}, "cells": [${cell}]}`
    );
    const cells = [{ ...given.notebook.cells[0]!, source: 'NaN' }];
    const after = given.changedTo({ ...given.notebook, cells });
    expect(after).toContain('{"x": NaN,');
    expect(after).toContain('"source":"NaN"');
  });
});
