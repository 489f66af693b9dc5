/** @jest-environment node */
import { execFileSync } from 'child_process';
import { readFileSync } from 'fs';
import { join } from 'path';
import { CommandIDs } from '../ids';

const root = join(__dirname, '..', '..', '..');
const schema = readFileSync(join(root, 'schema', 'plugin.json'), 'utf8');

describe('schema/plugin.json', () => {
  it('matches what the script writes from src/core/settings.ts', () => {
    expect(() =>
      execFileSync(
        process.execPath,
        [join(root, 'scripts', 'settings-schema.mjs'), '--check'],
        { stdio: 'pipe' }
      )
    ).not.toThrow();
  });

  it('names only commands that exist', () => {
    const named = schema.match(/jupyterlab-refine:[a-z-]+(?=",?\s)/g) ?? [];
    const known: readonly string[] = [
      ...Object.values(CommandIDs),
      'jupyterlab-refine:icon'
    ];
    expect(named.length).toBeGreaterThan(8);
    expect(named.filter(id => !known.includes(id))).toEqual([]);
  });
});
