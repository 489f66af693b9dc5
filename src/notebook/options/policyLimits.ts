/** The limits that the server's policy sets for a session. */
import type { RefineOptions } from '../../core/options';

const LIMITED = ['maxAttempts', 'maxTokens', 'sessionTimeout'] as const;

export type LimitedOption = (typeof LIMITED)[number];

/** Null: no limit of the server's. */
export type PolicyLimits = Readonly<Record<LimitedOption, number | null>>;

/** One option that was lowered. */
export type PolicyNote = {
  readonly name: LimitedOption;
  /** What was asked for; null: no limit. */
  readonly asked: number | null;
  /** What is used. */
  readonly limit: number;
  /** The same as a sentence. */
  readonly message: string;
};

export type LimitedOptions = {
  readonly options: RefineOptions;
  readonly notes: readonly PolicyNote[];
};

/** Lower the user's options to what the server allows; those of a cell can then only lower them further. */
export function limitByPolicy(
  options: RefineOptions,
  policy: PolicyLimits
): LimitedOptions {
  const notes = LIMITED.flatMap(name => note(name, options, policy));
  const lowered = Object.fromEntries(
    notes.map(({ name, limit }) => [name, limit])
  );
  return { options: { ...options, ...lowered }, notes };
}

function note(
  name: LimitedOption,
  options: RefineOptions,
  policy: PolicyLimits
): readonly PolicyNote[] {
  const asked = options[name];
  const limit = policy[name];
  return limit === null || (asked !== null && asked <= limit)
    ? []
    : [{ name, asked, limit, message: noteText(name, asked, limit) }];
}

function noteText(
  name: LimitedOption,
  asked: number | null,
  limit: number
): string {
  return asked === null
    ? `This server limits option ${name} to ${limit}.`
    : `Option ${name} = ${asked} is above this server’s limit of ${limit}. Refine uses the limit.`;
}
