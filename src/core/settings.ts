/**
 * The one schema of all settings: JupyterLab's settings, the command line's
 * flags and the options of a cell are read with it. `scripts/settings-schema.mjs`
 * writes `schema/plugin.json` from it.
 */
import * as z from 'zod';
import { EVALUATOR_NAMES } from './domain/evaluators';
import { PROMPT_SLOTS, templateProblem } from './text/template';

/** The built-in feedback strategies, in the order in which the settings list them. */
export const FEEDBACK_NAMES = [
  'auto',
  'raw',
  'diff',
  'summary',
  'locals',
  'score'
] as const;

export type FeedbackName = (typeof FEEDBACK_NAMES)[number];

/** Characters of the cells above, or of the sessions before, that a prompt holds at most; fewer where the model's window is small. */
export const CONTEXT_CHARACTERS = 16000;

/** Limit of `maxAttempts`. */
export const MOST_ATTEMPTS = 100;

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
            .trim()
            .split(/[\s,]*,[\s,]*/)
            .filter(Boolean)
        : value,
    (least > 0 ? z.array(item).min(least) : z.array(item)).default(
      () => fallback
    )
  );

/** One of `names`, or a name that another extension adds; a session rejects unknown evaluators. */
const extensible = (names: readonly string[]) =>
  z
    .string()
    .min(1)
    .meta({ examples: [...names] });

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

/** A whole number from 1, or nothing. */
const count = (text: string) =>
  z.number().int().positive().nullable().default(null).describe(text);

/** By group, in the order of the help texts. */
const GROUPS = {
  Models: {
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
        'Model that judges candidates, as profile/model. Empty: the model that writes them.'
      ),
    temperature: z
      .number()
      .min(0)
      .max(2)
      .nullable()
      .default(null)
      .describe(
        'Sampling temperature. Leave empty for the provider’s default.'
      ),
    maxOutputTokens: count(
      'Maximum output tokens per answer. Leave empty for the provider’s default.'
    )
  },
  Limits: {
    maxAttempts: z
      .number()
      .int()
      .min(1)
      .max(MOST_ATTEMPTS)
      .default(5)
      .describe(
        'Maximum number of attempts per session. The cell’s current code is not counted.'
      ),
    attemptTimeout: seconds(30, 'Time limit for one execution, in seconds.'),
    sessionTimeout: seconds(600, 'Time limit for one session, in seconds.'),
    maxTokens: count(
      'Maximum tokens per session, prompts included. Leave empty for no limit.'
    ),
    maxCost: z
      .number()
      .positive()
      .nullable()
      .default(null)
      .describe(
        'Maximum cost per session, in US dollars. The price comes from the profile; without a price the limit is not checked. Leave empty for no limit.'
      ),
    targetScore: z
      .number()
      .nullable()
      .default(null)
      .describe(
        'Score that is good enough, from 0 to 1; with a scorer, the metric value that a pass needs. Leave empty: only a pass ends the session early, or with a scorer patience and the limits.'
      ),
    patience: count(
      'Number of attempts in a row without progress after which the session ends. Leave empty for never.'
    )
  },
  Checks: {
    evaluators: list(extensible(EVALUATOR_NAMES), ['assertions'], 1).describe(
      'Evaluators that must all agree to a pass. Assertions always count if there are any. Static analyzes the source: a candidate with a syntax error does not run, undefined names are reported. Judge asks a model, human asks you last. A cell tagged refine-scorer always measures, even if scorer is not listed. Other extensions can add evaluators.'
    ),
    criteria: list(z.string(), []).describe(
      'Criteria that the judge scores separately, such as correctness, complexity or documentation.'
    ),
    confirmClean: z
      .boolean()
      .default(false)
      .describe(
        'Second run of a pass, in a fresh kernel after the cells above; reports whether it passes there too. Cells tagged refine-skip do not run again. Stop or sessionTimeout ends the check.'
      )
  },
  'Context and feedback': {
    feedback: extensible(FEEDBACK_NAMES)
      .default('auto')
      .describe(
        'Feedback on a failure in the next prompt. Raw: the traceback. Diff: expected against observed. Summary: a model’s short summary. Locals: the failing frame’s variables. Score: the score only. Auto: whatever fits the failure. Other extensions can add strategies.'
      ),
    contextValues: z
      .enum(['none', 'types', 'samples'])
      .default('types')
      .describe(
        'Details of live variables to send to the model, in the context and in feedback.'
      )
  },
  Safety: {
    isolation: z
      .enum(['auto', 'fork', 'sidecar', 'live'])
      .default('auto')
      .describe(
        'Where attempts run. Auto: in a fork of the kernel if that is safe, or else in a second kernel with copies of the variables that the code names, or else in the live kernel after asking once. Live: always in the live kernel, without asking.'
      ),
    allowNetwork: z
      .boolean()
      .default(false)
      .describe('Network access for attempts.'),
    allowWrites: z
      .boolean()
      .default(false)
      .describe(
        'Real file writes by attempts. Off: writes are discarded or denied where the system allows it.'
      ),
    approveExecution: z
      .boolean()
      .default(false)
      .describe('Your approval before each candidate runs.'),
    onPass: z
      .enum(['auto', 'insert', 'ask'])
      .default('auto')
      .describe(
        'Action after a pass. Insert: write the cell. Ask: show the change in the cell, where you accept or reject parts of it. Auto: write and run the cell if the attempt was isolated, wrote no file, opened no socket, was denied nothing and all its checks are confirmed; otherwise ask.'
      ),
    keepBest: z
      .enum(['never', 'ask', 'always'])
      .default('ask')
      .describe(
        'Best attempt of a session that ends without a pass. Never: leave the cell unchanged. Ask: offer it in the panel; the command line leaves the cell unchanged. Always: write it to the cell, not run and marked as not passed.'
      )
  },
  Flow: {
    workflow: z
      .enum(WORKFLOWS)
      .default('standard')
      .describe(
        'Preset for other settings. It applies to settings that have their default value.'
      )
  },
  Prompts: {
    systemPrompt: template(PROMPT_SLOTS.systemPrompt).describe(
      'System message for the model that writes, in place of the built-in one: it says in which form to answer. Slot: {{language}}. Empty: the built-in message.'
    ),
    generatorPrompt: template(PROMPT_SLOTS.generatorPrompt).describe(
      'Prompt template for the model that writes. Slots: {{task}}, {{history}}, {{checks}}, {{metric}}, {{context}}, {{variables}}, {{cell}}, {{language}}. Empty: the built-in prompt.'
    ),
    evaluatorPrompt: template(PROMPT_SLOTS.evaluatorPrompt).describe(
      'Prompt template for the judge. Slots: {{task}}, {{answer}}, {{criteria}}, {{result}}. Empty: the built-in prompt.'
    )
  }
};

export const settingsSchema = z.object({
  ...GROUPS.Models,
  ...GROUPS.Limits,
  ...GROUPS.Checks,
  ...GROUPS['Context and feedback'],
  ...GROUPS.Safety,
  ...GROUPS.Flow,
  ...GROUPS.Prompts
});

/** A type whose parts, at any depth, cannot be changed. */
export type Frozen<T> = T extends object
  ? { readonly [Key in keyof T]: Frozen<T[Key]> }
  : T;

/** The settings of one session. */
export type RefineOptions = Frozen<z.infer<typeof settingsSchema>>;
export type ContextValues = RefineOptions['contextValues'];
export type OnPass = RefineOptions['onPass'];

export type SettingName = keyof typeof settingsSchema.shape;

export const SETTING_GROUPS = Object.entries(GROUPS).map(
  ([heading, settings]) => ({
    heading,
    names: Object.keys(settings) as SettingName[]
  })
);

/** In the order of JupyterLab's form, which folds all but the first three: what most users set. */
export const SETTING_NAMES: readonly SettingName[] = [
  ...new Set<SettingName>([
    'generatorModel',
    'maxAttempts',
    'onPass',
    ...SETTING_GROUPS.flatMap(group => group.names)
  ])
];

/** Limits, which a notebook or a `%%refine` line may only lower. */
export const notebookLimitNames = [
  'maxAttempts',
  'attemptTimeout',
  'sessionTimeout',
  'maxTokens',
  'maxCost',
  'patience'
] as const;

/** How flags and `%%refine` lines write the name of an option. */
export function kebabCase(name: string): string {
  return name.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`);
}

/** All options that a notebook or a `%%refine` line may set. */
export const notebookOptionNames = [
  ...notebookLimitNames,
  'feedback',
  'targetScore',
  'evaluators',
  'criteria',
  'workflow'
] as const;

/** The option that a notebook names so, in either case; undefined: none that it may set. */
export function notebookOption(written: string) {
  const wanted = kebabCase(written);
  return notebookOptionNames.find(name => kebabCase(name) === wanted);
}
