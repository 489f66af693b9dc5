/** Names that users, scripts and other extensions rely on. */

export const PLUGIN_ID = 'jupyterlab-refine:plugin';
export const PANEL_ID = 'jupyterlab-refine-panel';
export const TRANSLATION_DOMAIN = 'jupyterlab_refine';

/** Where everything of ours lives in a cell's metadata. */
export const METADATA_KEY = 'jupyterlab_refine';

export const CommandIDs = {
  refineCell: 'jupyterlab-refine:refine-cell',
  checkCell: 'jupyterlab-refine:check-cell',
  generateAssertions: 'jupyterlab-refine:generate-assertions',
  refineSelection: 'jupyterlab-refine:refine-selection',
  refineError: 'jupyterlab-refine:refine-error',
  explainError: 'jupyterlab-refine:explain-error',
  debugAttempt: 'jupyterlab-refine:debug-attempt',
  refineFromHere: 'jupyterlab-refine:refine-from-here',
  stop: 'jupyterlab-refine:stop',
  pause: 'jupyterlab-refine:pause',
  continue: 'jupyterlab-refine:continue',
  hint: 'jupyterlab-refine:hint',
  compare: 'jupyterlab-refine:compare',
  history: 'jupyterlab-refine:history',
  openExample: 'jupyterlab-refine:open-example',
  accept: 'jupyterlab-refine:accept',
  restore: 'jupyterlab-refine:restore',
  toggleAssertion: 'jupyterlab-refine:toggle-assertion',
  toggleHoldout: 'jupyterlab-refine:toggle-holdout',
  toggleScorer: 'jupyterlab-refine:toggle-scorer',
  insertPrompt: 'jupyterlab-refine:insert-prompt',
  showPanel: 'jupyterlab-refine:show-panel'
} as const;
