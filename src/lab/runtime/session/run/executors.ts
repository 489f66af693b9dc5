/** The kernel and the executor of a run, and what the user must allow before anything runs. */
import type { ISessionContextDialogs } from '@jupyterlab/apputils';
import type { NotebookPanel } from '@jupyterlab/notebook';
import type { Kernel } from '@jupyterlab/services';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { IDisposable } from '@lumino/disposable';
import type { Isolation } from '../../../../core/domain/execution';
import type { IExecutor, PausedFrame } from '../../../../core/domain/executor';
import { RefineError } from '../../../../core/errors';
import type { RefineOptions } from '../../../../core/settings';
import { createExecutor } from '../../../../kernel';
import type { Questions } from '../../questions';
import { askYes } from './questions';

/**
 * The notebook's kernel, started or chosen as when a cell is run.
 *
 * @throws RefineError kind `kernel` when there is none afterwards.
 */
export async function kernelOf(
  panel: NotebookPanel,
  dialogs: ISessionContextDialogs | null,
  trans: TranslationBundle
): Promise<Kernel.IKernelConnection> {
  const { sessionContext } = panel;
  // Not `ready`, which waits for a kernel where none was chosen.
  await sessionContext.initialize();
  if (sessionContext.hasNoKernel) {
    const shouldSelect = await sessionContext.startKernel();
    if (shouldSelect && dialogs) {
      await dialogs.selectKernel(sessionContext);
    }
  }
  const kernel = sessionContext.session?.kernel;
  if (!kernel || kernel.status === 'dead') {
    throw new RefineError(
      'kernel',
      trans.__(
        'This notebook has no running kernel. Start one with Kernel > Restart Kernel or Change Kernel.'
      ),
      { code: 'kernel-dead' }
    );
  }
  return kernel;
}

/** What the user has allowed in a notebook, in words; a notebook itself cannot allow it. */
const ALLOWED = new WeakMap<NotebookPanel, readonly string[]>();

/** What a fork that is isolated only in part leaves open beyond the settings; a live kernel is asked for by itself. */
function openSentences(
  { mode, files, network }: Isolation,
  { allowNetwork, allowWrites }: RefineOptions,
  trans: TranslationBundle
): readonly string[] {
  const open: string[] = [];
  if (mode !== 'live' && files === 'open' && !allowWrites) {
    open.push(
      trans.__(
        'An attempt cannot change your variables, but a file that it writes or deletes is written or deleted for real.'
      )
    );
  }
  if (mode !== 'live' && !network && !allowNetwork) {
    open.push(trans.__('An attempt can reach the network.'));
  }
  return open;
}

/**
 * One that may run attempts; the caller disposes it. What is open to them is
 * asked about once for the notebook, while it is open.
 *
 * @param frame where the debugger has stopped the kernel, to run attempts there.
 * @param onWaiting what probing waits for; null when it continues.
 * @throws RefineError kind `kernel` when there is no kernel, or the user does not allow it.
 */
export async function openExecutor(
  {
    panel,
    dialogs,
    trans,
    keyVariables
  }: {
    readonly panel: NotebookPanel;
    readonly dialogs: ISessionContextDialogs | null;
    readonly trans: TranslationBundle;
    readonly keyVariables?: () => readonly string[];
  },
  questions: Questions,
  options: RefineOptions,
  signal: AbortSignal,
  onWaiting: (reason: string | null) => void,
  frame?: PausedFrame
): Promise<IExecutor & IDisposable> {
  const executor = await createExecutor(await kernelOf(panel, dialogs, trans), {
    isolation: options.isolation,
    allowLive: reasons =>
      askYes(
        questions,
        {
          subject: 'live',
          title: trans.__('Attempts cannot be isolated here'),
          body: [
            trans.__(
              'Each attempt would run in your live kernel. Anything it changes, writes or deletes is permanent.'
            ),
            ...reasons
          ].join('\n')
        },
        { no: trans.__('Don’t run'), yes: trans.__('Run in the live kernel') },
        signal
      ),
    keyVariables: keyVariables?.(),
    signal,
    onWaiting,
    frame
  });
  try {
    const isolation = await executor.prepare(signal);
    const open = openSentences(isolation, options, trans);
    const allowed = ALLOWED.get(panel) ?? [];
    if (!open.every(sentence => allowed.includes(sentence))) {
      const mayRun = await askYes(
        questions,
        {
          subject: 'live',
          title: trans.__('Attempts are only partly isolated here'),
          body: [...open, ...isolation.reasons].join('\n')
        },
        { no: trans.__('Don’t run'), yes: trans.__('Run anyway') },
        signal
      );
      if (!mayRun) {
        throw new RefineError(
          'kernel',
          trans.__(
            'Nothing was run: attempts are only partly isolated here. Allow it for this notebook, or in the settings with “allowWrites” and “allowNetwork”.'
          ),
          { code: 'kernel-refused' }
        );
      }
      ALLOWED.set(panel, [...allowed, ...open]);
    }
    return executor;
  } catch (reason) {
    executor.dispose();
    throw reason;
  }
}
