import { URLExt } from '@jupyterlab/coreutils';
import { ServerConnection } from '@jupyterlab/services';
import type { TranslationBundle } from '@jupyterlab/translation';
import * as z from 'zod';
import { RefineError } from '../../core/errors';

const ROUTE = 'jupyterlab-refine/v1/demo';

const answerSchema = z.object({ path: z.string().min(1) });

/**
 * Have the server put the demo notebook among the user's files, over none that
 * is there.
 *
 * @returns its path.
 * @throws RefineError when the server does not know the route or cannot write.
 */
export async function demoNotebook(
  settings: ServerConnection.ISettings,
  trans: TranslationBundle
): Promise<string> {
  const response = await ServerConnection.makeRequest(
    URLExt.join(settings.baseUrl, ROUTE),
    { method: 'POST' },
    settings
  );
  if (response.status === 404) {
    throw new RefineError(
      'server',
      trans.__(
        'The Jupyter server has not loaded this extension yet. Restart the server.'
      ),
      { code: 'routes-missing' }
    );
  }
  const answer = response.ok
    ? answerSchema.safeParse(await response.json().catch(() => null))
    : null;
  if (!answer?.success) {
    throw new RefineError(
      'server',
      trans.__(
        'The server could not write the demo notebook (status %1). Check that its folder is writable.',
        response.status
      )
    );
  }
  return answer.data.path;
}
