/** What a session asks its user, at a terminal. */
import type { RefineDeps } from '../../../core/deps';
import type { IQuestions } from '../../cli/questions';

const HINT = 'Hint for the next attempt (empty: end the session):';

/** Where nobody can be asked: there is no review, and no candidate gets permission to run. */
export function askingAtTerminal(
  questions: IQuestions
): Pick<RefineDeps, 'ask' | 'review'> {
  const ask: RefineDeps['ask'] = async (subject, signal, detail) => {
    switch (subject) {
      case 'execute': {
        const question = `Run attempt ${detail?.attempt ?? ''} above?`;
        return (
          (await questions.yes(question, signal)) ||
          (questions.canAsk && { hint: await questions.text(HINT, signal) })
        );
      }
      case 'continue':
        // A target that passes is done here; refining it further is what JupyterLab is for.
        return false;
    }
  };
  if (!questions.canAsk) {
    return { ask };
  }
  return {
    ask,
    review: async ({ attempt }, signal) => {
      if (await questions.yes(`Approve attempt ${attempt}?`, signal)) {
        return { decision: 'approve' };
      }
      return { decision: 'reject', hint: await questions.text(HINT, signal) };
    }
  };
}
