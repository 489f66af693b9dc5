import js from '@eslint/js';
import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';
import prettierConfig from 'eslint-config-prettier';
import globals from 'globals';
import jupyterPlugin from '@jupyter/eslint-plugin';

/** Who may know whom: the rooms of ARCHITECTURE.md. `deny` lists what a room must not import. */
const rooms = ['core', 'notebook', 'kernel', 'models', 'lab', 'ui', 'headless', 'testing'];

function room(name, mayImportRooms, deniedPackages) {
  const denied = rooms.filter(r => r !== name && !mayImportRooms.includes(r));
  const patterns = [
    {
      regex: `^(\\.\\./)+(${denied.join('|')})(/|$)`,
      message: `src/${name} may not import this room (ARCHITECTURE.md, Rooms).`
    }
  ];
  if (deniedPackages) {
    patterns.push({
      regex: deniedPackages,
      message: `src/${name} may not import this package (ARCHITECTURE.md, Rooms).`
    });
  }
  return {
    files: [`src/${name}/**/*.ts`, `src/${name}/**/*.tsx`],
    ignores: ['**/__tests__/**'],
    rules: { 'no-restricted-imports': ['error', { patterns }] }
  };
}

export default defineConfig([
  {
    ignores: [
      'node_modules',
      'dist',
      'lib',
      'coverage',
      '**/*.js',
      '**/*.d.ts',
      '.venv*',
      '.make',
      'jupyterlab_refine/labextension',
      'jupyterlab_refine/cli',
      'src/kernel/kernelSource.ts'
    ]
  },
  js.configs.recommended,
  tseslint.configs.recommended,
  { plugins: { jupyter: jupyterPlugin } },
  jupyterPlugin.configs.recommended,
  {
    files: ['src/**/*.ts', 'src/**/*.tsx'],
    languageOptions: {
      globals: { ...globals.browser, ...globals.es2021, ...globals.node },
      parserOptions: { project: 'tsconfig.json', sourceType: 'module' }
    },
    rules: {
      '@typescript-eslint/naming-convention': [
        'error',
        {
          selector: 'interface',
          format: ['PascalCase'],
          custom: { regex: '^I[A-Z]', match: true }
        }
      ],
      '@typescript-eslint/no-unused-vars': ['error', { args: 'none' }],
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/no-namespace': 'off',
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true }
      ],
      curly: ['error', 'all'],
      eqeqeq: 'error'
    }
  },
  room('core', [], '^(?!\\.|zod$|@lezer/)'),
  room('notebook', ['core'], '^(@jupyterlab/|@lumino/|react|openai|node:)'),
  room('kernel', ['core'], '^(?!\\.|@jupyterlab/services|@lumino/|@noble/hashes|zod$)'),
  room('models', ['core'], '^(?!\\.|openai|zod$|@jupyterlab/services|@jupyterlab/coreutils)'),
  room('lab', ['core', 'notebook', 'kernel', 'models'], '^(react|openai|node:)'),
  room('ui', ['core'], '^(?!\\.|react|diff$|@jupyterlab/ui-components|@jupyterlab/translation|@lumino/)'),
  room('headless', ['core', 'notebook', 'kernel', 'models'], null),
  room('testing', ['core'], '^(@jupyterlab/|react)'),
  {
    files: ['src/core/**/*.ts', 'src/kernel/**/*.ts'],
    ignores: ['src/core/clock.ts', '**/__tests__/**'],
    rules: {
      'no-restricted-globals': [
        'error',
        ...['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'setImmediate', 'performance', 'Date'].map(
          name => ({ name, message: 'Time comes from the clock port (src/core/clock.ts).' })
        )
      ]
    }
  },
  {
    files: ['src/models/**/*.ts'],
    ignores: ['src/models/server.ts', '**/__tests__/**'],
    rules: {
      'no-restricted-syntax': [
        'error',
        {
          selector: "ImportDeclaration[source.value=/^@jupyterlab/]",
          message: 'Only src/models/server.ts knows @jupyterlab/services.'
        }
      ]
    }
  },
  {
    files: ['ui-tests/**/*.ts', 'bench/**/*.ts', '**/*.mjs'],
    languageOptions: { globals: { ...globals.node, ...globals.browser } },
    rules: { '@typescript-eslint/no-unused-vars': ['error', { args: 'none' }] }
  },
  {
    files: ['**/__tests__/**', 'ui-tests/**', 'bench/**', 'src/testing/**'],
    rules: { 'jupyter/no-untranslated-string': 'off' }
  },
  // `jlpm prettier:check` does the rest.
  prettierConfig
]);
