/**
 * The one schema of all settings: JupyterLab's settings, the command line's
 * flags and the options of a cell are read with it. `scripts/settings-schema.mjs`
 * writes `schema/plugin.json` from it.
 */
import * as z from 'zod';
import { EVALUATOR_NAMES } from './domain/evaluators';
import {
  EVALUATOR_SLOTS,
  GENERATOR_SLOTS,
  templateProblem
} from './text/template';

const seconds = (fallback: number, text: string) =>
  z.number().positive().default(fallback).describe(text);

/** A list, also as text with commas, as flags and a `%%refine` line hold it. */
const list = <Item extends z.ZodType>(
  item: Item,
  fallback: z.output<Item>[],
  least = 0
) =>
  z.preprocess(
    value =>
      typeof value === 'string'
        ? value
            .split(',')
            .map(part => part.trim())
            .filter(part => part !== '')
        : value,
    (least > 0 ? z.array(item).min(least) : z.array(item)).default(
      () => fallback
    )
  );

/** A prompt with slots; a missing or unknown slot is named. */
const template = (slots: Parameters<typeof templateProblem>[1]) =>
  z
    .string()
    .default('')
    .superRefine((text, context) => {
      const message = templateProblem(text, slots);
      if (message !== null) {
        context.addIssue({ code: 'custom', message });
      }
    });

const WORKFLOWS = [
  'standard',
  'execution',
  'evaluator-optimizer',
  'typed-evaluator',
  'self-refine',
  'scored'
] as const;

export const settingsSchema = z.object({
  generatorModel: z
    .string()
    .default('')
    .describe(
      'Model that writes candidates, as profile/model. Empty: the server’s default.'
    ),
  evaluatorModel: z
    .string()
    .default('')
    .describe(
      'Model that judges, as profile/model. Empty: the one that writes.'
    ),
  temperature: z
    .number()
    .min(0)
    .max(2)
    .nullable()
    .default(null)
    .describe('Sampling temperature. Null: the provider’s default.'),
  maxOutputTokens: z
    .number()
    .int()
    .positive()
    .nullable()
    .default(null)
    .describe('Tokens one answer may have. Null: the provider’s default.'),
  generatorPrompt: template(GENERATOR_SLOTS).describe(
    'The prompt of the model that writes, with slots: {{task}}, {{checks}}, {{metric}}, {{context}}, {{variables}}, {{cell}}, {{language}}. Empty: the built-in one.'
  ),
  evaluatorPrompt: template(EVALUATOR_SLOTS).describe(
    'The prompt of the judge, with slots: {{task}}, {{answer}}, {{criteria}}, {{result}}. Empty: the built-in one.'
  ),
  maxAttempts: z
    .number()
    .int()
    .min(1)
    .max(100)
    .default(5)
    .describe(
      'Attempts of one session; what the cell holds at the start is not counted.'
    ),
  attemptTimeout: seconds(30, 'Seconds one execution may take.'),
  sessionTimeout: seconds(
    600,
    'Seconds one session may take. A model that stays silent for nine tenths of what is left is given up before.'
  ),
  maxTokens: z
    .number()
    .int()
    .positive()
    .nullable()
    .default(null)
    .describe('Tokens one session may use, prompts included. Null: no limit.'),
  maxCost: z
    .number()
    .positive()
    .nullable()
    .default(null)
    .describe(
      'US dollars one session may cost, where the price of the model is known: from its profile, else the vendor’s list price. Null: no limit.'
    ),
  raiseOnBudget: z
    .boolean()
    .default(false)
    .describe(
      'For scripts: a session that ends with a spent budget throws an error, which carries the outcome with its best attempt. A time-out or the last attempt never does.'
    ),
  targetScore: z
    .number()
    .nullable()
    .default(null)
    .describe(
      'Score (0 to 1) that is good enough; with a scorer, the value of its metric that a pass needs. Null: only a pass ends the session early, and with a scorer nothing but patience and limits does.'
    ),
  patience: z
    .number()
    .int()
    .positive()
    .nullable()
    .default(null)
    .describe(
      'Attempts in a row whose score moves by no more than minDelta, after which the session ends. Null: never.'
    ),
  minDelta: z
    .number()
    .min(0)
    .default(0)
    .describe('Change of the score that counts as movement, see patience.'),
  candidates: z
    .number()
    .int()
    .min(1)
    .max(16)
    .default(1)
    .describe(
      'First candidates that are written and run at once, where attempts run in forks; each counts as an attempt. The first that passes wins.'
    ),
  cutGeneration: z
    .boolean()
    .default(false)
    .describe(
      'Stop the model as soon as its code is complete, or cannot be right any more.'
    ),
  memory: z
    .enum(['all', 'compact', 'best'])
    .default('compact')
    .describe(
      'What a prompt holds of earlier attempts: every one, the best and the last with a line for each other, or the best alone.'
    ),
  restartAfter: z
    .number()
    .int()
    .min(1)
    .max(100)
    .default(2)
    .describe(
      'Attempts in a row that bring nothing new (the same program or the same failure), after which the next one starts afresh; one more where the last was a new program.'
    ),
  strongerModel: z
    .string()
    .default('')
    .describe(
      'Model that takes over when a fresh start did not help, as profile/model. Empty: none.'
    ),
  evaluators: list(z.enum(EVALUATOR_NAMES), ['assertions'], 1).describe(
    'Who must agree to a pass. The assertions always must, where there are any; static reads the source before it runs (see gateStatic), the judge is a model, the human is asked of what all others let pass. A cell tagged refine-scorer measures, whether or not scorer is named here.'
  ),
  gateStatic: z
    .boolean()
    .default(false)
    .describe(
      'With the evaluator static: a candidate whose source holds an error (syntax, an undefined name) is not run and does not pass. Else what is found is only told.'
    ),
  generateAssertions: z
    .boolean()
    .default(false)
    .describe(
      'Where nothing checks the target, let the model draft assertions first; they count as unverified until you approve them.'
    ),
  criteria: list(z.string(), []).describe(
    'What the judge scores by itself: correctness, complexity, documentation … anything.'
  ),
  maxEvalChars: z
    .number()
    .int()
    .min(500)
    .default(32768)
    .describe('Characters of a candidate that a judge reads.'),
  feedback: z
    .enum(['auto', 'raw', 'diff', 'summary', 'locals', 'score'])
    .default('auto')
    .describe(
      'What the next prompt says of a failure: the raw traceback, expected against observed, what a model makes of it in a few words, the failing frame’s locals, the score alone, or what fits the failure.'
    ),
  workflow: z
    .enum(WORKFLOWS)
    .default('standard')
    .describe(
      'A preset of the other settings; it holds where those have their defaults.'
    ),
  contextBudget: z
    .number()
    .int()
    .min(0)
    .max(1000000)
    .default(16000)
    .describe('Characters of the cells above that are sent, nearest first.'),
  contextValues: z
    .enum(['none', 'types', 'samples'])
    .default('types')
    .describe('What is told of live variables, in context and in feedback.'),
  isolation: z
    .enum(['auto', 'fork', 'sidecar', 'live'])
    .default('auto')
    .describe(
      'Where attempts run. Auto: in a fork of the kernel where that is safe, else in a second kernel with copies of the variables that are named, else ask once before running in the live kernel. Choosing live is your consent: attempts run there, and nothing asks.'
    ),
  allowNetwork: z
    .boolean()
    .default(false)
    .describe('Let attempts reach the network.'),
  allowWrites: z
    .boolean()
    .default(false)
    .describe('Let attempts write files for real.'),
  approveExecution: z
    .boolean()
    .default(false)
    .describe('Ask before each candidate is run.'),
  confirmClean: z
    .boolean()
    .default(false)
    .describe(
      'Repeat a pass in a fresh kernel with the cells above, and tell whether it passes there too. A cell tagged refine-skip is not run a second time; the run ends with Stop, or after sessionTimeout.'
    ),
  onPass: z
    .enum(['auto', 'insert', 'ask'])
    .default('auto')
    .describe(
      'After a pass. Auto: write and run the cell at once if the passing attempt ran isolated, wrote no file, opened no socket, was denied nothing and each of its checks is confirmed; else ask.'
    )
});

/** Limits, which a notebook or a `%%refine` line may only lower. */
export const notebookLimitNames = [
  'maxAttempts',
  'attemptTimeout',
  'sessionTimeout',
  'maxTokens',
  'maxCost',
  'patience',
  'candidates'
] as const;

/** All options that a notebook or a `%%refine` line may set. */
export const notebookOptionNames = [
  ...notebookLimitNames,
  'feedback',
  'targetScore',
  'minDelta',
  'memory',
  'evaluators',
  'criteria',
  'workflow'
] as const;
