/** What a session asks its user, at a terminal. */
import type { RefineDeps } from '../../../core/deps';
import { usable } from '../../../core/drafts/drafts';
import { Steering } from '../../../core/session/steering';
import type { IQuestions } from '../../cli/questions';
import { counted, printable } from '../../report/text';

const GO_ON =
  'Paused. Press Enter for the next attempt, or write a hint for it:';
const HINT = 'Hint for the next attempt (empty: end the session):';

/** With `stepMode`: a hand on the session that asks before each attempt but the first; Ctrl-C ends the session. */
export function steppingAtTerminal(
  questions: IQuestions,
  signal: AbortSignal
): Steering {
  const steering = new Steering();
  const ask = async () => {
    steering.hint(await questions.text(GO_ON, signal));
    steering.step();
  };
  steering.onChange(change => {
    if (change.type === 'held') {
      // Rejects when the session is stopped, which ends the pause.
      ask().catch(() => undefined);
    }
  });
  steering.step();
  return steering;
}

/** Where nobody can be asked: there is no review, and no candidate gets permission to run. */
export function askingAtTerminal(
  questions: IQuestions
): Pick<RefineDeps, 'ask' | 'review' | 'approveDrafts'> {
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
