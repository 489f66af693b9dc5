import * as os from 'os';
import * as path from 'path';

const base = Number(process.env.REFINE_TEST_PORT || 18990);

/** Each worker has a JupyterLab and a model server of its own. */
export const WORKERS = [
  { lab: base, model: base + 1 },
  { lab: base + 6, model: base + 7 }
] as const;
const worker = WORKERS[Number(process.env.TEST_PARALLEL_INDEX ?? 0)]!;

export const LAB_PORT = worker.lab;
export const MODEL_PORT = worker.model;
/** A JupyterLab that has no model but the demo, for all workers. */
export const NO_MODEL_PORT = base + 2;

/** Where the test servers keep their notebooks. */
export const NOTEBOOK_ROOT = path.join(os.tmpdir(), `refine-ui-tests-${base}`);
/** A JupyterLab with the model of the tour. */
export const TOUR_PORT = base + 4;
/** JupyterLab and Notebook 7 with jupyter-collaboration. */
export const COLLABORATION_PORT = base + 5;
