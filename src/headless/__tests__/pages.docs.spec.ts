/**
 * The document of the patterns says what the presets are, and its examples can be used as they stand.
 *
 * @jest-environment node
 */
import { readFileSync, existsSync, readdirSync } from 'node:fs';
import { resolve, basename, dirname, join } from 'node:path';
import { settingsSchema, type RefineOptions } from '../../core/settings';
import { withWorkflow } from '../../core/domain/workflow';
import { readCellOptions } from '../../notebook/options';
import { parseMagicCell } from '../../notebook/magicCell';
import { parseArguments } from '../cli/arguments';

const text = readFileSync(resolve('docs', 'patterns.md'), 'utf8');
const blocks = (language: string): readonly string[] =>
  [...text.matchAll(/^```(\w*)\n([^]*?)^```$/gm)]
    .filter(match => match[1] === language)
    .map(match => match[2].trim());

const strict = settingsSchema.strict();
const defaults = settingsSchema.parse({});
const workflows = settingsSchema.shape.workflow.unwrap().options;

it.each(workflows)('the table says what %s fills in', workflow => {
  const row = text
    .split('\n')
    .find(line => line.startsWith(`| \`${workflow}\``));
  const documented = [...(row ?? '').matchAll(/`("[^`]+)`/g)].map(
    match => match[1]
  );
  const filledIn = strict.parse(JSON.parse(`{${documented.join(',')}}`));
  expect(row).toBeDefined();
  expect({ ...filledIn, workflow }).toEqual(
    withWorkflow({ ...defaults, workflow })
  );
});

it('every pattern has an example of each preset but the default', () => {
  const shown = [...text.matchAll(/workflow(?:": "| )([\w-]+)/g)].map(
    match => match[1]
  );
  expect(new Set(shown)).toEqual(
    new Set(workflows.filter(name => name !== 'standard'))
  );
});

it.each(blocks('json'))('is a setting: %s', block => {
  const settings = JSON.parse(block) as Partial<RefineOptions>;
  expect(withWorkflow(strict.parse(settings))).toMatchObject(settings);
});

it.each(blocks('bash'))('is a command: %s', block => {
  const [jupyter, refine, ...argv] = block.split(/\s+/);
  expect([jupyter, refine]).toEqual(['jupyter', 'refine']);
  expect(parseArguments(argv, {})).toMatchObject({ command: 'run' });
});

it.each(blocks(''))('is a cell: %s', block => {
  const { options, prompt } = parseMagicCell(block);
  const { values, warnings } = readCellOptions({}, options);
  expect(warnings).toEqual([]);
  expect(values.map(([name]) => name)).toContain('workflow');
  expect(prompt).not.toBe('');
});

describe('paths', () => {
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
    /^src\/core\/(evaluators\/(__tests__\/)?short|feedback\/first|languages\/scala)\./;

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
    return readdirSync(join(root, folder), {
      recursive: true,
      encoding: 'utf8'
    })
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
            .some(name =>
              existsSync(join(root, 'jupyterlab_refine', room, name))
            )
        );
      });
    expect(wrong).toEqual([]);
  });

  it('the page on verdicts names modules of the kernel part that exist', () => {
    const known = files('jupyterlab_refine', /\.py$/);
    const page = readFileSync(
      join(root, 'docs/contributing/verdict.md'),
      'utf8'
    );
    const named = [...page.matchAll(/`([\w./]+\.py)`/g)].map(([, path]) =>
      path!.replace(/^\.\.\//, '')
    );
    expect(named.length).toBeGreaterThan(4);
    expect(
      named.filter(name => !known.some(path => path.endsWith(`/${name}`)))
    ).toEqual([]);
  });
});
