/** Assertions that a model drafted: the user chooses, and those go into a cell below their target. */
import type { NotebookPanel } from '@jupyterlab/notebook';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { Drafts } from '../../../core/domain/checks/drafted';
import { chosenSource, usable } from '../../../core/drafts/drafts';
import { insertApprovedChecks } from './notebookEdits';
import type { Questions } from '../questions';
import { cellLabel } from '../words';

export type DraftPorts = {
  readonly panel: NotebookPanel;
  readonly questions: Questions;
  readonly trans: TranslationBundle;
  /** Tries what the user made of the draft of a line. */
  readonly retry: (
    drafts: Drafts,
    line: number,
    text: string
  ) => Promise<Drafts>;
};

/**
 * @returns once they are a cell below the target, or nothing was chosen.
 */
export async function approveDrafts(
  { panel, questions, trans, retry }: DraftPorts,
  written: Drafts,
  targetId: string,
  signal: AbortSignal
): Promise<void> {
  let drafts = written;
  const label = cellLabel(
    [...(panel.content.model?.cells ?? [])],
    targetId,
    trans
  );
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
              'Edit one of them, or describe the expected result in the prompt and try again.'
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
    signal,
    async (line, text) => {
      drafts = await retry(drafts, line, text);
      return drafts.assertions;
    }
  );
  const { model } = panel.content;
  if (answer?.choice !== 'approve' || panel.isDisposed || !model) {
    return;
  }
  insertApprovedChecks(model, targetId, chosenSource(drafts, answer.lines));
}
