/** What happens after a pass: run for real where that is harmless or allowed, and the edits that keep it. */
import {
  unconfirmedLines,
  unconfirmedSummary
} from '../../../core/text/confirmationWords';
import { english } from '../../../core/text/english';
import type { Execution } from '../../../core/domain/execution';
import type { RefineRequest } from '../../../core/domain/request';
import {
  acceptedSource,
  decideOnPass,
  type CellEdit,
  type PassDoubt
} from '../../../notebook';
import type { ICellRunner } from '../../server/liveKernel';
import type { IQuestions } from '../../cli/questions';
import { errorText, printable } from '../../report/text';

export type Acceptance = {
  readonly accepted: 'inserted' | 'ran';
  /** What the kernel gave for the target and its assertion cells, where they were run. */
  readonly edits: readonly CellEdit[];
  /** Set when it failed for real although the attempt passed. */
  readonly failure: string | null;
  /** Why it was not run; null when it was, and for prose. */
  readonly notRun: string | null;
  /** It may still run in the command's own kernel, as a later target may build on it. */
  readonly mayRunLater: boolean;
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
  const written = {
    cellId: request.target.cellId,
    source: acceptedSource(request, candidate)
  };
  // The kernel here is the command's own, and an attempt that could write or
  // reach out for real has done so already.
  const allowed = {
    live: request.options.isolation === 'live',
    files: true,
    network: true
  };
  const decision = decideOnPass(request.options.onPass, execution, allowed);
  const doubts =
    decision.action === 'ask' ? decision.doubts.map(doubtText) : [];
  const inserted = (notRun: string | null, mayRunLater = false) => ({
    accepted: 'inserted' as const,
    edits: [{ ...written, outputs: [], executionCount: null }],
    failure: null,
    notRun,
    mayRunLater
  });
  if (request.target.kind !== 'code') {
    return inserted(null);
  }
  if (decision.action === 'insert') {
    return inserted(
      '--on-pass insert.',
      decideOnPass('auto', execution, allowed).action === 'run'
    );
  }
  if (decision.action === 'run') {
    return runForReal(input, written);
  }
  const question = ['The attempt passed.', ...doubts, 'Run it for real now?'];
  if (await questions.yes(question.join(' '), signal)) {
    return runForReal(input, written);
  }
  const reason = questions.canAsk
    ? 'You declined.'
    : 'There is no terminal to ask at.';
  return inserted([...doubts, reason].join(' '));
}

async function runForReal(
  { request, kernel, signal }: AcceptanceInput,
  written: CellEdit & { readonly source: string }
): Promise<Acceptance> {
  const edits: CellEdit[] = [];
  const cells = [
    { ...written, run: written.source },
    ...request.assertions
      .filter(({ cellId }) => cellId !== written.cellId)
      .map(({ cellId, source }) => ({ cellId, run: source }))
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
      failure = `the attempt passed, but the cell failed in the notebook: ${errorText(run.error)}`;
      break;
    }
  }
  return { accepted: 'ran', edits, failure, notRun: null, mayRunLater: false };
}

function doubtText(doubt: PassDoubt): string {
  switch (doubt.type) {
    case 'not-isolated':
      return 'The attempt was not isolated.';
    case 'files-open':
      return 'The attempt could write files.';
    case 'network-open':
      return 'The attempt could reach the network.';
    case 'wrote':
      return `The attempt wrote ${doubt.files.map(printable).join(', ')}${doubt.discarded ? ' (discarded)' : ''}.`;
    case 'denied':
      return `Blocked: the attempt ${doubt.what.map(printable).join('; ')}.`;
    case 'leaves-out':
      return `The answer leaves out ${doubt.names.map(printable).join(', ')}.`;
    case 'not-confirmed':
      return [
        unconfirmedSummary(doubt.confirmation, english),
        ...unconfirmedLines(doubt.confirmation, english)
      ]
        .map(printable)
        .join(' ');
  }
}
