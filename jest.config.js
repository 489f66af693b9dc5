const jestJupyterLab = require('@jupyterlab/testutils/lib/jest-config');

// Packages that ship ES modules only.
const esModules = [
  '@codemirror',
  '@jupyter/',
  '@jupyterlab/',
  '@microsoft',
  '@noble/',
  'color',
  'exenv-es6',
  'lib0',
  'marked',
  'nanoid',
  'vscode-ws-jsonrpc',
  'y-protocols',
  'y-websocket',
  'yjs'
].join('|');

const {
  coverageDirectory,
  moduleFileExtensions,
  moduleNameMapper,
  resolver,
  testEnvironment,
  transform
} = jestJupyterLab(__dirname);

const INTEGRATION = '\\.integration\\.spec\\.tsx?$';

function project(displayName, testRegex, testPathIgnorePatterns) {
  return {
    displayName,
    rootDir: __dirname,
    moduleFileExtensions,
    moduleNameMapper: {
      ...moduleNameMapper,
      // As the example extension of docs/ names it.
      '^jupyterlab-refine$': '<rootDir>/src/index.ts'
    },
    resolver,
    testEnvironment,
    testRegex,
    testPathIgnorePatterns,
    setupFiles: ['<rootDir>/jest.setup.js'],
    modulePathIgnorePatterns: [
      '<rootDir>/\\.venv',
      '<rootDir>/lib/',
      '<rootDir>/jupyterlab_refine/labextension/',
      '<rootDir>/dist/',
      '<rootDir>/.make/'
    ],
    transform: {
      ...transform,
      // Types are checked by tsc, once, and not again in every worker (isolatedModules).
      '^.+\\.tsx?$': [
        'ts-jest/legacy',
        { tsconfig: '<rootDir>/tsconfig.test.json' }
      ],
      // Of the packages below.
      '^.+\\.jsx?$': [
        'babel-jest',
        {
          configFile: require.resolve('@jupyterlab/testutils/lib/babel.config')
        }
      ]
    },
    transformIgnorePatterns: [`/node_modules/(?!${esModules}).+`]
  };
}

module.exports = {
  projects: [
    project('unit', 'src/.*\\.spec\\.tsx?$', [INTEGRATION]),
    // These start servers and kernels of .venv.
    project('integration', `src/.*${INTEGRATION}`, [])
  ],
  // Under load, servers and kernels need their time.
  testTimeout: 60000,
  reporters: ['github-actions', '<rootDir>/jest.reporter.js'],
  coverageDirectory,
  coverageReporters: ['lcov', 'text'],
  collectCoverageFrom: [
    'src/**/*.{ts,tsx}',
    '!src/**/*.d.ts',
    '!src/**/.ipynb_checkpoints/*'
  ]
};
