/** @jest-environment node */
import { certainLanguage, notebookLanguage } from '../cells';

const notebook = (metadata: object) => ({
  nbformat: 4,
  nbformat_minor: 5,
  metadata: { ...metadata },
  cells: []
});

it.each([
  [{}, 'python'],
  [{ language_info: { name: 'R' } }, 'r'],
  [{ kernelspec: { language: 'R' } }, 'r'],
  [{ kernelspec: { language: 'R' }, language_info: { name: 'r' } }, 'r']
])('of %j is %s', (metadata, language) => {
  expect(notebookLanguage(notebook(metadata))).toBe(language);
  expect(certainLanguage(notebook(metadata))).toBe(language);
});

it('is uncertain where specification and last kernel disagree', () => {
  const stale = {
    kernelspec: { language: 'R' },
    language_info: { name: 'python' }
  };
  expect(certainLanguage(notebook(stale))).toBeNull();
});
