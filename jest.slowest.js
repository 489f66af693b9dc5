// Prints the slowest tests of a run.
const { relative } = require('node:path');

const SHOWN = 10;

module.exports = class {
  onRunComplete(_, { testResults }) {
    const slowest = testResults
      .flatMap(file => file.testResults.map(test => ({ ...test, file })))
      .filter(test => test.duration > 0)
      .sort((a, b) => b.duration - a.duration)
      .slice(0, SHOWN)
      .map(({ duration, file, fullName }) => {
        const path = relative(process.cwd(), file.testFilePath);
        return `${(duration / 1000).toFixed(2).padStart(7)} s  ${path}: ${fullName}\n`;
      });
    process.stderr.write(`\nSlowest tests:\n${slowest.join('')}`);
  }
};
