/** What a session asks its user, at a terminal. */
import type { RefineDeps } from '../../core/deps';
import { usable } from '../../core/drafts/drafts';
import type { IQuestions } from '../cli/questions';
import { counted, printable } from '../report/text';

/** Where nobody can be asked: there is no review, and no candidate gets permission to run. */
export function askingAtTerminal(
  questions: IQuestions
): Pick<RefineDeps, 'ask' | 'review' | 'approveDrafts'> {
  const ask: RefineDeps['ask'] = async (subject, signal, detail) =>
    subject === 'contradiction'
      ? // The warning is on the screen. Nobody to ask: it may be a false alarm.
        !questions.canAsk ||
        questions.yes('Checks contradict each other. Go on?', signal)
      : // A target that passes is done here; refining it further is what JupyterLab is for.
        subject === 'execute' &&
        questions.yes(`Run attempt ${detail?.attempt ?? ''} above?`, signal);
  if (!questions.canAsk) {
    return { ask };
  }
  return {
    ask,
    review: async ({ attempt }, signal) => {
      if (await questions.yes(`Approve attempt ${attempt}?`, signal)) {
        return { decision: 'approve' };
      }
      const hint = await questions.text(
        'Hint for the next attempt (empty: end the session):',
        signal
      );
      return { decision: 'reject', hint };
    },
    approveDrafts: async (drafts, signal) => {
      const offered = usable(drafts);
      const list = offered.map(({ source }) => `  ${printable(source)}`);
      const question = [
        'Drafted assertions. Each rejects a wrong version of the cell:',
        ...list,
        `Use ${offered.length === 1 ? 'it' : `all ${counted(offered.length, 'assertion')}`}?`
      ].join('\n');
      return (await questions.yes(question, signal))
        ? { chosen: offered.map(({ line }) => line) }
        : null;
    }
  };
}
