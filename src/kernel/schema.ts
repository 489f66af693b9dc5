/** What the kernel part answers, parsed at the edge. */
import * as z from 'zod';
import { RefineError } from '../core/errors';
import {
  NOTHING_REPORTED,
  type Execution,
  type ExecutionStop,
  type Isolation
} from '../core/domain/execution';
import {
  assertionResultSchema,
  executionErrorSchema,
  isolationSchema,
  kernelExecutionSchema,
  localVariableSchema,
  staticFindingSchema,
  variableInfoSchema
} from '../core/events/executionSchema';

/** An execution as the kernel reports it: the caller alone knows `totalMs`. */
export type KernelExecution = Omit<Execution, 'totalMs'>;

/** An execution that was ended before the kernel could report on it. */
export function cutExecution(
  id: string,
  isolation: Isolation,
  stop: ExecutionStop,
  stopMessage: string
): KernelExecution {
  return {
    id,
    status: 'cut',
    stop,
    stopMessage,
    ...NOTHING_REPORTED,
    isolation
  };
}

const harnessError = z.object({
  state: z.literal('error'),
  code: z.string(),
  message: z.string()
});

export const helloSchema = z.object({
  version: z.string(),
  isolation: isolationSchema,
  control: z.boolean(),
  /** Of attempts in processes of their own; absent where none can be started. */
  sidecar: isolationSchema.optional()
});
export type Hello = z.infer<typeof helloSchema>;

export const inspectSchema = z.object({
  variables: z.array(variableInfoSchema)
});

/** Answer to `failure`. */
export const failureSchema = z.object({
  failure: z
    .object({
      line: z.number(),
      similar: z.string(),
      changed: z.array(z.string()),
      locals: z.array(localVariableSchema)
    })
    .optional()
});

/** Answer to `static`; `error` is that of a candidate which is not run because of them. */
export const staticSchema = z.object({
  findings: z.array(staticFindingSchema),
  error: executionErrorSchema.optional()
});
export type StaticAnswer = z.infer<typeof staticSchema>;

const refused = z.object({
  state: z.literal('refused'),
  code: z.string(),
  message: z.string(),
  /** Of the forked kernel, where it failed before the candidate started. */
  traceback: z.string().optional()
});

/** What the cells above did, where the attempt has run them itself. */
const aboveSchema = z.object({
  errors: z.array(
    z.object({ cellId: z.string(), error: executionErrorSchema })
  ),
  /** The cell that did not end. */
  cellId: z.string().optional(),
  /** How long that cell had run. */
  seconds: z.number().optional()
});
export type AboveReport = z.infer<typeof aboveSchema>;

/** A candidate can write to the pipe of its report: one that cannot be read is an end of this attempt alone. */
const reportSchema = z
  .looseObject({ id: z.string(), isolation: isolationSchema })
  .transform((report): KernelExecution => {
    const { data, error } = kernelExecutionSchema.safeParse(report);
    if (data) {
      return data;
    }
    const { path, message } = error.issues[0]!;
    const what = `its report cannot be read: ${path.join('.')}: ${message}`;
    return cutExecution(report.id, report.isolation, 'harness', what);
  });

export const attemptSchema = z.discriminatedUnion('state', [
  z.object({
    state: z.literal('done'),
    execution: reportSchema,
    stage: z.string().optional(),
    above: aboveSchema.optional()
  }),
  z.object({ state: z.literal('running') }),
  z.object({ state: z.literal('unknown') }),
  refused
]);
/** Answer to `attempt` and `collect`. */
export type AttemptAnswer = z.infer<typeof attemptSchema>;

/** Answer to `prepare`; `not-now`: a spare would be stale at once, or the user interrupted the kernel. */
export const prepareSchema = z.discriminatedUnion('state', [
  z.object({ state: z.enum(['ready', 'not-now']) }),
  refused
]);
export type PrepareAnswer = z.infer<typeof prepareSchema>;

const liveCheck = z.object({
  id: z.string(),
  cellId: z.string(),
  role: z.enum(['assertion', 'holdout']),
  line: z.number(),
  source: z.string(),
  code: z.string(),
  counts: z.boolean()
});
export const liveChecksSchema = z.object({ checks: z.array(liveCheck) });

export const okSchema = z.object({ ok: z.literal(true) });

const previewSchema = z.discriminatedUnion('type', [
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
    const [issue] = parsed.error.issues;
    throw new RefineError(
      'kernel',
      `The kernel’s answer to “${op}” cannot be read: ${issue?.path.join('.') || 'answer'}: ${issue?.message ?? ''}. Restart the kernel and try again.`,
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
