import type { JupyterFrontEnd } from '@jupyterlab/application';
import { CommandRegistry } from '@lumino/commands';
import { Signal } from '@lumino/signaling';
import { Widget } from '@lumino/widgets';
import type { IRefineManager } from '../../../tokens';
import { panelPlugin } from '../panelPlugin';

it('shows its content before the server has sent its models', async () => {
  const shown: Widget[] = [];
  const app = {
    commands: new CommandRegistry(),
    shell: { add: (widget: Widget) => shown.push(widget) }
  } as unknown as JupyterFrontEnd;
  const refreshModels = jest.fn(() => new Promise<void>(() => undefined));
  const content = new Widget();
  const rendermime = { clone: () => ({ getFactory: () => undefined }) };
  await panelPlugin(() => Promise.resolve(content)).activate(
    app,
    {
      refreshModels,
      view: { question: null },
      viewChanged: new Signal<object, void>({})
    } as unknown as IRefineManager,
    rendermime,
    {},
    null,
    null,
    null
  );
  const [shell] = shown;
  Widget.attach(shell, document.body);
  await new Promise(resolve => setTimeout(resolve, 0));
  expect(refreshModels).toHaveBeenCalledTimes(1);
  expect(content.parent).toBe(shell);
  shell.dispose();
});
