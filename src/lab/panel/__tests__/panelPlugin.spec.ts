import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { IStateDB } from '@jupyterlab/statedb';
import { CommandRegistry } from '@lumino/commands';
import { Signal } from '@lumino/signaling';
import { SplitPanel, Widget } from '@lumino/widgets';
import type { IRefineManager } from '../../../tokens';
import { panelPlugin } from '../panelPlugin';
import { widenOnce } from '../panelWidth';

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

/** A widget in a stack in a split beside a main area; jsdom has no layout, so widths are given. */
function setUp(widths: readonly number[]) {
  const split = new SplitPanel({ orientation: 'horizontal' });
  const main = new Widget();
  const stack = new SplitPanel({ orientation: 'vertical' });
  const panel = new Widget();
  split.addWidget(main);
  const side = new Widget({ node: stack.node });
  split.addWidget(side);
  [main, side].forEach((widget, i) =>
    Object.defineProperty(widget.node, 'offsetWidth', { value: widths[i] })
  );
  panel.parent = side;
  Object.defineProperty(panel, 'isVisible', { value: true });
  const sizes = jest.spyOn(split, 'setRelativeSizes');
  const kept = new Map<string, unknown>();
  const state = {
    fetch: async (key: string) => kept.get(key),
    save: async (key: string, value: unknown) => void kept.set(key, value)
  } as unknown as IStateDB;
  const show = async () => {
    await widenOnce(panel, state);
    await new Promise(resolve => requestAnimationFrame(resolve));
  };
  return { show, sizes };
}

it('gives the panel 400 pixels the first time, and never again', async () => {
  const { show, sizes } = setUp([1000, 280]);
  await show();
  expect(sizes.mock.calls).toEqual([[[880, 400]]]);
  await show();
  expect(sizes).toHaveBeenCalledTimes(1);
});

it.each([
  ['a panel that is wide enough', [1000, 450]],
  ['a window too narrow for both', [450, 280]]
])('leaves %s', async (_, widths) => {
  const { show, sizes } = setUp(widths);
  await show();
  expect(sizes).not.toHaveBeenCalled();
});
