/** Writes an earlier session to a notebook beside the one that it refined. */
import { PathExt } from '@jupyterlab/coreutils';
import type { NotebookPanel } from '@jupyterlab/notebook';
import type { JSONObject } from '@lumino/coreutils';
import { sessionNotebook } from '../../../notebook/sessionNotebook';
import type { ManagerPorts } from '../ports';
import type { SessionHistory } from './history';

export async function savePast(
  id: string,
  history: SessionHistory,
  { services, commands, trans }: ManagerPorts,
  panel: NotebookPanel | null
): Promise<void> {
  const session = await history.read(id);
  const source = history.view?.path ?? session?.request?.path;
  if (!session || source === undefined) {
    throw new Error(
      trans.__('This session is no longer kept. Open the history again.')
    );
  }
  const at = new Date(session.startedAt);
  const content = sessionNotebook(
    session,
    { ...panel?.content.model?.sharedModel.getMetadata() },
    {
      title: trans.__('Refine session of %1', at.toLocaleString()),
      attempt: (number, { passed, total }) =>
        total > 0
          ? trans.__('Attempt %1: %2 of %3', number, passed, total)
          : trans.__('Attempt %1', number)
    }
  );
  const stem = PathExt.basename(source, PathExt.extname(source));
  // No name twice: sessions of the same second differ by their id.
  const stamp = at.toISOString().slice(0, 19).replace(/[-:]/g, '');
  const path = PathExt.join(
    PathExt.dirname(source),
    `${stem}-session-${stamp}-${id.slice(0, 4)}.ipynb`
  );
  await services.contents.save(path, {
    type: 'notebook',
    format: 'json',
    content: content as JSONObject
  });
  await commands.execute('docmanager:open', { path });
}
