/**
 * What an execution gave, as zod sees it: the kernel's answers and a journal's
 * events are read with the same schemas, held to the types of `execution.ts`.
 */
import * as z from 'zod';
import type {
  AssertionResult,
  Execution,
  ExecutionError,
  Isolation,
  LocalVariable,
  ObservedValue,
  ScorerResult,
  StaticFinding,
  FailedCall,
  RepairReport
} from '../domain/execution';
import type { VariableInfo } from '../domain/request';

export const isolationSchema = z.object({
  mode: z.enum(['fork', 'sidecar', 'live']),
  memory: z.boolean(),
  files: z.enum(['overlay', 'denied', 'open']),
  network: z.boolean(),
  reasons: z.array(z.string()),
  copies: z.array(z.string()).optional()
}) satisfies z.ZodType<Isolation>;

export const localVariableSchema = z.object({
  name: z.string(),
  type: z.string(),
  shape: z.string().optional(),
  repr: z.string().optional()
}) satisfies z.ZodType<LocalVariable>;

export const executionErrorSchema = z.object({
  name: z.string(),
  message: z.string(),
  traceback: z.string(),
  candidateLine: z.number().optional(),
  locals: z.array(localVariableSchema).optional(),
  frames: z
    .array(
      z.object({
        function: z.string(),
        where: z.enum(['candidate', 'check', 'cell']),
        line: z.number(),
        locals: z.array(localVariableSchema)
      })
    )
    .optional()
}) satisfies z.ZodType<ExecutionError>;

const observedValue = z.object({
  expression: z.string(),
  type: z.string(),
  repr: z.string(),
  shape: z.string().optional(),
  dtype: z.string().optional()
}) satisfies z.ZodType<ObservedValue>;

export const assertionResultSchema = z.object({
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
  error: executionErrorSchema.optional(),
  confirmed: z.boolean().optional(),
  unconfirmed: z.string().optional(),
  holdsEmpty: z.boolean().optional()
}) satisfies z.ZodType<AssertionResult>;

export const staticFindingSchema = z.object({
  line: z.number(),
  column: z.number().optional(),
  code: z.string(),
  message: z.string(),
  severity: z.enum(['error', 'warning'])
}) satisfies z.ZodType<StaticFinding>;

const scorerResult = z.object({
  value: z
    .number()
    .nullish()
    .transform(value => value ?? null),
  goal: z.enum(['min', 'max']),
  name: z.string(),
  unit: z.string().optional(),
  comment: z.string().optional(),
  error: executionErrorSchema.optional(),
  broken: z.string().optional(),
  confirmed: z.boolean().optional(),
  unconfirmed: z.string().optional()
}) satisfies z.ZodType<ScorerResult>;

export const failedCallSchema = z.object({
  source: z.string(),
  name: z.string()
}) satisfies z.ZodType<FailedCall>;

const repairReport = z.object({
  callRan: z.boolean().optional(),
  sameCallRan: z.boolean().optional(),
  value: z.string().optional(),
  silenced: z.boolean(),
  unclear: z.enum(['skipped', 'handled']).optional(),
  missing: z.array(z.string()),
  call: failedCallSchema.optional()
}) satisfies z.ZodType<RepairReport>;

/** As the kernel reports it: the caller alone knows `totalMs`. */
export const kernelExecutionSchema = z.object({
  id: z.string(),
  status: z.enum(['completed', 'error', 'cut']),
  stop: z
    .enum([
      'timeout',
      'memory',
      'output',
      'cpu',
      'processes',
      'files',
      'crashed',
      'harness',
      'stopped',
      'interrupted',
      'kernel-died',
      'kernel-restarted'
    ])
    .optional(),
  stopMessage: z.string().optional(),
  stack: z.string().optional(),
  error: executionErrorSchema.optional(),
  assertions: z.array(assertionResultSchema),
  findings: z.array(staticFindingSchema).optional(),
  repair: repairReport.optional(),
  scored: scorerResult.optional(),
  stdout: z.string(),
  stderr: z.string(),
  displays: z.array(
    z.object({
      mime: z.string(),
      data: z.string(),
      text: z.string().optional(),
      leftOut: z.number().optional()
    })
  ),
  isolation: isolationSchema,
  filesWritten: z.array(z.string()),
  denied: z.array(z.string()),
  tampering: z.array(z.string()),
  warnings: z.array(z.string()),
  durationMs: z.number(),
  confirmMs: z.number().optional()
}) satisfies z.ZodType<Omit<Execution, 'totalMs'>>;

export const variableInfoSchema = z.object({
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
}) satisfies z.ZodType<VariableInfo>;
