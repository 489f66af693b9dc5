/**
 * Compiles docs/examples/extension against the built package, then runs it
 * beside our plugins in a plugin registry without a front end.
 */
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { INotebookTracker } from '@jupyterlab/notebook';
import { ServerConnection } from '@jupyterlab/services';
import { ISettingRegistry, SettingRegistry } from '@jupyterlab/settingregistry';
import { CommandRegistry } from '@lumino/commands';
import { PluginRegistry } from '@lumino/coreutils';
import { Signal } from '@lumino/signaling';
import { fakeAssertion } from '../../../testing/fakeExecutor';
import { IRefineManager } from '../../../tokens';
import { managerPlugin } from '../../managerPlugin';
import { mockExecutor } from '../../runtime/__tests__/driverFixture';
import { notebookPanel } from '../../runtime/__tests__/sharedNotebook';
import {
  evaluatorsPlugin,
  feedbackPlugin,
  modelsPlugin
} from '../extensionPlugins';

jest.mock('../../../kernel', () => ({
  createExecutor: jest.fn(),
  probeIsolation: () => new Promise(() => undefined)
}));

const root = join(__dirname, '..', '..', '..', '..');
const folder = mkdtempSync(join(tmpdir(), 'refine-example-'));
let plugin: JupyterFrontEndPlugin<void>;

beforeAll(() => {
  if (!existsSync(join(root, 'lib', 'index.d.ts'))) {
    throw new Error('lib/ is missing. Run jlpm build:lib first.');
  }
  cpSync(join(root, 'docs', 'examples', 'extension'), folder, {
    recursive: true
  });
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(root, join(folder, 'node_modules', 'jupyterlab-refine'));
  symlinkSync(
    join(root, 'node_modules', '@jupyterlab'),
    join(folder, 'node_modules', '@jupyterlab')
  );
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  try {
    execFileSync(process.execPath, [tsc, '-p', folder], { encoding: 'utf8' });
  } catch (error) {
    throw new Error((error as { stdout: string }).stdout);
  }
  plugin = jest.requireActual<{ default: JupyterFrontEndPlugin<void> }>(
    join(folder, 'lib', 'index.js')
  ).default;
});

afterAll(() => rmSync(folder, { recursive: true }));

const profiles = {
  version: '0.1.0',
  default: null,
  hints: [],
  profiles: []
};

/** A notebook with a `%%refine` cell, its target and an assertion, in a manager with the example. */
async function activate(source: string) {
  const { model, panel, tracker } = notebookPanel([
    '%%refine --evaluators=assertions,no-print --feedback=checks-only\none is 1',
    source,
    'assert one == 1'
  ]);
  model.cells
    .get(1)
    .sharedModel.setMetadata('jupyterlab_refine', { promptCell: 'cell0' });
  panel.content.activeCell.model.id = 'cell1';
  mockExecutor(({ candidate }) => ({
    assertions: [
      fakeAssertion({
        cellId: 'cell2',
        source: 'assert one == 1',
        outcome: candidate.includes('one = 1') ? 'passed' : 'failed'
      })
    ]
  }));
  const schema = JSON.parse(
    readFileSync(join(root, 'schema', 'plugin.json'), 'utf8')
  ) as ISettingRegistry.ISchema;
  const settings = new SettingRegistry({
    connector: {
      fetch: async (id: string) => ({
        id,
        raw: '{"onPass": "insert"}',
        schema,
        version: '1',
        data: { composite: {}, user: {} }
      })
    } as unknown as SettingRegistry.IOptions['connector']
  });
  const registry = new PluginRegistry<JupyterFrontEnd>();
  registry.application = {
    shell: { widgets: () => [], activateById: () => undefined },
    commands: new CommandRegistry(),
    serviceManager: {
      kernels: {},
      contents: { fileChanged: new Signal({}) },
      serverSettings: ServerConnection.makeSettings({
        fetch: async () => new Response(JSON.stringify(profiles))
      })
    }
  } as unknown as JupyterFrontEnd;
  registry.registerPlugins([
    evaluatorsPlugin,
    feedbackPlugin,
    modelsPlugin,
    managerPlugin,
    plugin,
    {
      id: 'fake:tracker',
      description: 'A tracker of one notebook.',
      provides: INotebookTracker,
      activate: () => tracker
    },
    {
      id: 'fake:settings',
      description: 'Settings without a server.',
      provides: ISettingRegistry,
      activate: () => settings
    }
  ] as JupyterFrontEndPlugin<unknown>[]);
  await registry.activatePlugin('fake:settings');
  await registry.activatePlugin(managerPlugin.id);
  await registry.activatePlugin(plugin.id);
  const manager = await registry.resolveRequiredService(IRefineManager);
  return { manager, model };
}

it('rejects a cell with the added evaluator', async () => {
  const { manager } = await activate('one = 1\nprint(one)');
  await manager.check();
  expect(manager.view.target?.evaluators).toEqual(['no-print']);
  const { outcome, attempts } = manager.view.session!;
  expect(outcome?.passed).toBe(false);
  expect(attempts[0].assertions.map(a => a.outcome)).toEqual(['passed']);
  expect(attempts[0].verdict).toMatchObject({
    evaluator: 'assertions+no-print',
    evaluation: 'fail',
    reasons: ['Remove the print calls.']
  });
  manager.dispose();
});

it('refines with the added model and feedback strategy', async () => {
  const { manager, model } = await activate('one = 0');
  await manager.refine();
  const { outcome, attempts, model: identity } = manager.view.session!;
  expect(manager.view.models).toMatchObject({
    profiles: [{ name: 'fixed', models: ['one'] }]
  });
  expect(identity).toMatchObject({ profile: 'fixed', model: 'one' });
  expect(attempts[0].feedback).toMatchObject({
    strategy: 'checks-only',
    text: 'This check fails: assert one == 1'
  });
  expect(outcome).toMatchObject({ passed: true, checkedBy: 'assertions' });
  expect(model.cells.get(1).sharedModel.getSource()).toBe('one = 1');
  manager.dispose();
});
