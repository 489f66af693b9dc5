import { PageConfig } from '@jupyterlab/coreutils';

/** JSON list of message types whose states JupyterLab's kernels do not show as their own. */
const OPTION = 'untracked_message_types';

/** Have the kernel's indicator not follow messages of this type. */
export function leaveUntracked(messageType: string): void {
  const types: unknown = JSON.parse(PageConfig.getOption(OPTION) || '[]');
  if (Array.isArray(types) && !types.includes(messageType)) {
    PageConfig.setOption(OPTION, JSON.stringify([...types, messageType]));
  }
}
