/** What the kernel part answers, parsed at the edge; typed against the types of core. */
import * as z from 'zod';
import type {
  AssertionResult,
  Execution,
  ExecutionError,
  Isolation,
  LocalVariable,
  ObservedValue
} from '../core/execution';
import { RefineError } from '../core/errors';
import type { VariableInfo } from '../core/request';

const isolation: z.ZodType<Isolation> = z.object({
  mode: z.enum(['fork', 'sidecar', 'live']),
  memory: z.boolean(),
  files: z.enum(['overlay', 'denied', 'open']),
  network: z.boolean(),
  reasons: z.array(z.string())
});

const localVariable: z.ZodType<LocalVariable> = z.object({
  name: z.string(),
  type: z.string(),
  shape: z.string().optional(),
  repr: z.string().optional()
});

const executionError: z.ZodType<ExecutionError> = z.object({
  name: z.string(),
  message: z.string(),
  traceback: z.string(),
  candidateLine: z.number().optional(),
  locals: z.array(localVariable).optional()
});

const observedValue: z.ZodType<ObservedValue> = z.object({
  expression: z.string(),
  type: z.string(),
  repr: z.string(),
  shape: z.string().optional(),
  dtype: z.string().optional()
});

const assertionResult: z.ZodType<AssertionResult> = z.object({
  id: z.string(),
  cellId: z.string(),
  role: z.enum(['assertion', 'holdout']),
  line: z.number(),
  source: z.string(),
  outcome: z.enum(['passed', 'failed', 'error', 'not-run']),
  durationMs: z.number(),
  operator: z.string().optional(),
  expected: observedValue.optional(),
  observed: observedValue.optional(),
  operands: z.array(observedValue).optional(),
  difference: z.string().optional(),
  error: executionError.optional()
});

/** An execution as the kernel tells it: the caller alone knows `totalMs`. */
export type KernelExecution = Omit<Execution, 'totalMs'>;

const execution: z.ZodType<KernelExecution> = z.object({
  id: z.string(),
  status: z.enum(['completed', 'error', 'cut']),
  stop: z
    .enum([
      'timeout',
      'memory',
      'output',
      'crashed',
      'stopped',
      'interrupted',
      'kernel-died',
      'kernel-restarted'
    ])
    .optional(),
  stopMessage: z.string().optional(),
  stack: z.string().optional(),
  error: executionError.optional(),
  assertions: z.array(assertionResult),
  stdout: z.string(),
  stderr: z.string(),
  displays: z.array(z.object({ mime: z.string(), data: z.string() })),
  isolation,
  filesWritten: z.array(z.string()),
  denied: z.array(z.string()),
  tampering: z.array(z.string()),
  warnings: z.array(z.string()),
  durationMs: z.number()
});

const variableInfo: z.ZodType<VariableInfo> = z.object({
  name: z.string(),
  type: z.string(),
  shape: z.array(z.number()).optional(),
  length: z.number().optional(),
  dtype: z.string().optional(),
  columns: z.array(z.tuple([z.string(), z.string()])).optional(),
  signature: z.string().optional(),
  doc: z.string().optional(),
  sample: z.string().optional(),
  redacted: z.boolean().optional()
});

const harnessError = z.object({
  state: z.literal('error'),
  code: z.string(),
  message: z.string()
});

export const helloSchema = z.object({
  version: z.string(),
  python: z.string(),
  platform: z.string(),
  isolation,
  control: z.boolean(),
  pid: z.number()
});
export type Hello = z.infer<typeof helloSchema>;

export const inspectSchema = z.object({ variables: z.array(variableInfo) });

const refused = z.object({
  state: z.literal('refused'),
  code: z.string(),
  message: z.string()
});

export const attemptSchema = z.discriminatedUnion('state', [
  z.object({ state: z.literal('done'), execution }),
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
    result: assertionResult
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
