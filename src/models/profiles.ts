/** The model profiles as our server reports them. */
import * as z from 'zod';
import { RefineError } from '../core/errors';
import type { ModelIdentity } from '../core/domain/model';

const pricesSchema = z.record(
  z.string(),
  z.object({ input: z.number(), output: z.number() })
);

const profileSchema = z.object({
  name: z.string(),
  /** Host name without path; empty for the demo. */
  host: z.string(),
  models: z.array(z.string()),
  defaultModel: z.string().nullable(),
  /** Recorded answers: labelled so everywhere. */
  demo: z.boolean(),
  /** Why this profile cannot be used now; null when it can. May quote a provider. */
  error: z.string().nullable().default(null),
  /** US dollars for a million tokens, by model. */
  prices: pricesSchema.nullable().default(null),
  /** Tokens of the context window, by model; under an empty name that of all others. */
  contexts: z.record(z.string(), z.number()).default({})
});

const limit = () => z.number().positive().nullable().default(null);

/** `c.Refine.policy` of the server, and what it reports beside it; null: no limit of the server's. */
export const policySchema = z.object({
  allowKeyFromPanel: z.boolean().default(true),
  allowBaseUrlFromPanel: z.boolean().default(true),
  /** nbgrader's solution cells may be refined. */
  refineGradedCells: z.boolean().default(false),
  maxAttempts: limit(),
  /** Tokens of one session. */
  maxTokens: limit(),
  /** Seconds of one session. */
  sessionTimeout: limit(),
  /** Tokens of this server in one day. */
  dailyTokenLimit: z.number().nullable().default(null),
  dailyTokensUsed: z.number().default(0),
  /** Names of environment variables that hold keys; attempts run without them. */
  keyVariables: z.array(z.string()).default([])
});

const profilesSchema = z.object({
  /** Version of the server extension. */
  version: z.string(),
  default: z.object({ profile: z.string(), model: z.string() }).nullable(),
  /** Sentences and commands for a user without a model. */
  hints: z.array(z.string()),
  profiles: z.array(profileSchema),
  policy: policySchema.prefault({})
});

export type ServerPolicy = Readonly<z.infer<typeof policySchema>>;
export type ServerProfile = Readonly<z.infer<typeof profileSchema>>;
/** The body of `GET …/v1/profiles`; never with a key. */
export type ServerProfiles = Readonly<z.infer<typeof profilesSchema>>;

/** @throws RefineError kind `server` for a body of another shape. */
export function parseProfiles(value: unknown): ServerProfiles {
  const parsed = profilesSchema.safeParse(value);
  if (!parsed.success) {
    throw new RefineError(
      'server',
      'The Jupyter server sent its model profiles in an unknown form: its extension and the page are of different versions. Restart the server and reload the page.',
      {
        code: 'other',
        cause: parsed.error
      }
    );
  }
  return parsed.data;
}

/**
 * Whether a model can be called: has the shape of `ModelSetup`, with the
 * server's whole answer where there is one.
 */
export type ProfilesSetup =
  | {
      readonly status: 'ready';
      readonly identity: ModelIdentity;
      readonly profiles: readonly ServerProfile[];
      readonly server: ServerProfiles;
    }
  | {
      readonly status: 'no-model';
      readonly hints: readonly string[];
      readonly profiles: readonly ServerProfile[];
      readonly server: ServerProfiles;
    }
  | { readonly status: 'no-routes' }
  | { readonly status: 'error'; readonly message: string };

/** `ready` with the server's default model; `no-model` when it has none. */
export function setupOf(server: ServerProfiles): ProfilesSetup {
  const { profiles, hints } = server;
  const identity =
    server.default &&
    identityOf(server, server.default.profile, server.default.model);
  return identity
    ? { status: 'ready', identity, profiles, server }
    : { status: 'no-model', hints, profiles, server };
}

/** Who answers for a profile and model; null when the server has no such profile. */
export function identityOf(
  { profiles }: ServerProfiles,
  profile: string,
  model: string
): ModelIdentity | null {
  const found = profiles.find(({ name }) => name === profile);
  if (!found) {
    return null;
  }
  const { host, demo, contexts } = found;
  const context = contexts[model] ?? contexts[''];
  return {
    profile,
    model,
    host,
    recorded: demo,
    ...(context === undefined ? {} : { context })
  };
}
