/** One task: a notebook of a target and a check cell, refined by the loop as `run` refines one. */
import { passConfirmation } from '../../core/domain/checks/confirmation';
import type { AttemptState } from '../../core/events/state';
import type { ILanguageModel } from '../../core/domain/model';
import type { RefineOptions } from '../../core/options';
import { CellTags, type NotebookCell } from '../../notebook';
import { nobody } from '../cli/questions';
import type { IEventSink } from '../files/eventFile';
import { reasonOf } from '../report/reasons';
import type { Progress } from '../report/progress';
import { oneLine } from '../report/text';
import {
  bestAttempt,
  resultOf,
  runTarget,
  type FinishedSession
} from '../run/target/targetRun';
import type { WarmExecutor } from '../warm/warmExecutor';
import type { FailureKind, TaskResult } from './results';
import type { Task } from './tasks';

const WIDTH = 300;
/** Id of the check cell. */
const CHECK = 'check';

export type TaskPorts = {
  readonly executor: WarmExecutor;
  readonly progress: Progress;
  readonly events: IEventSink;
  readonly signal: AbortSignal;
};

/** Never rejects for what a candidate does. */
export async function runTask(
  task: Task,
  model: ILanguageModel,
  settings: RefineOptions,
  ports: TaskPorts
): Promise<Omit<TaskResult, 'cpuMs'>> {
  const startedAt = performance.now();
  const cells = cellsOf(task);
  const target = {
    cellId: 'target',
    index: 0,
    kind: 'code',
    source: task.stub
  } as const;
  const session = await runTarget({
    path: task.id,
    cells,
    target,
    language: 'python',
    settings,
    prompt: task.prompt,
    models: { generator: model, evaluator: null },
    questions: nobody,
    ...ports
  });
  const wallMs = performance.now() - startedAt;
  return { ...taskResult(task, session), wallMs };

  function taskResult(
    { id }: Task,
    finished: FinishedSession
  ): Omit<TaskResult, 'cpuMs' | 'wallMs'> {
    const { outcome, state } = finished;
    const { passed, usage, modelMs, kernelMs, stopReason } = outcome;
    const result = resultOf(target, finished);
    const made = state.attempts.filter(({ attempt }) => attempt > 0);
    const best = bestAttempt(state, outcome);
    const isFault =
      result.status !== 'passed' &&
      result.status !== 'failed' &&
      stopReason !== 'refused';
    return {
      task: id,
      solved: passed,
      solvedBy: passed ? (outcome.best?.attempt ?? null) : null,
      attempts: outcome.attempts,
      stopReason,
      failures: made.map(failureOf),
      confirmed: passed ? passConfirmation(best?.execution) : null,
      programs: made.map(({ code }) => code),
      promptTokens: usage.promptTokens,
      completionTokens: usage.completionTokens,
      estimated: usage.estimated,
      cost: usage.cost,
      modelMs,
      kernelMs,
      error: isFault ? oneLine(result.message || stopReason, WIDTH) : null
    };
  }
}

function cellsOf({ stub, checks }: Task): readonly NotebookCell[] {
  const cell = (id: string, source: string, tags: readonly string[]) =>
    ({ id, type: 'code', source, metadata: { tags } }) as const;
  return [cell('target', stub, []), cell(CHECK, checks, [CellTags.assertion])];
}

/** Null for an attempt that passed. */
function failureOf({
  execution,
  verdict,
  failure,
  code,
  dispute
}: AttemptState): {
  readonly kind: FailureKind;
  readonly message: string;
} | null {
  if (verdict?.evaluation === 'pass') {
    return null;
  }
  const ofRun = execution ? reasonOf(execution) : null;
  if (ofRun) {
    return { kind: ofRun.kind, message: ofRun.message };
  }
  if (dispute) {
    return { kind: 'disputed', message: oneLine(dispute.reason, WIDTH) };
  }
  const message = oneLine(
    failure?.message ?? verdict?.reasons[0] ?? 'not accepted',
    WIDTH
  );
  return code === ''
    ? { kind: 'no-code', message }
    : { kind: failure ? 'fault' : 'not-accepted', message };
}
