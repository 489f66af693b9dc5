/** Repeats a pass in a fresh kernel, and says in the panel how that went. */
import type { NotebookPanel } from '@jupyterlab/notebook';
import { type Kernel, KernelAPI, ServerConnection } from '@jupyterlab/services';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { CleanResult } from '../../../core/domain/outcome';
import type { RefineRequest } from '../../../core/domain/request';
import type { AttemptState, SessionState } from '../../../core/events/state';
import { FreshKernel } from '../../../kernel';
import { cellsAbove } from '../../../notebook/structure/cellsAbove';
import type { AcceptState, RefineView } from '../../../tokens';
import { notebookCells } from '../../notebookCells';
import { cellLabel, errorSentence } from '../words';

/** The session whose attempt is repeated. */
type CheckedSession = {
  readonly state: SessionState | null;
  readonly acceptance: { readonly state: AcceptState | null };
  readonly lifetime: AbortSignal;
  attempt(number: number): AttemptState | null;
};

/**
 * Repeats a candidate in a fresh kernel.
 *
 * @throws RefineError kind `kernel` when it could not be repeated, or failed without cells that were
 * skipped; the signal's reason when aborted.
 */
export type CleanChecker = (
  request: RefineRequest,
  candidate: string,
  signal: AbortSignal,
  /** What will run, as a sentence. */
  onPlan: (text: string) => void
) => Promise<CleanResult>;

/** The last check of a session's attempt in a fresh kernel; one at a time. */
export class CleanChecks {
  constructor(
    private readonly trans: TranslationBundle,
    private readonly onChange: () => void
  ) {}

  get state(): RefineView['cleanCheck'] {
    return this._state;
  }

  /** What is shown is about an earlier run; so is what is still being checked. */
  forget(): void {
    this.stop();
    this.running = null;
    this._state = null;
  }

  /** Ends the check that runs, if one does. */
  stop(): void {
    this.running?.abort(new DOMException('Stopped', 'AbortError'));
  }

  /** After a reload: what had been found. */
  recall(result: CleanResult): void {
    this.set(shown(result));
  }

  /**
   * Repeat what was accepted, or else the best attempt; never rejects.
   *
   * @returns the result and its attempt; null when there is no result.
   */
  async run(
    session: CheckedSession,
    check: CleanChecker
  ): Promise<{
    readonly attempt: number;
    readonly result: CleanResult;
  } | null> {
    const { state, acceptance, lifetime } = session;
    const number = acceptance.state?.attempt ?? state?.outcome?.best?.attempt;
    const attempt = number === undefined ? null : session.attempt(number);
    if (!state?.request || !attempt || this.running) {
      return null;
    }
    const controller = new AbortController();
    const signal = AbortSignal.any([lifetime, controller.signal]);
    this.running = controller;
    const show = (shown: RefineView['cleanCheck']) => {
      if (this.running === controller) {
        this.set(shown);
      }
    };
    const plan = (message: string) => show({ status: 'running', message });
    plan(this.trans.__('Running the cells above in a fresh kernel.'));
    try {
      const { code } = attempt;
      const result = await check(state.request, code, signal, plan);
      if (this.running !== controller) {
        return null;
      }
      show(shown(result));
      return { attempt: attempt.attempt, result };
    } catch (reason) {
      show({
        // The pass still holds: it was only not repeated.
        status: 'unknown',
        message: signal.aborted
          ? this.trans.__('The check in a fresh kernel was stopped.')
          : errorSentence(reason, this.trans)
      });
      return null;
    } finally {
      if (this.running === controller) {
        this.running = null;
      }
    }
  }

  private set(state: RefineView['cleanCheck']): void {
    this._state = state;
    this.onChange();
  }

  private running: AbortController | null = null;
  private _state: RefineView['cleanCheck'] = null;
}

function shown({ passed, message }: CleanResult): RefineView['cleanCheck'] {
  return { status: passed ? 'passed' : 'failed', message };
}

/** Starts a kernel of its own for each check, and stops it at the end, whatever happens. */
export function freshKernelChecker(
  panel: NotebookPanel,
  kernels: Kernel.IManager,
  /** Environment variables with keys, as the server reports them. */
  keyVariables: () => readonly string[] | undefined,
  trans: TranslationBundle
): CleanChecker {
  return async (request, candidate, signal, onPlan) => {
    const { model } = panel.content;
    const cells = model ? notebookCells(model) : [];
    const at = cells.findIndex(cell => cell.id === request.target.cellId);
    const above = cellsAbove(
      cells,
      at < 0 ? request.target.index : at,
      request.language
    );
    const kernel = new FreshKernel({
      start: async () => {
        const connection = await startSecondKernel(kernels, panel);
        return {
          connection,
          shutdown: async () => {
            if (!connection.isDisposed) {
              await connection.shutdown().catch(() => undefined);
              connection.dispose();
            }
          }
        };
      },
      keyVariables: keyVariables()
    });
    try {
      const found = await kernel.check(
        {
          request,
          candidate,
          cells: above.map(({ id, source, mayFail, skip }) => ({
            id,
            label: cellLabel(cells, id, trans),
            source,
            tolerated: mayFail,
            skip
          })),
          trans,
          onPlan
        },
        signal
      );
      return (
        found ?? {
          passed: false,
          message: trans.__('Not checked: there is no check to repeat.')
        }
      );
    } finally {
      await kernel.end();
    }
  };
}

/**
 * Start a kernel of the same specification in the notebook's folder. Who asked
 * shuts it down; when the page goes away first, it is shut down from here.
 */
async function startSecondKernel(
  kernels: Kernel.IManager,
  { sessionContext }: NotebookPanel
): Promise<Kernel.IKernelConnection> {
  // The server takes a path as well, whose folder is where the kernel starts.
  const options = {
    name: sessionContext.session?.kernel?.name ?? '',
    path: sessionContext.path
  };
  const kernel = await kernels.startNew(options);
  const { serverSettings } = kernels;
  const onPageHide = () => {
    // Only such a request outlives the page.
    const settings = ServerConnection.makeSettings({
      ...serverSettings,
      init: { ...serverSettings.init, keepalive: true }
    });
    KernelAPI.shutdownKernel(kernel.id, settings).catch(() => undefined);
  };
  window.addEventListener('pagehide', onPageHide);
  kernel.disposed.connect(() =>
    window.removeEventListener('pagehide', onPageHide)
  );
  return kernel;
}
