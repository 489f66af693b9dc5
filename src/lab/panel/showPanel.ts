import type { JupyterFrontEnd } from '@jupyterlab/application';
import { PANEL_ID } from '../ids';

/** Shows the panel and leaves a visible one alone: in Notebook 7.4 activating it again would hide it. */
export function showPanel(shell: JupyterFrontEnd.IShell): void {
  const panels = [...shell.widgets('right')];
  if (!panels.some(({ id, isVisible }) => id === PANEL_ID && isVisible)) {
    shell.activateById(PANEL_ID);
  }
}
