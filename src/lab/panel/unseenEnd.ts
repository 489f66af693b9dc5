/** The end of a session in a hidden panel: shown as a notification. */
import { Notification } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { Widget } from '@lumino/widgets';
import type { IRefineManager } from '../../tokens';

/**
 * Report each end that nobody sees, as long as the manager lives.
 *
 * @param show bring the panel to the front.
 */
export function reportUnseenEnds(
  manager: IRefineManager,
  panel: Widget,
  trans: TranslationBundle,
  show: () => void
): void {
  const running = new Set<string>();
  manager.viewChanged.connect(() => {
    const { session, interrupted } = manager.view;
    if (session === null || interrupted) {
      return;
    }
    if (session.outcome === null) {
      running.add(session.session);
    } else if (running.delete(session.session) && !panel.isVisible) {
      const { passed, best } = session.outcome;
      Notification.emit(
        // Without words of the model or the kernel.
        passed
          ? trans.__('Refine: passed on attempt %1.', best?.attempt ?? 0)
          : trans.__('Refine: the session ended without a pass.'),
        passed ? 'success' : 'info',
        {
          autoClose: false,
          actions: [{ label: trans.__('Show'), callback: show }]
        }
      );
    }
  });
}
