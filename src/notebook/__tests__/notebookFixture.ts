/** Short notation of notebooks for these tests. */
import type { NotebookCell } from '../structure/cells';

type Extra = {
  readonly tags?: readonly string[];
  readonly nbgrader?: object;
  readonly refine?: object;
  readonly editable?: boolean;
};

export function code(
  id: string,
  source: string,
  extra: Extra = {}
): NotebookCell {
  return cell('code', id, source, extra);
}

export function markdown(
  id: string,
  source: string,
  extra: Extra = {}
): NotebookCell {
  return cell('markdown', id, source, extra);
}

export function raw(id: string, source: string): NotebookCell {
  return cell('raw', id, source, {});
}

function cell(
  type: NotebookCell['type'],
  id: string,
  source: string,
  extra: Extra
): NotebookCell {
  const { refine, ...rest } = extra;
  return {
    id,
    type,
    source,
    metadata: {
      ...rest,
      ...(refine === undefined ? {} : { jupyterlab_refine: refine })
    }
  };
}
