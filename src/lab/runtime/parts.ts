/** What the manager is made of, put together. */
import type { NotebookPanel } from '@jupyterlab/notebook';
import { pageServer } from '../../models/pageServer';
import type { NoticeTone } from '../../tokens';
import { CommandIDs } from '../ids';
import { inLite } from '../lite';
import { notebookCells } from '../notebookCells';
import { reviewInCell } from './acceptance/cellReview';
import { checkInCleanKernel, startSecondKernel } from './cells/cleanCheck';
import { IsolationProbe } from './isolationProbe';
import { ModelCatalog } from './model/modelCatalog';
import { runInNotebook, watchCells } from './cells/notebookActions';
import { NotebookSessions } from './session/notebookSessions';
import type { ManagerPorts } from './ports';
import type { SessionPorts } from './session/ports';
import { SessionDriver } from './session/driver';
import { Explainer } from './session/explainer';
import { SessionHistory } from './history/history';
import { IndexedPastStore } from './history/pastStore';
import { UserSettings, TabStore } from './settings';
import { TargetFollower } from './target/targetFollower';
import { bestAttempt } from '../../core/events/best';
import { confirmedCounts } from '../../core/domain/checks/confirmation';
import type { AttemptState, SessionState } from '../../core/events/state';
import { provenance } from '../../notebook/provenance';
import type { ResultMetadata } from '../../notebook/structure/result';

export type ManagerParts = {
  readonly history: SessionHistory;
  readonly settings: UserSettings;
  readonly catalog: ModelCatalog;
  readonly probe: IsolationProbe;
  readonly sessions: NotebookSessions;
  readonly follower: TargetFollower;
  readonly driver: SessionDriver;
  readonly explainer: Explainer;
  /** The settings are there. */
  readonly settled: Promise<void>;
};

export type ManagerCallbacks = {
  /** The view may be another one. */
  readonly onChange: () => void;
  /** A session of the notebook changed. */
  readonly onSession: (panel: NotebookPanel) => void;
  readonly notify: (notice: string | null, tone?: NoticeTone) => void;
};

export function createParts(
  ports: ManagerPorts,
  { onChange, onSession, notify }: ManagerCallbacks
): ManagerParts {
  const { tracker, services, trans, commands } = ports;
  const tab = new TabStore(window.sessionStorage);
  const history = new SessionHistory(
    new IndexedPastStore(window.indexedDB),
    services.serverSettings.baseUrl,
    onChange
  );
  const settings: UserSettings = new UserSettings(
    ports.settings,
    tab,
    () => catalog.choose(),
    () => catalog.policy
  );
  const catalog: ModelCatalog = new ModelCatalog(
    inLite()
      ? { ...services.serverSettings, fetch: pageServer() }
      : services.serverSettings,
    trans,
    () => settings.options.generatorModel,
    ports.models
  );
  catalog.changed.connect(onChange);
  const sessions = new NotebookSessions(
    panel => ({
      ...sessionPorts(ports, catalog, panel),
      keep: events => void history.keep(panel.context.path, events)
    }),
    onSession
  );
  const follower = new TargetFollower(
    tracker,
    trans,
    tab,
    panel => sessions.running(panel)?.cellId ?? null,
    () => catalog.policy?.refineGradedCells === true,
    panel => sessions.interrupted(panel)
  );
  let graded = false;
  catalog.changed.connect(() => {
    const now = catalog.policy?.refineGradedCells === true;
    if (now !== graded) {
      graded = now;
      follower.refresh();
    }
  });
  const settled = settings.load();
  const ready = settled.then(() => catalog.refresh());
  const show = () => {
    if (commands.hasCommand(CommandIDs.showPanel)) {
      void commands.execute(CommandIDs.showPanel);
    }
  };
  const driver = new SessionDriver({
    sessions,
    follower,
    catalog,
    settings,
    trans,
    settled,
    ready,
    notify,
    show
  });
  return {
    history,
    settings,
    catalog,
    probe: new IsolationProbe(onChange),
    sessions,
    follower,
    driver,
    explainer: new Explainer({
      sessions,
      follower,
      driver,
      settings,
      trans,
      keyVariables: () => catalog.policy?.keyVariables ?? [],
      notify,
      show
    }),
    settled
  };
}

function sessionPorts(
  { trans, dialogs, services, extensions }: ManagerPorts,
  catalog: ModelCatalog,
  panel: NotebookPanel
): SessionPorts {
  return {
    panel,
    trans,
    dialogs,
    storage: window.sessionStorage,
    extensions,
    keyVariables: () => catalog.policy?.keyVariables ?? [],
    checkClean: (request, candidate, signal, onPlan) =>
      checkInCleanKernel({
        startKernel: () => startSecondKernel(services.kernels, panel),
        onPlan,
        cells: panel.content.model ? notebookCells(panel.content.model) : [],
        request,
        candidate,
        keyVariables: catalog.policy?.keyVariables,
        trans,
        signal
      }),
    watchCells: listener => watchCells(panel, listener),
    acceptance: {
      run: cellIds => runInNotebook(panel, cellIds, dialogs),
      review: (cellId, options) => {
        const cell = panel.content.widgets.find(
          widget => widget.model.id === cellId
        );
        return cell ? reviewInCell(cell, { ...options, trans }) : null;
      },
      provenanceOf: (session, attempt) =>
        provenanceOf(session, attempt, catalog.version)
    }
  };
}

/**
 * What an accepted cell remembers. Undefined where there is nothing to record:
 * the session did not end, or what the cell held was taken back.
 */
function provenanceOf(
  { request, outcome, model, isolation }: SessionState,
  attempt: AttemptState,
  version: string
): ResultMetadata | undefined {
  if (!request || !outcome || attempt.attempt === 0) {
    return undefined;
  }
  const where = attempt.execution?.isolation ?? isolation;
  return where
    ? provenance({
        request,
        outcome,
        accepted: bestAttempt(attempt),
        isolation: where,
        // The user wrote it.
        model: attempt.editedFrom === undefined ? model : null,
        version,
        now: Date.now(),
        confirmed: confirmedCounts(attempt),
        clean:
          outcome.best?.attempt === attempt.attempt
            ? outcome.clean?.passed
            : undefined
      })
    : undefined;
}
