// Mutants of src/core, for `make mutation-core`: docs/mutation-core.md.
export default {
  mutate: ['src/core/**/*.ts', '!src/core/**/__tests__/**'],
  // The copy needs no more than what the specs read.
  ignorePatterns: [
    '/*',
    '!/src',
    '!/package.json',
    '!/tsconfig*.json',
    '!/*.js',
    '!/jupyterlab_refine',
    '/jupyterlab_refine/labextension',
    '/jupyterlab_refine/cli'
  ],
  tempDirName: '.make/stryker',
  symlinkNodeModules: true,
  testRunner: 'jest',
  testRunnerNodeArgs: ['--max-old-space-size=2048'],
  coverageAnalysis: 'perTest',
  jest: {
    configFile: 'jest.mutation.config.js',
    // There is but one test file.
    enableFindRelatedTests: false
  },
  // Schemas and tables that are built when a module loads; each would need the whole suite.
  ignoreStatic: true,
  incremental: true,
  incrementalFile: '.make/stryker-incremental.json',
  concurrency: 1,
  // Jest keeps some of what each run has loaded.
  maxTestRunnerReuse: 100,
  timeoutMS: 3000,
  timeoutFactor: 2,
  reporters: ['clear-text', 'progress-append-only', 'json', 'html'],
  clearTextReporter: {
    allowColor: false,
    logTests: false,
    reportTests: false,
    reportMutants: true
  },
  jsonReporter: { fileName: '.make/mutation-core/mutation.json' },
  htmlReporter: { fileName: '.make/mutation-core/index.html' },
  thresholds: { high: 90, low: 85, break: 80 },
  allowEmpty: false,
  disableTypeChecks: 'src/**/*.ts'
};
