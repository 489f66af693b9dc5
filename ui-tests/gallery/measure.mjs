/**
 * Streams 200 tokens a second into the built gallery for ten seconds and prints
 * how long the main thread was held: `node measure.mjs [lines…]`. Needs
 * Chromium (`CHROMIUM`, else `chromium` on the path).
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import WebSocket from 'ws';

const here = dirname(fileURLToPath(import.meta.url));
const lineCounts = process.argv.slice(2);
const profile = mkdtempSync(join(tmpdir(), 'refine-gallery-'));
const browser = spawn(process.env.CHROMIUM ?? 'chromium', [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--window-size=500,800',
  '--remote-debugging-port=0',
  `--user-data-dir=${profile}`,
  'about:blank'
]);

try {
  const page = await connect(await debuggerUrl());
  for (const lines of lineCounts.length > 0 ? lineCounts : ['60', '2000']) {
    await page('Page.navigate', {
      url: `file://${join(here, 'dist', 'light.html')}?stream=${lines}`
    });
    console.log(await result(page));
  }
} finally {
  browser.kill();
  await new Promise(resolve => browser.once('exit', resolve));
  rmSync(profile, { recursive: true, force: true });
}

/** The browser prints its address on stderr once it listens. */
function debuggerUrl() {
  return new Promise((resolve, reject) => {
    let text = '';
    browser.stderr.on('data', data => {
      text += data;
      const match = /ws:\/\/([^/\s]+)/.exec(text);
      if (match) {
        resolve(`http://${match[1]}`);
      }
    });
    browser.once('exit', () => reject(new Error(text)));
  });
}

async function connect(url) {
  const targets = await (await fetch(`${url}/json`)).json();
  const target = targets.find(t => t.type === 'page');
  const socket = new WebSocket(target.webSocketDebuggerUrl);
  await new Promise(resolve => socket.once('open', resolve));
  let last = 0;
  return (method, params) =>
    new Promise((resolve, reject) => {
      const id = ++last;
      const onMessage = data => {
        const message = JSON.parse(String(data));
        if (message.id === id) {
          socket.off('message', onMessage);
          if (message.error) {
            reject(new Error(message.error.message));
          } else {
            resolve(message.result);
          }
        }
      };
      socket.on('message', onMessage);
      socket.send(JSON.stringify({ id, method, params }));
    });
}

async function result(page) {
  for (let waited = 0; waited < 60; waited++) {
    await new Promise(resolve => setTimeout(resolve, 1000));
    const { result } = await page('Runtime.evaluate', {
      expression: 'document.body?.dataset.result ?? ""'
    });
    if (result.value !== '') {
      return result.value;
    }
  }
  throw new Error('No result within 60 s.');
}
