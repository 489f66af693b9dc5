/** @jest-environment node */
import {
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
  chmodSync,
  lstatSync,
  mkdirSync
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkWritable, distinctFiles, writeWhole } from '../wholeFile';
import { NotebookText } from '../notebookText';

const readNotebook = (path: string) => NotebookText.read(path).notebook;

const notebook = {
  nbformat: 4,
  nbformat_minor: 5,
  metadata: { é: 1 },
  cells: []
};
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'refine-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

it('keeps the permissions and the link of what it replaces', () => {
  const path = join(folder, 'n.ipynb');
  writeFileSync(path, '{}');
  chmodSync(path, 0o600);
  const link = join(folder, 'link.ipynb');
  symlinkSync(path, link);
  writeWhole(link, JSON.stringify(notebook));
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(lstatSync(link).isSymbolicLink()).toBe(true);
  expect(readNotebook(path)).toEqual(notebook);
});

it('leaves nothing behind when it cannot write', () => {
  const path = join(folder, 'taken');
  mkdirSync(path);
  expect(() => writeWhole(path, 'x')).toThrow(`${path} cannot be written: `);
  expect(readdirSync(folder)).toEqual(['taken']);
});

it.each([
  ['{', 'is not a notebook: it is not JSON.'],
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
  ['in no folder', () => join(folder, 'no', 'n.ipynb')],
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
