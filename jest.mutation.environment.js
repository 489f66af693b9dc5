// Jest's bail ends between files, and here is one file: after the first failure the rest is left out.
const { TestEnvironment } = require('jest-environment-node');

module.exports = class extends TestEnvironment {
  handleTestEvent(event) {
    if (event.name === 'test_fn_failure') {
      this._failed = true;
    } else if (event.name === 'test_start' && this._failed) {
      event.test.mode = 'skip';
    }
  }
};
