// The shim of @jupyterlab/testing is for jsdom; specs in the node environment have no window.
if (typeof window !== 'undefined') {
  require('@jupyterlab/testing/lib/jest-shim.js');
}
