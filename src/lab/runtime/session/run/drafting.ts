/** Drafts of assertions for a cell that has no check, and what the user may make of them. */
import type { IExecutor } from '../../../../core/domain/executor';
import type { ILanguageModel, Usage } from '../../../../core/domain/model';
import type { RefineRequest } from '../../../../core/domain/request';
import {
  draftAssertions,
  chosenSource,
  usable
} from '../../../../core/drafts/drafts';
import type { WaitFor } from '../../../../core/events/events';
import type { Questions } from '../../questions';
import type { NotebookPanel } from '@jupyterlab/notebook';
import type { TranslationBundle } from '@jupyterlab/translation';
import { insertApprovedChecks } from '../../cells/notebookEdits';
import { cellLabel } from '../../words';

type Drafting = {
  readonly model: ILanguageModel;
  readonly request: RefineRequest;
  readonly executor: IExecutor;
  readonly signal: AbortSignal;
  readonly panel: NotebookPanel;
  readonly trans: TranslationBundle;
  readonly questions: Questions;
  /** Show what is waited for. */
  readonly wait: (reason: string, subject: WaitFor) => void;
  /** What a call has used. */
  readonly onCall: (usage: Usage) => void;
};

/** Let the model draft assertions, and the user choose. */
export async function draftForCell({
  request,
  panel,
  trans,
  questions,
  wait,
  ...writing
}: Drafting): Promise<void> {
  const { signal } = writing;
  const { cellId } = request.target;
  wait(
    trans.__(
      'Drafting assertions; each is run on an empty cell and on the code that is there.'
    ),
    'model'
  );
  const drafts = await draftAssertions(request, writing);
  wait('', 'human');
  const label = cellLabel(panel.content.model?.cells ?? [], cellId, trans);
  const count = usable(drafts).length;
  const answer = await questions.askForMore(
    {
      subject: 'drafts',
      title:
        count === 0
          ? trans.__('None of the drafted assertions is usable')
          : trans._n(
              '%1 drafted assertion for %2, unverified',
              '%1 drafted assertions for %2, unverified',
              count,
              label
            ),
      body:
        count === 0
          ? trans.__(
              'Describe the expected result in the prompt and try again.'
            )
          : trans.__(
              'A model wrote them: check that each asks for the right thing. Those that the code contradicts are not ticked. Approved assertions become a cell below %1.',
              label
            ),
      drafts: drafts.assertions,
      choices: [
        {
          id: 'approve',
          label: trans.__('Approve'),
          takesDrafts: true
        },
        {
          id: 'dismiss',
          label: trans.__('Dismiss')
        }
      ]
    },
    signal
  );
  const { model } = panel.content;
  if (answer?.choice !== 'approve' || panel.isDisposed || !model) {
    return;
  }
  insertApprovedChecks(model, cellId, chosenSource(drafts, answer.lines));
}
