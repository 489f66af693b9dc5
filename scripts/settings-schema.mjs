#!/usr/bin/env node
/**
 * Writes `schema/plugin.json`: toolbar, menus and shortcuts from
 * `settings-base.json`, the properties from the zod schema of
 * `src/core/settings.ts`, the one source of all settings, in the order of their groups.
 *
 * With `--check` nothing is written and the exit status is 1 when the committed
 * file is out of date.
 */
import { build } from 'esbuild';
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import prettier from 'prettier';
import { z } from 'zod';

const root = new URL('..', import.meta.url);
const target = fileURLToPath(new URL('schema/plugin.json', root));

/** `maxAttempts` -> `Max attempts`. */
function title(name) {
  const words = name.replace(/[A-Z]/g, letter => ` ${letter.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** JupyterLab's settings form knows `type: [T, "null"]`, not `anyOf`; safe integer bounds say nothing to a user. */
function property(name, schema) {
  const { anyOf, ...rest } = schema;
  const [some, none] = anyOf ?? [];
  const merged =
    none?.type === 'null'
      ? { ...some, ...rest, type: [some.type, 'null'] }
      : { ...schema };
  if (merged.default === null) {
    // Not set: the form would show "Default: null".
    delete merged.default;
  }
  for (const [bound, limit] of [
    ['maximum', Number.MAX_SAFE_INTEGER],
    ['minimum', Number.MIN_SAFE_INTEGER]
  ]) {
    if (merged[bound] === limit) {
      delete merged[bound];
    }
  }
  return { title: title(name), ...merged };
}

async function loadSettings() {
  const bundle = await build({
    stdin: {
      contents: `export { SETTING_NAMES, settingsSchema } from './settings';`,
      resolveDir: fileURLToPath(new URL('src/core', root)),
      loader: 'ts'
    },
    bundle: true,
    format: 'esm',
    platform: 'node',
    write: false
  });
  const code = Buffer.from(bundle.outputFiles[0].contents).toString('base64');
  return import(`data:text/javascript;base64,${code}`);
}

export async function generate() {
  const base = JSON.parse(
    await readFile(new URL('scripts/settings-base.json', root), 'utf8')
  );
  const { settingsSchema, SETTING_NAMES } = await loadSettings();
  const { properties } = z.toJSONSchema(settingsSchema, { io: 'input' });
  const schema = {
    ...base,
    properties: Object.fromEntries(
      SETTING_NAMES.map(name => [name, property(name, properties[name])])
    ),
    // A setting of an earlier version stays in the user's file, and does no harm.
    additionalProperties: true
  };
  const style = await prettier.resolveConfig(target);
  return prettier.format(JSON.stringify(schema), { ...style, parser: 'json' });
}

const text = await generate();
if (process.argv.includes('--check')) {
  if ((await readFile(target, 'utf8')) !== text) {
    console.error(
      'schema/plugin.json is out of date: node scripts/settings-schema.mjs'
    );
    process.exitCode = 1;
  }
} else {
  await writeFile(target, text);
}
