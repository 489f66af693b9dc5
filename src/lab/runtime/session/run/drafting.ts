/** Drafts of assertions for a cell that has no check, and what the user may make of them. */
import type { IExecutor } from '../../../../core/domain/executor';
import type { ILanguageModel, Usage } from '../../../../core/domain/model';
import type { RefineRequest } from '../../../../core/domain/request';
import { draftAssertions } from '../../../../core/drafts/drafts';
import { withEdited } from '../../../../core/drafts/edited';
import type { WaitFor } from '../../../../core/events/events';
import { approveDrafts } from '../../cells/draftApproval';
import type { Questions } from '../../questions';
import type { SessionPorts } from '../ports';

type Draft = {
  readonly model: ILanguageModel;
  readonly request: RefineRequest;
  readonly executor: IExecutor;
  readonly signal: AbortSignal;
};

type DraftingSession = {
  readonly ports: SessionPorts;
  readonly cellId: string;
  readonly questions: Questions;
  /** Show what is waited for. */
  readonly wait: (reason: string, subject: WaitFor) => void;
  /** What a call has used. */
  readonly onCall: (usage: Usage) => void;
};

/** Let the model draft assertions, and the user choose. */
export async function draftForCell(
  { model, request, executor, signal }: Draft,
  { ports, cellId, questions, wait, onCall }: DraftingSession
): Promise<void> {
  wait(
    ports.trans.__(
      'Drafting assertions; each is run on an empty cell and on the code that is there.'
    ),
    'model'
  );
  const drafts = await draftAssertions(request, {
    model,
    executor,
    signal,
    onCall
  });
  wait('', 'human');
  await approveDrafts(
    {
      panel: ports.panel,
      trans: ports.trans,
      questions,
      retry: (drafts, line, text) =>
        withEdited(request, drafts, line, text, { executor, signal })
    },
    drafts,
    cellId,
    signal
  );
}
