/** A driver over one notebook, with a scripted model and executor; the caller mocks `createExecutor`. */
import type { INotebookTracker } from '@jupyterlab/notebook';
import type { ISettingRegistry } from '@jupyterlab/settingregistry';
import { nullTranslator } from '@jupyterlab/translation';
import { Signal } from '@lumino/signaling';
import type { ExecutionJob } from '../../../core/domain/executor';
import { policySchema, type ServerPolicy } from '../../../models/profiles';
import {
  fakeAssertion,
  FakeExecutor,
  type FakeRun
} from '../../../testing/fakeExecutor';
import { FakeModel, type FakeAnswer } from '../../../testing/fakeModel';
import { createExecutor } from '../../../kernel';
import type { ModelCatalog } from '../model/modelCatalog';
import { NotebookSessions } from '../session/notebookSessions';
import type { PlannedTarget } from '../target/plannedTarget';
import { SessionDriver } from '../session/driver';
import { UserSettings } from '../settings';
import { TabStore } from '../tabStore';
import { TargetFollower } from '../target/targetFollower';
import { memoryStorage, notebookPanel, until } from './sharedNotebook';

export { until };

/** What an attempt gives whose one check, in `cell1`, holds or not. */
export const held = (
  outcome: 'passed' | 'failed',
  source = 'assert one == 1'
) => ({ assertions: [fakeAssertion({ cellId: 'cell1', source, outcome })] });

/** The executor that sessions get from now on. */
export function mockExecutor(
  ...args: ConstructorParameters<typeof FakeExecutor>
) {
  const executor = Object.assign(new FakeExecutor(...args), {
    isDisposed: false,
    dispose: jest.fn()
  });
  jest.mocked(createExecutor).mockReset().mockResolvedValue(executor);
  return executor;
}

export function driverFixture(
  sources: readonly string[],
  answers: readonly FakeAnswer[],
  runs: readonly FakeRun[] | ((job: ExecutionJob) => FakeRun),
  /** The server's first answer. */
  answered: Promise<void> = Promise.resolve(),
  /** The user's, beside two attempts. */
  userSettings: object = {}
) {
  const { model, panel, tracker } = notebookPanel(sources);
  const trans = nullTranslator.load('jupyterlab_refine');
  const tab = new TabStore(memoryStorage());
  const generator = new FakeModel(answers);
  const executor = mockExecutor(runs);
  const ran = jest.fn().mockResolvedValue(true);
  const sessions = new NotebookSessions(
    () => ({
      panel,
      trans,
      dialogs: null,
      tab,
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
    tracker as unknown as INotebookTracker,
    trans,
    tab,
    () => sessions.running(panel)?.cellId ?? null
  );
  const policy: { maxAttempts: number | null } & ServerPolicy =
    policySchema.parse({});
  const stored = {
    composite: { maxAttempts: 2, ...userSettings },
    user: userSettings as Record<string, unknown>,
    changed: new Signal<object, void>({})
  };
  const settings = new UserSettings(
    { load: () => Promise.resolve(stored) } as unknown as ISettingRegistry,
    tab,
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
