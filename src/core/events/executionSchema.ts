/**
 * What an execution gave: the kernel's answers and a journal's events are read
 * with these schemas, and the types of `domain/` are made of them.
 */
import * as z from 'zod';

/** How far an attempt is kept from the user's live kernel and machine. */
export const isolationSchema = z.object({
  /** `fork` a copy-on-write child; `sidecar` another kernel; `live` the user's kernel itself. */
  mode: z.enum(['fork', 'sidecar', 'live']),
  /** True where an attempt cannot change the kernel's objects. */
  memory: z.boolean(),
  /** `overlay` writes vanish; `denied` writes fail; `open` writes are real. */
  files: z.enum(['overlay', 'denied', 'open']),
  /** True where an attempt cannot reach the network. */
  network: z.boolean(),
  /** Plain sentences: why a capability is missing. */
  reasons: z.array(z.string())
});

export const localVariableSchema = z.object({
  name: z.string(),
  type: z.string(),
  shape: z.string().optional(),
  repr: z.string().optional()
});

/** A raised error, as the kernel reported it. */
export const executionErrorSchema = z.object({
  /** `KeyError` */
  name: z.string(),
  message: z.string(),
  /** Plain text without ANSI codes, cut in the middle beyond 12,000 characters. */
  traceback: z.string(),
  /** Line in the candidate where it was raised, from 1, if it was raised there. */
  candidateLine: z.number().optional(),
  /** Of the innermost user frame; bounded, secrets redacted. */
  locals: z.array(localVariableSchema).optional(),
  /** Where it passed through more than one frame of the user's code: these, outermost first, at most 10. */
  frames: z
    .array(
      z.object({
        /** `<module>` outside of functions. */
        function: z.string(),
        /** Whose code it is: the attempt's, a check's, or that of an earlier cell. */
        where: z.enum(['candidate', 'check', 'cell']),
        /** Line in that code, from 1. */
        line: z.number(),
        locals: z.array(localVariableSchema)
      })
    )
    .optional()
});

/** One side of a failed comparison. */
const observedValue = z.object({
  /** As written: `len(monthly)`. */
  expression: z.string(),
  type: z.string(),
  repr: z.string(),
  shape: z.string().optional(),
  dtype: z.string().optional()
});

/** The result of one checking statement, or of a test that it ran; of a hold-out its place and the outcome of all hold-outs. */
export const assertionResultSchema = z.object({
  /**
   * `cellId:line`, with `.` and the name for a test that a framework ran; stable
   * between attempts as long as the check cell is.
   */
  id: z.string(),
  cellId: z.string(),
  role: z.enum(['assertion', 'holdout']),
  /** Line in its cell, from 1. */
  line: z.number(),
  /** Source of the statement, cut beyond 2,000 characters; of a test its name. */
  source: z.string(),
  outcome: z.enum(['passed', 'failed', 'error', 'not-run']),
  durationMs: z.number(),
  /** For a failed comparison: `==`, `in`, `is` … */
  operator: z.string().optional(),
  expected: observedValue.optional(),
  observed: observedValue.optional(),
  /** Further recorded operands: the arguments of a call, the parts of an `and`. */
  operands: z.array(observedValue).optional(),
  /** What differs, in words: `no key 'b'`, or a text diff for long values. */
  difference: z.string().optional(),
  error: executionErrorSchema.optional(),
  /** Of a pass: whether a process that never ran the candidate saw it hold. Absent where there is no such process. */
  confirmed: z.boolean().optional(),
  /** Why it is not confirmed: a clause without its full stop. */
  unconfirmed: z.string().optional(),
  /** It also holds where all that the candidate defines is empty, so it says nothing about the code. */
  holdsEmpty: z.boolean().optional()
});

/** What was found in a candidate's source without running it. */
export const staticFindingSchema = z.object({
  /** Line in the candidate, from 1. */
  line: z.number(),
  /** `syntax`, `undefined-name`, or the code of the tool that found it: `F401`. */
  code: z.string(),
  message: z.string(),
  /** `error` for what cannot run. */
  severity: z.enum(['error', 'warning'])
});

/** What the scorer cell measured. */
export const scorerResultSchema = z.object({
  /** Finite; null when the scorer gave none, see `error`. */
  value: z
    .number()
    .nullish()
    .transform(value => value ?? null),
  goal: z.enum(['min', 'max']),
  /** `rmse`, from the cell; `score` where it has none. */
  name: z.string(),
  unit: z.string().optional(),
  comment: z.string().optional(),
  error: executionErrorSchema.optional(),
  /** Why it can measure nothing, whatever the candidate is: as a sentence without its full stop. */
  broken: z.string().optional(),
  /** As for an assertion. */
  confirmed: z.boolean().optional(),
  unconfirmed: z.string().optional()
});

/** What was seen while a candidate ran that is to fix an error. */
export const repairReportSchema = z.object({
  /** Code that does nothing with it caught the same error. */
  silenced: z.boolean(),
  /** What may be honest and may hide the error: code that does something with it caught the same error. */
  handled: z.boolean().optional(),
  /** Names that the cell defined and the candidate does not. */
  missing: z.array(z.string())
});

/** A rich output of the candidate, in the first form that can be shown; data of a candidate, never to be trusted. */
export const displaySchema = z.object({
  mime: z.string(),
  data: z.string(),
  /** The same as plain text, where it has that, too; the beginning. */
  text: z.string().optional(),
  /** Its size where it was not kept, characters: `data` is empty then. */
  leftOut: z.number().optional()
});

/** As the kernel reports it. Everything but the results of hold-outs comes from the candidate and the visible checks. */
export const kernelExecutionSchema = z.object({
  id: z.string(),
  /**
   * `completed`: everything ran to its end, whatever the assertions said.
   * `error`: the candidate raised (assertions were not run).
   * `cut`: ended from outside, see `stop`.
   */
  status: z.enum(['completed', 'error', 'cut']),
  stop: z
    .enum([
      'timeout',
      'memory',
      'output',
      'cpu',
      'processes',
      'crashed',
      // What runs the candidate failed, not the candidate.
      'harness',
      'stopped',
      'interrupted',
      'kernel-died',
      'kernel-restarted'
    ])
    .optional(),
  /** One sentence with the numbers: `timeout: limit 2 s, used 2.0 s, in line 3`. */
  stopMessage: z.string().optional(),
  /** Python stack at the cut, plain text. */
  stack: z.string().optional(),
  /** What the candidate itself raised. */
  error: executionErrorSchema.optional(),
  assertions: z.array(assertionResultSchema),
  /** Absent: there were no static checks. A gated candidate has the error `StaticError`. */
  findings: z.array(staticFindingSchema).optional(),
  /** Absent: no error is to be fixed, or nothing could watch the candidate. */
  repair: repairReportSchema.optional(),
  /** Absent: there is no scorer, or the checks before it did not all hold. */
  scored: scorerResultSchema.optional(),
  /** Text that candidate and checks printed; bounded. */
  stdout: z.string(),
  stderr: z.string(),
  displays: z.array(displaySchema),
  isolation: isolationSchema,
  /** As far as known: kept in the overlay, or denied. */
  filesWritten: z.array(z.string()),
  /** In words: `tried to reach example.org:443`. */
  denied: z.array(z.string()),
  /** Reasons to distrust a pass, in words; non-empty means never `pass`. */
  tampering: z.array(z.string()),
  warnings: z.array(z.string()),
  /** Wall time of candidate and checks in the kernel, ms. */
  durationMs: z.number(),
  /** Wall time of the confirmation after them, ms; absent where there was none. */
  confirmMs: z.number().optional()
});

export const executionSchema = kernelExecutionSchema.extend({
  /** Wall time seen by the caller, ms; the difference is the overhead. */
  totalMs: z.number()
});

/** What the kernel reports about one live variable, as `contextValues` allows. */
export const variableInfoSchema = z.object({
  name: z.string(),
  /** Qualified type name: `pandas.core.frame.DataFrame`. */
  type: z.string(),
  /** For arrays and frames: `[12, 3]`. */
  shape: z.array(z.number()).optional(),
  /** For containers and strings. */
  length: z.number().optional(),
  dtype: z.string().optional(),
  /** For frames: column name and dtype, at most 100 of them. */
  columns: z.array(z.tuple([z.string(), z.string()])).optional(),
  /** For functions and classes: `(n: int) -> int`, and the first line of the docstring. */
  signature: z.string().optional(),
  doc: z.string().optional(),
  /** A short repr; only with `contextValues: samples`. */
  sample: z.string().optional(),
  /** Set when the name or the value looks secret: nothing else is reported then. */
  redacted: z.boolean().optional()
});
