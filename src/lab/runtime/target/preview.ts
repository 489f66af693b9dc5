/** "What will be sent": the messages of the first call, before anything leaves. */
import type { ISessionContextDialogs } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import { systemClock } from '../../../core/clock';
import type { IExecutor } from '../../../core/domain/executor';
import { fold, initialState } from '../../../core/events/fold';
import { check } from '../../../core/loop';
import type { RefineRequest } from '../../../core/domain/request';
import type { ChatMessage } from '../../../core/domain/model';
import type { RefineOptions } from '../../../core/options';
import { buildMessages, memoryOf } from '../../../core/prompts/prompts';
import { isBlankTarget } from '../../../core/python/blank';
import type { SessionState } from '../../../core/events/state';
import { createExecutor } from '../../../kernel';
import { kernelOf } from '../kernelOf';
import { notebookRequest } from './notebookRequest';
import type { PlannedTarget } from './plannedTarget';

/** Longest wait for a kernel that is busy, ms. */
const WAIT_MS = 30_000;

/**
 * Reads the kernel's variables. What the target holds is checked first, because
 * the prompt of attempt 1 reports it, where that can be done in a fork; a live kernel
 * runs nothing for a preview.
 */
export async function previewRequest(parts: {
  readonly target: PlannedTarget;
  readonly settings: RefineOptions;
  readonly keyVariables?: readonly string[];
  readonly dialogs: ISessionContextDialogs | null;
  readonly trans: TranslationBundle;
}): Promise<readonly ChatMessage[]> {
  const { target, settings, dialogs, trans } = parts;
  const signal = AbortSignal.timeout(WAIT_MS);
  const kernel = await kernelOf(target.panel, dialogs, trans);
  const executor = await createExecutor(kernel, {
    isolation: settings.isolation,
    allowLive: () => Promise.resolve(true),
    keyVariables: parts.keyVariables,
    signal
  });
  try {
    const request = await notebookRequest(
      target,
      target.plan,
      settings,
      'preview',
      executor,
      signal
    );
    const isolation = await executor.prepare(signal);
    const checked =
      isolation.mode === 'fork' &&
      !isBlankTarget(request.target, request.language)
        ? await checkedState(request, executor, signal)
        : initialState(request.session);
    return buildMessages(request, memoryOf(checked));
  } finally {
    executor.dispose();
  }
}

/** Attempt 0, as the session would make it. */
async function checkedState(
  request: RefineRequest,
  executor: IExecutor,
  signal: AbortSignal
): Promise<SessionState> {
  let state = initialState(request.session);
  for await (const event of check(request, {
    executor,
    clock: systemClock,
    signal
  })) {
    state = fold(state, event);
  }
  return state;
}
