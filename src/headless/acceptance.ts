/** What happens after a pass: run for real where that is harmless or allowed, and the edits that keep it. */
import type { Execution } from '../core/execution';
import type { RefineRequest } from '../core/request';
import { decideOnPass, type CellEdit, type PassDoubt } from '../notebook';
import type { ICellRunner } from './liveKernel';
import type { IQuestions } from './questions';
import { printable } from './text';

export type Acceptance = {
  readonly accepted: 'inserted' | 'ran';
  /** What the kernel gave for the target and its assertion cells, where they were run. */
  readonly edits: readonly CellEdit[];
  /** Set when it failed for real although the attempt passed. */
  readonly failure: string | null;
  /** Why it was not run; empty when it was. */
  readonly notRun: readonly string[];
};

export type AcceptanceInput = {
  readonly request: RefineRequest;
  readonly candidate: string;
  /** Of the attempt that passed. */
  readonly execution: Execution | null;
  readonly kernel: ICellRunner;
  readonly questions: IQuestions;
  readonly signal: AbortSignal;
};

export async function accept(input: AcceptanceInput): Promise<Acceptance> {
  const { request, candidate, execution, questions, signal } = input;
  const written: CellEdit = {
    cellId: request.target.cellId,
    source: candidate
  };
  // The kernel here is the command's own, and an attempt that could write or
  // reach out for real has done so already.
  const decision = decideOnPass(request.options.onPass, execution, {
    live: request.options.isolation === 'live',
    files: true,
    network: true
  });
  const doubts =
    decision.action === 'ask' ? decision.doubts.map(doubtText) : [];
  const mayRun =
    request.target.kind === 'code' &&
    decision.action !== 'insert' &&
    (decision.action === 'run' ||
      (await questions.yes(
        ['The attempt passed.', ...doubts, 'Run it for real now?'].join(' '),
        signal
      )));
  return mayRun
    ? runForReal(input, written)
    : {
        accepted: 'inserted',
        edits: [{ ...written, outputs: [], executionCount: null }],
        failure: null,
        notRun: doubts.length > 0 ? doubts : ['It was not to be run.']
      };
}

async function runForReal(
  { request, kernel, signal, candidate }: AcceptanceInput,
  written: CellEdit
): Promise<Acceptance> {
  const edits: CellEdit[] = [];
  const cells = [
    { ...written, run: candidate },
    ...request.assertions.map(check => ({
      cellId: check.cellId,
      run: check.source
    }))
  ];
  let failure: string | null = null;
  for (const { run: source, ...edit } of cells) {
    const run = await kernel.run(source, signal);
    edits.push({
      ...edit,
      outputs: run.outputs,
      executionCount: run.executionCount
    });
    if (run.error) {
      failure = `passed as an attempt, failed when run for real: ${run.error.name}: ${printable(run.error.message)}`;
      break;
    }
  }
  return { accepted: 'ran', edits, failure, notRun: [] };
}

function doubtText(doubt: PassDoubt): string {
  switch (doubt.type) {
    case 'not-isolated':
      return 'It did not run isolated.';
    case 'files-open':
      return 'It could write files.';
    case 'network-open':
      return 'It could reach the network.';
    case 'wrote':
      return `It wrote ${doubt.files.map(printable).join(', ')}.`;
    case 'denied':
      return `It was denied: ${doubt.what.map(printable).join(', ')}.`;
  }
}
