/** Prompts that a user writes: text with slots such as `{{task}}`. */

const SLOT = /\{\{\s*(\w+)\s*\}\}/g;

/** The settings that are templates, and what each is made of. */
export const PROMPT_SLOTS = {
  systemPrompt: { required: [], optional: ['language'] },
  generatorPrompt: {
    required: ['task'],
    optional: [
      'history',
      'checks',
      'metric',
      'context',
      'variables',
      'cell',
      'language'
    ]
  },
  evaluatorPrompt: {
    required: ['task', 'answer'],
    optional: ['criteria', 'result']
  }
} as const;

type Slots = {
  readonly required: readonly string[];
  readonly optional: readonly string[];
};

/** What is wrong with the slots of a template, as a part of a sentence; null when nothing. Empty text stands for the built-in prompt. */
export function templateProblem(template: string, slots: Slots): string | null {
  if (template.trim() === '') {
    return null;
  }
  const used = [...template.matchAll(SLOT)].map(([, name = '']) => name);
  const known = [...slots.required, ...slots.optional];
  const unknown = used.find(name => !known.includes(name));
  if (unknown !== undefined) {
    return `there is no slot {{${unknown}}}; slots are ${known.map(name => `{{${name}}}`).join(', ')}`;
  }
  const missing = slots.required.find(name => !used.includes(name));
  return missing === undefined ? null : `the slot {{${missing}}} is missing`;
}

/**
 * Values are put in as they are: a `{{slot}}` inside of one stays text. A fenced value
 * gets lines of its own, since a fence in the middle of a line opens no block.
 */
export function fillTemplate(
  template: string,
  values: Readonly<Record<string, string>>
): string {
  return template.replace(SLOT, (slot, name: string, at: number) => {
    const value = values[name] ?? '';
    if (!/^`{3,}/m.test(value)) {
      return value;
    }
    const startsLine = /(?:^|\n)[ \t]*$/.test(template.slice(0, at));
    const endsLine = /^[ \t]*(?:\n|$)/.test(template.slice(at + slot.length));
    return `${startsLine ? '' : '\n\n'}${value}${endsLine ? '' : '\n\n'}`;
  });
}
