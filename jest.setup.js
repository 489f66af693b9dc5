// The shim of @jupyterlab/testing is for jsdom; specs in the node environment have no window.
if (typeof window !== 'undefined') {
  require('@jupyterlab/testing/lib/jest-shim.js');
  // Every browser and Node has these, jsdom does not.
  AbortSignal.prototype.throwIfAborted ??= function () {
    if (this.aborted) {
      throw this.reason;
    }
  };
  AbortSignal.any ??= signals => {
    const controller = new AbortController();
    for (const signal of signals) {
      const follow = () => controller.abort(signal.reason);
      signal.addEventListener('abort', follow);
      if (signal.aborted) {
        follow();
      }
    }
    return controller.signal;
  };
}

/**
 * Said of their own code by JupyterLab's libraries, at each cell that a test makes: @jupyter/ydoc reads a
 * cell before it is in a notebook, and jsdom has no clipboard.
 */
const OF_LIBRARIES =
  /^(Invalid access: Add Yjs type to a document|\[yjs#509\] Not same Y\.Doc|Clipboard API not available)/;
const { warn } = console;
console.warn = (...args) => {
  if (!OF_LIBRARIES.test(args.join(' '))) {
    warn.apply(console, args);
  }
};
