import { nullTranslator } from '@jupyterlab/translation';
import { Widget } from '@lumino/widgets';
import { RefinePanel } from '../panel';
import { FACTORIES, fakeManager } from './renderPanel';
import { view } from './views';

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

it('RefinePanel offers to show itself again after a failure', async () => {
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
