/**
 * The document of the patterns says what the presets are, and its examples can be used as they stand.
 *
 * @jest-environment node
 */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { RefineOptions } from '../../core/options';
import { settingsSchema } from '../../core/settings';
import { withWorkflow } from '../../core/domain/workflow';
import { readCellOptions } from '../../notebook/options/cellOptions';
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
