import { nullTranslator } from '@jupyterlab/translation';
import { Widget } from '@lumino/widgets';
import { RefinePanel } from '../panel';
import { fakeManager } from './fakeManager';
import { FACTORIES } from './renderPanel';
import { session, view } from './views';

// The real ReactWidget from its own file: the whole package takes a minute to compile for jest.
jest.mock('@jupyterlab/ui-components', () =>
  jest.requireActual('@jupyterlab/ui-components/lib/components/vdom')
);

/** Two frames: one for the view, one for React. */
async function painted(): Promise<void> {
  for (let i = 0; i < 2; i++) {
    await new Promise(resolve => requestAnimationFrame(resolve));
  }
}

describe('RefinePanel', () => {
  it('shows the view while attached, and disconnects when disposed', async () => {
    const manager = fakeManager(view());
    const panel = new RefinePanel(manager, nullTranslator, FACTORIES);
    Widget.attach(panel, document.body);
    await panel.renderPromise;
    expect(panel.node.textContent).toContain('Refine cell');

    manager.show({ session: session() });
    await painted();
    expect(panel.node.textContent).toContain('Attempt 3 of 5');

    const disconnect = jest.spyOn(manager.viewChanged, 'disconnect');
    panel.dispose();
    await painted();
    expect(disconnect).toHaveReturnedWith(true);
    expect(manager.isDisposed).toBe(false);
  });

  it('offers to show itself again after a failure', async () => {
    const quiet = jest.spyOn(console, 'error').mockImplementation();
    const manager = fakeManager(view());
    const good = manager.view;
    const bad = jest.spyOn(manager, 'view', 'get').mockImplementation(() => {
      throw new Error('no such part');
    });
    const panel = new RefinePanel(manager, nullTranslator, FACTORIES);
    Widget.attach(panel, document.body);
    await panel.renderPromise;
    expect(panel.node.textContent).toContain('no such part');

    bad.mockReturnValue(good);
    panel.node.querySelector('button')?.click();
    await painted();
    expect(panel.node.textContent).toContain('Refine cell');
    panel.dispose();
    quiet.mockRestore();
  });
});
