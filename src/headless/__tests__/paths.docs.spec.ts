/** @jest-environment node */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(__dirname, '..', '..', '..');

/** Folders and files in code marks: `src/core/parse/`, `kernel/judge/judging.py`. */
function pathsIn(page: string): readonly string[] {
  const text = readFileSync(join(root, page), 'utf8');
  return [...text.matchAll(/`((?:\w[\w.-]*\/)+[\w.-]*)`/g)].map(
    ([, path]) => path
  );
}

it.each(['where-a-bug-lives', 'life-of-an-attempt'])(
  '%s names folders and files that exist',
  name => {
    const paths = pathsIn(`docs/contributing/${name}.md`);
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
