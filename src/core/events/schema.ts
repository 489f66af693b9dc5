/** All events: what each holds, and what a journal is read with. */
import * as z from 'zod';
import {
  assertionResultSchema,
  executionErrorSchema,
  failedCallSchema,
  isolationSchema,
  kernelExecutionSchema,
  variableInfoSchema
} from './executionSchema';
import { CHECKING_EVALUATORS } from '../domain/evaluators';
import { settingsSchema } from '../settings';

const execution = kernelExecutionSchema.extend({ totalMs: z.number() });

const count = z.number().int().min(0);

const usage = z.object({
  calls: count,
  promptTokens: count,
  completionTokens: count,
  estimated: z.boolean(),
  cost: z.number().min(0).nullable(),
  listed: z.string().optional()
});

const evaluation = z.enum(['pass', 'needs-improvement', 'fail', 'unknown']);

const metric = z.object({
  name: z.string(),
  value: z.number(),
  goal: z.enum(['min', 'max']),
  unit: z.string().optional()
});

const verdictPart = z.object({
  evaluator: z.string(),
  evaluation,
  score: z.number().nullable(),
  metric: metric.optional(),
  reasons: z.array(z.string()),
  passed: z.number().optional(),
  total: z.number().optional()
});

const verdict = verdictPart.extend({ parts: z.array(verdictPart).optional() });

const contextValues = z.enum(['none', 'types', 'samples']);

const checkCell = z.object({
  cellId: z.string(),
  index: z.number(),
  role: z.enum(['assertion', 'holdout']),
  source: z.string(),
  statements: z.number(),
  skipped: z.array(z.number()).optional()
});

const checkLine = z.object({ cellId: z.string(), line: z.number() });

const disputedCheck = checkLine.extend({
  index: z.number(),
  source: z.string()
});

const objection = { number: count, reason: z.string() };

const dispute = z.object({ ...objection, check: disputedCheck });

const scorerCell = z.object({
  cellId: z.string(),
  index: z.number(),
  source: z.string()
});

const kind = z.enum(['code', 'markdown']);

const requestChecks = {
  assertions: z.array(checkCell),
  holdouts: z.array(checkCell),
  scorer: scorerCell.optional(),
  hiddenNames: z.array(z.string()).optional(),
  hiddenData: z.array(z.string()).optional(),
  ownNames: z.array(z.string()).optional(),
  askedNames: z.array(z.string()).optional()
};

const request = z.object({
  session: z.string(),
  path: z.string(),
  language: z.string(),
  target: z.object({
    cellId: z.string(),
    index: z.number(),
    kind,
    source: z.string()
  }),
  prompt: z.string(),
  promptOrigin: z.enum([
    'magic',
    'panel',
    'comment',
    'docstring',
    'markdown',
    'none'
  ]),
  ...requestChecks,
  rightChecks: z
    .array(z.object({ cellId: z.string(), source: z.string() }))
    .optional(),
  keepsLeftOut: z.boolean().optional(),
  part: z.object({ first: z.number(), last: z.number() }).optional(),
  repair: z
    .object({
      error: executionErrorSchema.optional(),
      call: failedCallSchema.optional(),
      names: z.array(z.string()),
      changed: z.array(z.string())
    })
    .optional(),
  followUp: z
    .object({ text: z.string(), history: z.array(z.string()) })
    .optional(),
  context: z.object({
    cells: z.array(
      z.object({
        cellId: z.string(),
        index: z.number(),
        kind,
        source: z.string(),
        cut: z.boolean(),
        ran: z.boolean().optional()
      })
    ),
    cellsLeftOut: z.number(),
    variables: z.array(variableInfoSchema),
    values: contextValues
  }),
  options: settingsSchema
});

const model = z.object({
  profile: z.string(),
  model: z.string(),
  host: z.string(),
  recorded: z.boolean(),
  context: z.number().optional()
});

const messages = z.array(
  z.object({
    role: z.enum(['system', 'user', 'assistant']),
    content: z.string()
  })
);

const cleanResult = z.object({ passed: z.boolean(), message: z.string() });

const outcome = z.object({
  passed: z.boolean(),
  checkedBy: z.enum([...CHECKING_EVALUATORS, 'none']),
  dispute: z
    .object({
      ...objection,
      attempt: z.number(),
      check: disputedCheck,
      given: z
        .object({ attempt: z.number(), result: assertionResultSchema })
        .optional()
    })
    .optional(),
  clean: cleanResult.optional(),
  confirmed: z.object({ n: z.number(), of: z.number() }).optional(),
  stopReason: z.enum([
    'passed',
    'max-attempts',
    'patience',
    'target',
    'budget',
    'timeout',
    'stopped',
    'rejected',
    'kernel-died',
    'kernel-restarted',
    'model-error',
    'refused',
    'internal-error',
    'target-changed',
    'disputed',
    'no-checks',
    'runs'
  ]),
  best: z
    .object({
      attempt: z.number(),
      candidate: z.string(),
      thoughts: z.string(),
      evaluation,
      score: z.number().nullable(),
      metric: metric.optional(),
      passed: z.number(),
      total: z.number()
    })
    .nullable(),
  attempts: z.number(),
  scoreHistory: z.array(z.number().nullable()),
  usage,
  modelMs: z.number(),
  kernelMs: z.number(),
  error: z
    .object({
      code: z.string(),
      message: z.string(),
      kind: z
        .enum(['input', 'config', 'model', 'kernel', 'server', 'budget'])
        .optional(),
      traceback: z.string().optional()
    })
    .optional()
});

const failure = z.object({ code: z.string(), message: z.string() });
const attempt = z.number().int().min(0);
/** Why a model is waited for. */
const modelWait = z.discriminatedUnion('type', [
  // It has sent nothing for so long, ms.
  z.object({
    type: z.literal('silence'),
    host: z.string(),
    model: z.string(),
    ms: z.number()
  }),
  // It has read so many tokens of the prompt, of so many.
  z.object({
    type: z.literal('reading'),
    tokens: z.number(),
    of: z.number()
  }),
  // A call failed and is made again after so long, ms.
  z.object({ type: z.literal('retry'), reason: z.string(), ms: z.number() })
]);
/** What the session waits for, besides model and kernel working. */
const waitSubject = z.enum(['human', 'permission', 'kernel', 'model']);

function event<Type extends string, Shape extends z.ZodRawShape>(
  type: Type,
  shape: Shape
) {
  return z.object({
    type: z.literal(type),
    /** Milliseconds since the epoch. */
    at: z.number(),
    session: z.string(),
    ...shape
  });
}

export const eventSchema = z.discriminatedUnion('type', [
  event('session-start', {
    request,
    model: model.nullable(),
    isolation: isolationSchema
  }),
  event('attempt-start', {
    attempt,
    /** The exact messages; empty for attempt 0, and for code that the user wrote. */
    prompt: z.array(z.object({ role: z.string(), content: z.string() })),
    /** Set when the user wrote its code: the attempt whose code was edited. */
    editedFrom: attempt.optional()
  }),
  event('candidate-delta', {
    attempt,
    /** Both are what to append; `reset` voids all earlier deltas of this attempt (a retry). */
    thoughts: z.string(),
    code: z.string(),
    reset: z.boolean().optional(),
    /** A later code block superseded the earlier one: `code` starts again. */
    resetCode: z.boolean().optional()
  }),
  event('candidate-end', {
    attempt,
    thoughts: z.string(),
    code: z.string(),
    title: z.string()
  }),
  event('execution-start', { attempt }),
  event('execution-output', {
    attempt,
    stream: z.enum(['stdout', 'stderr']),
    text: z.string()
  }),
  event('assertion-end', { attempt, result: assertionResultSchema }),
  event('execution-end', { attempt, execution }),
  event('verdict-end', { attempt, verdict }),
  event('feedback-end', { attempt, strategy: z.string(), text: z.string() }),
  event('attempt-end', {
    attempt,
    verdict,
    usage,
    durationMs: z.number(),
    best: z.boolean(),
    /** Set when the attempt had no candidate to run, with the reason. */
    failure: failure.optional()
  }),
  event('model-call', {
    attempt,
    /** What the model was asked for. Of a candidate, `attempt-start` has the prompt. */
    purpose: z.enum(['candidate', 'judge', 'summary']),
    model,
    prompt: messages,
    temperature: z.number().nullable(),
    maxOutputTokens: z.number().nullable(),
    answer: z.string(),
    reasoning: z.string(),
    finishReason: z.enum(['stop', 'length', 'other']).nullable()
  }),
  event('dispute', { attempt, dispute }),
  /** Of this one call, and of the session so far. */
  event('usage', { attempt, usage, total: usage }),
  event('wait-start', {
    for: waitSubject,
    reason: z.string(),
    model: modelWait.optional()
  }),
  event('wait-end', { for: waitSubject }),
  event('repeat', { attempt, of: attempt }),
  event('restart', { attempt, reason: z.string() }),
  event('hint', { text: z.string() }),
  /** The user chose the attempt that the next ones refine. */
  event('base', { attempt }),
  event('pause', { paused: z.boolean() }),
  event('permission', {
    subject: z.enum(['live', 'network', 'writes', 'continue', 'execute']),
    granted: z.boolean()
  }),
  event('tamper', { attempt, message: z.string() }),
  event('warning', {
    attempt: attempt.optional(),
    message: z.string(),
    /** The checking statement it is about. */
    check: checkLine.optional()
  }),
  event('session-end', { outcome }),
  /** After the end: the candidate of an attempt was repeated in a fresh kernel. */
  event('fresh-kernel', { attempt, result: cleanResult }),
  /** After the end: a question of the user that a model answered in words. */
  event('explanation', {
    question: z.string(),
    text: z.string(),
    usage
  }),
  /** After the end: what became of an attempt in the notebook. */
  event('acceptance', {
    attempt,
    status: z.enum([
      /** The cell held it already. */
      'unchanged',
      /** Written to its cell, not run. */
      'inserted',
      /** Written to its cell and run. */
      'ran',
      /** It failed when it was run for real. */
      'failed',
      /** The cell has the code from before the session again. */
      'restored'
    ]),
    /** What was written, where it is not the whole candidate. */
    source: z.string().optional()
  })
]);
