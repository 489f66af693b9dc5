// What a person reads: each failure with the command that repeats it, the totals, the slowest tests.
const { relative } = require('node:path');

const SLOWEST = 5;

module.exports = class {
  onTestResult(test, { failureMessage, testResults }) {
    if (!failureMessage) {
      return;
    }
    const { displayName } = test.context.config;
    const path = relative(process.cwd(), test.path);
    const failed = testResults.filter(({ status }) => status === 'failed');
    // Without a failed test, the file itself could not be loaded.
    const names = failed.length ? failed.map(one => one.fullName) : [null];
    const again = names.map(name => {
      const only = name === null ? '' : ` -t ${quoted(name)}`;
      return `  jlpm jest ${path}${only} --selectProjects ${displayName.name}\n`;
    });
    print(`FAIL ${path}\n${failureMessage}\nAgain:\n${again.join('')}\n`);
  }

  onRunComplete(_, results) {
    const { numPassedTests, numFailedTests, numPendingTests } = results;
    const files = results.testResults;
    const slowest = files
      .flatMap(file => file.testResults.map(test => ({ ...test, file })))
      .filter(test => test.duration > 0)
      .sort((a, b) => b.duration - a.duration)
      .slice(0, SLOWEST)
      .map(({ duration, file, fullName }) => {
        const path = relative(process.cwd(), file.testFilePath);
        return `${(duration / 1000).toFixed(2).padStart(7)} s  ${path}: ${fullName}\n`;
      });
    print(
      `${numPassedTests} passed, ${numFailedTests} failed, ${numPendingTests} skipped in ${files.length} files. Slowest:\n${slowest.join('')}`
    );
  }
};

function print(text) {
  process.stderr.write(text);
}

/** For a shell; what means something in a regular expression is escaped. */
function quoted(name) {
  const pattern = name.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  return `'${pattern.replace(/'/g, "'\\''")}'`;
}
