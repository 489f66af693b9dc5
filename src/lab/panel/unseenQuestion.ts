/** A question in a hidden panel: shown as a notification and by a mark on the panel's tab. */
import { Notification } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { IDisposable } from '@lumino/disposable';
import type { Widget } from '@lumino/widgets';
import type { IRefineManager, RefineQuestion } from '../../tokens';

/** Milliseconds without being seen; a change of the theme hides the whole application for a frame. */
const UNSEEN_MS = 250;

const MARK = 'jp-Refine-mod-asks';

export class UnseenQuestion implements IDisposable {
  /** @param show bring the panel to the front. */
  constructor(
    private readonly manager: IRefineManager,
    private readonly panel: Widget,
    private readonly trans: TranslationBundle,
    private readonly show: () => void
  ) {
    manager.viewChanged.connect(this.update, this);
  }

  get isDisposed(): boolean {
    return this.disposed;
  }

  dispose(): void {
    if (!this.disposed) {
      this.disposed = true;
      clearTimeout(this.timer);
      this.manager.viewChanged.disconnect(this.update, this);
      this.take(null);
    }
  }

  /** Also called when the panel was shown or hidden. */
  update(): void {
    if (this.unseen) {
      this.timer ??= setTimeout(() => {
        this.timer = undefined;
        this.take(this.unseen);
      }, UNSEEN_MS);
    } else {
      clearTimeout(this.timer);
      this.timer = undefined;
      this.take(null);
    }
  }

  private get unseen(): RefineQuestion | null {
    return this.panel.isVisible ? null : this.manager.view.question;
  }

  private take(question: Pick<RefineQuestion, 'id'> | null): void {
    if (this.shown?.question === question?.id) {
      return;
    }
    if (this.shown) {
      Notification.dismiss(this.shown.notification);
    }
    const { title } = this.panel;
    const rest = title.className.split(' ').filter(name => name !== MARK);
    title.className = [...rest, ...(question ? [MARK] : [])].join(' ').trim();
    title.caption = question
      ? this.trans.__('Refine: waiting for you')
      : this.trans.__('Refine');
    this.shown = question
      ? {
          question: question.id,
          notification: Notification.info(
            // Without the question's words, which a kernel may have had a part in.
            this.trans.__('A Refine session is waiting for your answer.'),
            {
              autoClose: false,
              actions: [
                { label: this.trans.__('Show'), callback: () => this.show() }
              ]
            }
          )
        }
      : null;
  }

  private shown: {
    readonly question: string;
    readonly notification: string;
  } | null = null;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private disposed = false;
}
