/** The executor of a run, and what the user must allow before anything runs. */
import type { IDisposable } from '@lumino/disposable';
import type { NotebookPanel } from '@jupyterlab/notebook';
import type { TranslationBundle } from '@jupyterlab/translation';
import { RefineError } from '../../../../core/errors';
import type { Isolation } from '../../../../core/domain/execution';
import type { PausedFrame, IExecutor } from '../../../../core/domain/executor';
import type { RefineOptions } from '../../../../core/options';
import { createExecutor } from '../../../../kernel';
import { kernelOf } from '../../kernelOf';
import type { Questions } from '../../questions';
import type { SessionPorts } from '../ports';
import { askLive, askOpen } from './questions';

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
  { panel, dialogs, trans, keyVariables }: SessionPorts,
  questions: Questions,
  options: RefineOptions,
  signal: AbortSignal,
  onWaiting: (reason: string | null) => void,
  frame?: PausedFrame
): Promise<IExecutor & IDisposable> {
  const executor = await createExecutor(await kernelOf(panel, dialogs, trans), {
    isolation: options.isolation,
    allowLive: reasons => askLive(questions, reasons, signal, trans),
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
      const { reasons } = isolation;
      if (!(await askOpen(questions, open, reasons, signal, trans))) {
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
