/** @jest-environment node */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

const root = join(__dirname, '..', '..', '..');

/** Folders and files in code marks: `src/core/parse/`, `kernel/judge/judging.py`. */
function pathsIn(page: string): readonly string[] {
  const text = readFileSync(join(root, page), 'utf8');
  return [...text.matchAll(/`((?:\w[\w.-]*\/)+[\w.-]*)`/g)].map(
    ([, path]) => path
  );
}

it.each(['docs/contributing/where-a-bug-lives', 'ARCHITECTURE'])(
  '%s names folders and files that exist',
  name => {
    const paths = pathsIn(`${name}.md`);
    expect(paths.length).toBeGreaterThan(15);
    const missing = paths.filter(
      path =>
        ![`${root}`, `${root}/jupyterlab_refine`, `${root}/src`].some(from =>
          existsSync(join(from, path))
        )
    );
    expect(missing).toEqual([]);
  }
);

/** What the how-tos add. */
const ADDED =
  /^(src\/core\/(evaluators\/(__tests__\/)?short|feedback\/first|languages\/scala)|jupyterlab_refine\/providers\/quirks\/campus)\./;

it('no page names a file of this repository that does not exist', () => {
  const pages = ['.', 'docs', 'ui-tests'].flatMap(folder =>
    readdirSync(join(root, folder), { recursive: folder === 'docs' })
      .map(name => join(folder, String(name)))
      .filter(path => path.endsWith('.md'))
  );
  expect(pages.length).toBeGreaterThan(20);
  const missing = pages.flatMap(page =>
    pathsIn(page)
      .filter(path =>
        /^(src|jupyterlab_refine|tests|ui-tests|bench|scripts|docs|schema)\//.test(
          path
        )
      )
      .filter(path => !ADDED.test(path))
      .filter(path =>
        [root, join(root, dirname(page))].every(
          from => !existsSync(join(from, path))
        )
      )
      .map(path => `${page}: ${path}`)
  );
  expect(missing).toEqual([]);
});

/** Files below `folder` whose path matches, seen from the root. */
function files(folder: string, pattern: RegExp): readonly string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map(path => join(folder, path))
    .filter(path => pattern.test(path));
}

it.each([
  ['tests/kernel', ['kernel']],
  ['tests/server', ['', 'providers']]
])('a Python test in %s has one, too', (folder, rooms) => {
  const wrong = files(folder, /test_\w+\.py$/)
    .filter(path => !/_(story|docs)\.py$/.test(path))
    .filter(path => {
      const module = path
        .slice(folder.length + 1)
        .replace(/test_(\w+)\.py$/, '$1');
      const names = [`${module}.py`, join(dirname(module), '__init__.py')];
      const own = basename(module) === basename(dirname(module));
      return !rooms.some(room =>
        names
          .slice(0, own ? 2 : 1)
          .some(name => existsSync(join(root, 'jupyterlab_refine', room, name)))
      );
    });
  expect(wrong).toEqual([]);
});

it('the page on verdicts names modules of the kernel part that exist', () => {
  const known = files('jupyterlab_refine', /\.py$/);
  const page = readFileSync(join(root, 'docs/contributing/verdict.md'), 'utf8');
  const named = [...page.matchAll(/`([\w./]+\.py)`/g)].map(([, path]) =>
    path!.replace(/^\.\.\//, '')
  );
  expect(named.length).toBeGreaterThan(4);
  expect(
    named.filter(name => !known.some(path => path.endsWith(`/${name}`)))
  ).toEqual([]);
});
