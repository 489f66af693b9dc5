/** The limits that the server's policy sets for a session. */
import type { RefineOptions } from '../../core/settings';

const LIMITED = ['maxAttempts', 'maxTokens', 'sessionTimeout'] as const;

/** Null: no limit of the server's. */
export type PolicyLimits = Readonly<
  Record<(typeof LIMITED)[number], number | null>
>;

/**
 * The user's options, lowered to what the server allows; those of a cell can then
 * only lower them further. The notes say what was lowered, a sentence each.
 */
export function limitByPolicy(
  options: RefineOptions,
  policy: PolicyLimits
): { readonly options: RefineOptions; readonly notes: readonly string[] } {
  const lowered = LIMITED.flatMap(name => {
    const asked = options[name];
    const limit = policy[name];
    return limit === null || (asked !== null && asked <= limit)
      ? []
      : [{ name, asked, limit }];
  });
  return {
    options: {
      ...options,
      ...Object.fromEntries(lowered.map(({ name, limit }) => [name, limit]))
    },
    notes: lowered.map(({ name, asked, limit }) =>
      asked === null
        ? `This server limits option ${name} to ${limit}.`
        : `Option ${name} = ${asked} is above this server’s limit of ${limit}. Refine uses the limit.`
    )
  };
}
