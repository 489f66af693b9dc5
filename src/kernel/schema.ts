/** What the kernel part answers, parsed at the edge. */
import * as z from 'zod';
import { RefineError } from '../core/errors';
import type { Execution } from '../core/execution';
import {
  assertionResultSchema,
  isolationSchema,
  kernelExecutionSchema,
  variableInfoSchema
} from '../core/executionSchema';

/** An execution as the kernel tells it: the caller alone knows `totalMs`. */
export type KernelExecution = Omit<Execution, 'totalMs'>;

const harnessError = z.object({
  state: z.literal('error'),
  code: z.string(),
  message: z.string()
});

export const helloSchema = z.object({
  version: z.string(),
  python: z.string(),
  platform: z.string(),
  isolation: isolationSchema,
  control: z.boolean(),
  pid: z.number()
});
export type Hello = z.infer<typeof helloSchema>;

export const inspectSchema = z.object({
  variables: z.array(variableInfoSchema)
});

const refused = z.object({
  state: z.literal('refused'),
  code: z.string(),
  message: z.string()
});

export const attemptSchema = z.discriminatedUnion('state', [
  z.object({ state: z.literal('done'), execution: kernelExecutionSchema }),
  z.object({ state: z.literal('running') }),
  z.object({ state: z.literal('unknown') }),
  refused
]);
/** Answer to `attempt` and `collect`. */
export type AttemptAnswer = z.infer<typeof attemptSchema>;

/** Answer to `prepare`; `not-now`: a spare would be stale at once. */
export const prepareSchema = z.discriminatedUnion('state', [
  z.object({ state: z.enum(['ready', 'not-now']) }),
  refused
]);

export const okSchema = z.object({ ok: z.literal(true) });

export const previewSchema = z.discriminatedUnion('type', [
  z.object({ id: z.string(), type: z.literal('started') }),
  z.object({
    id: z.string(),
    type: z.literal('output'),
    stream: z.enum(['stdout', 'stderr']),
    text: z.string()
  }),
  z.object({
    id: z.string(),
    type: z.literal('assertion'),
    result: assertionResultSchema
  }),
  z.object({ id: z.string(), type: z.literal('finished') })
]);
/** Content of a `refine_event` on IOPub; may be lost. */
export type Preview = z.infer<typeof previewSchema>;

/** JSON null is how Python says "not there"; no field of these types is nullable. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(withoutNulls);
  }
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(
      Object.entries(value)
        .filter(([, entry]) => entry !== null)
        .map(([key, entry]) => [key, withoutNulls(entry)])
    );
  }
  return value;
}

/**
 * Parse one answer of the kernel part.
 *
 * @throws RefineError kind `kernel` that names the request and the first wrong field.
 */
export function parseAnswer<T>(
  schema: z.ZodType<T>,
  op: string,
  value: unknown
): T {
  const plain = withoutNulls(value);
  const failed = harnessError.safeParse(plain);
  if (failed.success) {
    throw new RefineError(
      'kernel',
      `The kernel could not answer “${op}” (${failed.data.code}): ${failed.data.message}`
    );
  }
  const parsed = schema.safeParse(plain);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw new RefineError(
      'kernel',
      `The kernel’s answer to “${op}” cannot be read: ${issue.path.join('.') || 'answer'}: ${issue.message}. Restart the kernel and try again.`,
      { cause: parsed.error }
    );
  }
  return parsed.data;
}

/** A preview, or null for one that cannot be read: previews decide nothing. */
export function parsePreview(value: unknown): Preview | null {
  const parsed = previewSchema.safeParse(withoutNulls(value));
  return parsed.success ? parsed.data : null;
}
