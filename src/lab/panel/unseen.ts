/** What happens in a hidden panel, as a notification: a question, and the end of a session. */
import { Notification } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { Widget } from '@lumino/widgets';
import type { IRefineManager } from '../../tokens';

/**
 * Report each question and each end that nobody sees, as long as the manager lives. None
 * has words of the model or the kernel.
 *
 * @param show bring the panel to the front.
 */
export function reportUnseen(
  manager: IRefineManager,
  panel: Widget,
  trans: TranslationBundle,
  show: () => void
): void {
  const report = (message: string, type: 'success' | 'info') =>
    Notification.emit(message, type, {
      autoClose: false,
      actions: [{ label: trans.__('Show'), callback: show }]
    });
  const running = new Set<string>();
  let asked: { readonly question: string; readonly notice: string } | null =
    null;
  manager.viewChanged.connect(() => {
    const { session, interrupted, question } = manager.view;
    if (asked && asked.question !== question?.id) {
      Notification.dismiss(asked.notice);
      asked = null;
    }
    if (question && !asked && !panel.isVisible) {
      const notice = report(
        trans.__('A Refine session is waiting for your answer.'),
        'info'
      );
      asked = { question: question.id, notice };
    }
    if (session === null || interrupted) {
      return;
    }
    if (session.outcome === null) {
      running.add(session.session);
    } else if (running.delete(session.session) && !panel.isVisible) {
      const { passed, best } = session.outcome;
      report(
        passed
          ? trans.__('Refine: passed on attempt %1.', best?.attempt ?? 0)
          : trans.__('Refine: the session ended without a pass.'),
        passed ? 'success' : 'info'
      );
    }
  });
}
