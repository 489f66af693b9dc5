/** "What will be sent": the messages of attempt 1, before anything leaves. */
import type { ISessionContextDialogs } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import { buildMessages } from '../../core/prompts';
import type { ChatMessage } from '../../core/model';
import type { RefineOptions } from '../../core/options';
import type { RefineRequest } from '../../core/request';
import { createExecutor } from '../../kernel';
import { kernelOf } from './kernelOf';
import { notebookRequest } from './notebookRequest';
import type { PlannedTarget } from './plannedTarget';

/** Longest wait for a kernel that is busy, ms. */
const WAIT_MS = 30_000;

/** Reads the kernel's variables and runs nothing of a candidate. */
export async function previewRequest(parts: {
  readonly target: PlannedTarget;
  readonly settings: RefineOptions;
  readonly dialogs: ISessionContextDialogs | null;
  readonly trans: TranslationBundle;
}): Promise<{
  readonly request: RefineRequest;
  readonly messages: readonly ChatMessage[];
}> {
  const { target, settings, dialogs, trans } = parts;
  const signal = AbortSignal.timeout(WAIT_MS);
  const kernel = await kernelOf(target.panel, dialogs, trans);
  const executor = await createExecutor(kernel, {
    isolation: settings.isolation,
    allowLive: () => Promise.resolve(true),
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
    return { request, messages: buildMessages(request) };
  } finally {
    executor.dispose();
  }
}
