import type { JupyterFrontEnd } from '@jupyterlab/application';
import { PANEL_ID } from '../../ids';
import { showPanel } from '../showPanel';

function shellWith(isVisible: boolean) {
  const activateById = jest.fn();
  const shell = {
    activateById,
    widgets: () => [{ id: PANEL_ID, isVisible }]
  } as unknown as JupyterFrontEnd.IShell;
  return { shell, activateById };
}

it('shows a hidden panel', () => {
  const { shell, activateById } = shellWith(false);
  showPanel(shell);
  expect(activateById).toHaveBeenCalledWith(PANEL_ID);
});

it('leaves a visible panel alone: Notebook 7.4 would hide it', () => {
  const { shell, activateById } = shellWith(true);
  showPanel(shell);
  expect(activateById).not.toHaveBeenCalled();
});
