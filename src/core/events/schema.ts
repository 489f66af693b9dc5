/** All events: what each holds, and what a journal is read with. */
import * as z from 'zod';
import {
  assertionResultSchema,
  executionErrorSchema,
  isolationSchema,
  executionSchema,
  variableInfoSchema
} from './executionSchema';
import { CHECKING_EVALUATORS } from '../domain/evaluators';
import { settingsSchema } from '../settings';

const count = z.number().int().min(0);

/** Tokens and money of one call, or a sum of calls. */
export const usageSchema = z.object({
  calls: count,
  promptTokens: count,
  completionTokens: count,
  /** True when the provider sent no usage and it was counted from characters. */
  estimated: z.boolean(),
  /** US dollars; null when the price of the model is unknown. */
  cost: z.number().min(0).nullable()
});

const evaluation = z.enum(['pass', 'needs-improvement', 'fail', 'unknown']);

/** A value with its own unit and direction, never mixed with scores in [0, 1]. */
const metric = z.object({
  name: z.string(),
  value: z.number(),
  goal: z.enum(['min', 'max']),
  unit: z.string().optional()
});

const verdictPart = z.object({
  /** Name of the evaluator: `assertions`, `judge` … */
  evaluator: z.string(),
  evaluation,
  /** In [0, 1]; null when nothing could be scored. */
  score: z.number().nullable(),
  metric: metric.optional(),
  /** Plain sentences for the user and for feedback. */
  reasons: z.array(z.string()),
  /** Statements that held and all of them, when statements decided. */
  passed: z.number().optional(),
  total: z.number().optional()
});

export const verdictSchema = verdictPart.extend({
  /** The verdicts this one was made of, when several evaluators gave one. */
  parts: z.array(verdictPart).optional()
});

/** A cell that checks the target. All of its statements run; those that check make up the n of k/n. */
const checkCell = z.object({
  cellId: z.string(),
  index: z.number(),
  role: z.enum(['assertion', 'holdout']),
  source: z.string(),
  /** Checking statements counted from the source without a kernel; the kernel's own count decides. */
  statements: z.number(),
  /** First lines of checks that the user left out of this session. */
  skipped: z.array(z.number()).optional(),
  /** It sets up for other cells: what it raises is no result. */
  mayFail: z.boolean().optional()
});

const disputedCheck = z.object({
  cellId: z.string(),
  line: z.number(),
  index: z.number(),
  source: z.string()
});

/** A model's objection to a check: that it contradicts the task or another check. */
const objection = {
  /** Of the check, counted from 1 over all visible checks. */
  number: count,
  /** One line, bounded; the model's own words. */
  reason: z.string()
};

export const disputeSchema = z.object({ ...objection, check: disputedCheck });

/** The cell that defines `score(ns)`; see the contract. */
const scorerCell = z.object({
  cellId: z.string(),
  index: z.number(),
  source: z.string()
});

const kind = z.enum(['code', 'markdown']);

const names = z.array(z.string()).optional();

/** What one refinement is asked to do; shown by the panel before anything is sent. */
export const requestSchema = z.object({
  /** Unique id of the session, a UUID. */
  session: z.string(),
  /** Path of the notebook as the server knows it; for display and journal only, never sent. */
  path: z.string(),
  /** Language of the kernel, lower case: `python`, `r`, `julia`. */
  language: z.string(),
  /** The cell whose source is refined. */
  target: z.object({
    cellId: z.string(),
    /** Position in the notebook, from 0. */
    index: z.number(),
    kind,
    /** The source at the start of the session: attempt 0, and what Restore brings back. */
    source: z.string(),
    /** What the cell holds below it, with the line breaks between: checks of its own, which no candidate changes. */
    below: z.string().optional()
  }),
  prompt: z.string(),
  /** Where the prompt was found, in the contract's order. */
  promptOrigin: z.enum([
    'magic',
    'panel',
    'comment',
    'docstring',
    'markdown',
    'none'
  ]),
  assertions: z.array(checkCell),
  holdouts: z.array(checkCell),
  /** Measures what passes the assertions; absent: nothing is measured. */
  scorer: scorerCell.optional(),
  /** Names that only hold-out cells define; no candidate sees them. */
  hiddenNames: names,
  /** Names of live variables that the scorer sees and no candidate does (`refine-hide`). */
  hiddenData: names,
  /** Names that the checks read and nothing but the target binds: its results, also those of an earlier run. */
  ownNames: names,
  /** Names that the checks read and the target must define, even where a library has bound them. */
  askedNames: names,
  /** Checks that a model disputed and the user confirmed as right, as long as their source is what it was. */
  rightChecks: z
    .array(z.object({ cellId: z.string(), source: z.string() }))
    .optional(),
  /** The lines of the target that are refined; absent: all of it. */
  part: z.object({ first: z.number(), last: z.number() }).optional(),
  /** The error of the target to fix. */
  repair: z
    .object({
      /** As the notebook shows it; absent: the cell was edited since, and attempt 0 runs it. */
      error: executionErrorSchema.optional(),
      /** Names that the cell defines, imports and loop variables left out. */
      names: z.array(z.string()),
      /** Variables that the failed run changed: attempts start from what they hold now. */
      changed: z.array(z.string())
    })
    .optional(),
  /** The target is the result of an earlier session, and is to be changed. */
  followUp: z
    .object({
      /** In the user's words. */
      text: z.string(),
      /** What the sessions before did, as prompts report it, oldest first; made of visible stages alone. */
      history: z.array(z.string())
    })
    .optional(),
  /** What goes to the model beside prompt and checks. */
  context: z.object({
    /** Cells above the target, in notebook order; nearest were chosen first. */
    cells: z.array(
      z.object({
        cellId: z.string(),
        index: z.number(),
        kind,
        source: z.string(),
        /** True when the source was cut to stay within the character budget. */
        cut: z.boolean(),
        /** False: it has not run in this kernel, and what it defines is not there. */
        ran: z.boolean().optional()
      })
    ),
    /** Cells above that the budget left out. */
    cellsLeftOut: z.number(),
    variables: z.array(variableInfoSchema),
    values: z.enum(['none', 'types', 'samples']),
    /** What was masked in the cells, one sentence each. */
    notes: z.array(z.string()).optional()
  }),
  options: settingsSchema
});

/** Who answers; always visible to the user. */
export const modelSchema = z.object({
  profile: z.string(),
  model: z.string(),
  /** Host name without path: `localhost:11434`. */
  host: z.string(),
  /** True for recorded answers (`demo`, `--replay`): labelled so everywhere. */
  recorded: z.boolean(),
  /** Tokens of prompt and answer together, where the server says it. */
  context: z.number().optional()
});

const messages = z.array(
  z.object({
    role: z.enum(['system', 'user', 'assistant']),
    content: z.string()
  })
);

/** A pass repeated in a fresh kernel with the cells above; one sentence. */
const cleanResult = z.object({ passed: z.boolean(), message: z.string() });

export const outcomeSchema = z.object({
  passed: z.boolean(),
  checkedBy: z.enum([...CHECKING_EVALUATORS, 'none']),
  /** Set with `disputed`: the objection, and what the best candidate gives there. */
  dispute: z
    .object({
      ...objection,
      /** Attempt whose answer held it. */
      attempt: z.number(),
      check: disputedCheck,
      /** Absent: no candidate has run so far. */
      given: z
        .object({ attempt: z.number(), result: assertionResultSchema })
        .optional()
    })
    .optional(),
  /** Absent: it was not repeated. */
  clean: cleanResult.optional(),
  /** Of a pass: checks that a process confirmed which never ran the candidate, of those that held. */
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
    // The model or its content filter refused; the same prompt is not sent again.
    'refused',
    // A bug of this extension; the error says where to report it.
    'internal-error',
    // The target was deleted.
    'target-changed',
    // The model says that a check contradicts the task or another check; the user decides. Never a pass.
    'disputed',
    'no-checks',
    // The error is fixed: the cell runs, and nothing checks it.
    'runs'
  ]),
  /** The best attempt so far: what every exit keeps. 0 is what the cell held at the start. */
  best: z
    .object({
      attempt: z.number(),
      candidate: z.string(),
      /** What the model wrote before it; empty for none. */
      thoughts: z.string(),
      evaluation,
      score: z.number().nullable(),
      metric: metric.optional(),
      passed: z.number(),
      total: z.number()
    })
    .nullable(),
  /** Attempts started, attempt 0 not counted. */
  attempts: z.number(),
  scoreHistory: z.array(z.number().nullable()),
  /** The score reached its target, or stopped moving, whatever ended the session. */
  converged: z.boolean(),
  usage: usageSchema,
  /** Wall time spent waiting for models, and in executions, ms. */
  modelMs: z.number(),
  kernelMs: z.number(),
  /** Set with `model-error`, `refused`, `internal-error` and `kernel-*`: the message for the user. */
  error: z
    .object({
      code: z.string(),
      message: z.string(),
      kind: z
        .enum(['input', 'config', 'model', 'kernel', 'server', 'budget'])
        .optional(),
      /** Of what failed in a fork before the candidate started. */
      traceback: z.string().optional()
    })
    .optional()
});

/** One call as it was made, whatever ended it. */
export const modelCallSchema = z.object({
  model: modelSchema,
  prompt: messages,
  /** Null: the provider's default. */
  temperature: z.number().nullable(),
  maxOutputTokens: z.number().nullable(),
  /** All text of the answer as it came, without a reasoning channel. */
  answer: z.string(),
  reasoning: z.string(),
  /** Null: it failed, was stopped, or enough had been read. */
  finishReason: z.enum(['stop', 'length', 'other']).nullable()
});

const failure = z.object({ code: z.string(), message: z.string() });
const attempt = z.number().int().min(0);
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
    request: requestSchema,
    model: modelSchema.nullable(),
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
    /** Both are what to append; `reset` voids all earlier deltas of this attempt (a retry, or a later code block). */
    thoughts: z.string(),
    code: z.string(),
    reset: z.boolean().optional()
  }),
  event('candidate-end', {
    attempt,
    thoughts: z.string(),
    code: z.string()
  }),
  event('execution-start', { attempt }),
  event('execution-output', {
    attempt,
    stream: z.enum(['stdout', 'stderr']),
    text: z.string()
  }),
  event('assertion-end', { attempt, result: assertionResultSchema }),
  event('execution-end', { attempt, execution: executionSchema }),
  event('verdict-end', { attempt, verdict: verdictSchema }),
  event('feedback-end', { attempt, strategy: z.string(), text: z.string() }),
  event('attempt-end', {
    attempt,
    verdict: verdictSchema,
    usage: usageSchema,
    durationMs: z.number(),
    best: z.boolean(),
    /** Set when the attempt had no candidate to run, with the reason. */
    failure: failure.optional()
  }),
  event('model-call', {
    attempt,
    /** What the model was asked for. Of a candidate, `attempt-start` has the prompt. */
    purpose: z.enum(['candidate', 'judge', 'summary']),
    ...modelCallSchema.shape
  }),
  event('dispute', { attempt, dispute: disputeSchema }),
  /** Of this one call, and of the session so far. */
  event('usage', { attempt, usage: usageSchema, total: usageSchema }),
  event('wait-start', { for: waitSubject, reason: z.string() }),
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
    message: z.string()
  }),
  event('session-end', { outcome: outcomeSchema }),
  /** After the end: the candidate of an attempt was repeated in a fresh kernel. */
  event('fresh-kernel', { attempt, result: cleanResult }),
  /** After the end: a question of the user that a model answered in words. */
  event('explanation', {
    question: z.string(),
    text: z.string(),
    usage: usageSchema
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
