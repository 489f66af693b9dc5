// What Stryker runs for each mutant of src/core: the specs of the core as one
// (src/core/__tests__/all.mutation.ts says why), in Node, until one test fails.
// Bare of what only the other rooms need: it starts thousands of times.
module.exports = {
  rootDir: __dirname,
  roots: ['<rootDir>/src/core', '<rootDir>/src/testing'],
  moduleFileExtensions: ['ts', 'js', 'json'],
  testEnvironment: require.resolve('./jest.mutation.environment.js'),
  testRegex: 'src/core/__tests__/all\\.mutation\\.ts$',
  transform: { '\\.ts$': require.resolve('./jest.mutation.transform.js') },
  watchman: false
};
