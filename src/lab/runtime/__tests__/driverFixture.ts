/** A driver over one notebook, with a scripted model and executor; the caller mocks `createExecutor`. */
import type { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';
import type { ISettingRegistry } from '@jupyterlab/settingregistry';
import { nullTranslator } from '@jupyterlab/translation';
import { Signal } from '@lumino/signaling';
import type { ExecutionJob } from '../../../core/domain/executor';
import { policySchema, type ServerPolicy } from '../../../models/profiles';
import { FakeExecutor, type FakeRun } from '../../../testing/fakeExecutor';
import { FakeModel, type FakeAnswer } from '../../../testing/fakeModel';
import { createExecutor } from '../../../kernel';
import type { ModelCatalog } from '../model/modelCatalog';
import { NotebookSessions } from '../session/notebookSessions';
import type { PlannedTarget } from '../target/plannedTarget';
import { SessionDriver } from '../session/driver';
import { UserSettings, TabStore } from '../settings';
import { TargetFollower } from '../target/targetFollower';
import { sharedNotebook } from './sharedNotebook';

export function driverFixture(
  sources: readonly string[],
  answers: readonly FakeAnswer[],
  runs: readonly FakeRun[] | ((job: ExecutionJob) => FakeRun),
  /** The server's first answer. */
  answered: Promise<void> = Promise.resolve(),
  /** The user's, beside two attempts. */
  userSettings: object = {}
) {
  const model = sharedNotebook(sources);
  Object.assign(model, { nbformat: 4, nbformatMinor: 5, metadata: {} });
  const owner = {};
  const panel = {
    isDisposed: false,
    content: {
      model,
      activeCell: { model: { id: 'cell0' } },
      modelContentChanged: new Signal<object, void>(owner)
    },
    context: { path: 'a.ipynb', ready: Promise.resolve() },
    sessionContext: {
      ready: Promise.resolve(),
      hasNoKernel: false,
      session: { kernel: { status: 'idle' } }
    },
    disposed: new Signal<object, void>(owner),
    revealed: new Promise<void>(() => undefined)
  } as unknown as NotebookPanel;
  const tracker = {
    currentWidget: panel,
    currentChanged: new Signal<object, unknown>(owner),
    activeCellChanged: new Signal<object, unknown>(owner)
  } as unknown as INotebookTracker;
  const trans = nullTranslator.load('jupyterlab_refine');
  const items = new Map<string, string>();
  const storage = {
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string) => void items.set(key, value),
    removeItem: (key: string) => void items.delete(key)
  };
  const generator = new FakeModel(answers);
  const executor = Object.assign(new FakeExecutor(runs), {
    isDisposed: false,
    dispose: jest.fn()
  });
  jest.mocked(createExecutor).mockReset().mockResolvedValue(executor);
  const ran = jest.fn().mockResolvedValue(true);
  const sessions = new NotebookSessions(
    () => ({
      panel,
      trans,
      dialogs: null,
      storage,
      checkClean: () => Promise.reject(new Error('no kernel')),
      acceptance: {
        watchCells: () => () => undefined,
        run: ran,
        review: () => null,
        provenanceOf: () => undefined
      }
    }),
    () => undefined
  );
  const follower = new TargetFollower(
    tracker,
    trans,
    new TabStore(storage),
    () => sessions.running(panel)?.cellId ?? null
  );
  const policy: { maxAttempts: number | null } & ServerPolicy =
    policySchema.parse({});
  const stored = {
    composite: { maxAttempts: 2, ...userSettings },
    user: userSettings as Record<string, unknown>,
    changed: new Signal<object, void>(owner)
  };
  const settings = new UserSettings(
    { load: () => Promise.resolve(stored) } as unknown as ISettingRegistry,
    new TabStore(storage),
    () => undefined,
    () => policy
  );
  const settled = settings.load();
  const notices: (string | null)[] = [];
  const catalog = {
    model: generator as FakeModel | null,
    modelFor: () => null,
    setup: { status: 'no-model', hints: [], profiles: [] },
    policy
  };
  const show = jest.fn();
  const driver = new SessionDriver({
    sessions,
    follower,
    catalog: catalog as unknown as ModelCatalog,
    settings,
    trans,
    settled,
    ready: settled.then(() => answered),
    notify: notice => notices.push(notice),
    show
  });
  return {
    driver,
    executor,
    generator,
    /** From now on no model is chosen. */
    forgetModel: () => {
      catalog.model = null;
    },
    model,
    notices,
    panel,
    policy,
    ran,
    sessions,
    /** Opens the panel. */
    show,
    source: (index: number) => model.cells.get(index).sharedModel.getSource(),
    edit: (index: number, source: string) =>
      model.cells.get(index).sharedModel.setSource(source),
    target: (cellId: string) => follower.read(panel, cellId) as PlannedTarget,
    dispose: () => {
      follower.dispose();
      sessions.dispose();
    }
  };
}

export async function until(holds: () => boolean): Promise<void> {
  for (let i = 0; i < 400 && !holds(); i++) {
    await new Promise(resolve => setTimeout(resolve, 5));
  }
  expect(holds()).toBe(true);
}
