/** What became of the tasks, as the report of a benchmark holds it. */
import * as z from 'zod';
import type { ReasonKind } from '../report/reasons';

/** Beyond the kinds of a failed execution: `no-code` is an answer without a program. */
export type FailureKind = ReasonKind | 'no-code' | 'disputed';

const failureSchema = z.object({
  kind: z.string(),
  /** A sentence without its full stop. */
  message: z.string()
});

export const taskResultSchema = z.object({
  task: z.string(),
  solved: z.boolean(),
  /** The attempt that solved it, from 1; null without. */
  solvedBy: z.number().int().nullable(),
  /** Attempts that were made. */
  attempts: z.number().int(),
  stopReason: z.string(),
  /** Why each attempt failed, in order; of one that passed, null. */
  failures: z.array(failureSchema.nullable()),
  /** Checks of the pass that a second process confirmed, of those that held; null without a pass. */
  confirmed: z.object({ n: z.number(), of: z.number() }).nullable(),
  /** The programs, in order. */
  programs: z.array(z.string()),
  promptTokens: z.number(),
  completionTokens: z.number(),
  /** True where the provider did not count the tokens. */
  estimated: z.boolean(),
  /** US dollars; null where the price is not known. */
  cost: z.number().nullable(),
  /** Wall time of the session, of its model calls and of its executions, ms. */
  wallMs: z.number(),
  modelMs: z.number(),
  kernelMs: z.number(),
  /** CPU time of its executions, ms; null where it cannot be measured. */
  cpuMs: z.number().nullable(),
  /** Why there is no result: the task counts in no figure. Null: there is one. */
  error: z.string().nullable()
});

export type TaskResult = z.infer<typeof taskResultSchema>;

/** One pass over all tasks, with one set of settings. */
export const runSchema = z.object({
  /** `feedback=raw`; empty without `--sweep`. */
  label: z.string(),
  maxAttempts: z.number().int(),
  tasks: z.array(taskResultSchema)
});

export type BenchRun = z.infer<typeof runSchema>;

/** What `--json` prints and `report.json` holds; `--compare` reads it. */
export const reportSchema = z.object({
  command: z.literal('bench'),
  version: z.string(),
  tasksFile: z.string(),
  model: z.string(),
  /** Tasks of the file without a recorded answer or a reference. */
  leftOut: z.number().int(),
  workers: z.number().int(),
  runs: z.array(runSchema).min(1)
});

export type BenchReport = z.infer<typeof reportSchema>;
