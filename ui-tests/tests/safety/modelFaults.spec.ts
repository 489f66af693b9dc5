import type { ScriptedAnswer } from '../../../src/testing/scriptedServer';
import type { Page } from '@playwright/test';
import { NO_MODEL_PORT } from '../../ports';
import { answer, expect, model, test, type CellInput } from '../../refine';

const cells: readonly CellInput[] = [
  { id: 'target', source: '# answer: the number 42\n' },
  { id: 'checks', source: 'assert answer == 42' }
];
const text = answer('Add one.', 'answer = 42');

/** Each fault has a message of its own; what is worth retrying is retried. */
const faults: readonly {
  readonly name: string;
  readonly fault: ScriptedAnswer['fault'];
  readonly says: RegExp | null;
}[] = [
  {
    name: 'a refused key',
    fault: { type: 'status', status: 401 },
    says: /key/i
  },
  {
    name: 'an unknown model',
    fault: { type: 'status', status: 404 },
    says: /scripted-model/
  },
  {
    name: 'a rate limit that passes',
    fault: { type: 'status', status: 429, retryAfter: 1 },
    says: null
  },
  {
    name: 'a server error that passes',
    fault: { type: 'status', status: 503 },
    says: null
  },
  {
    name: 'a login page with status 200',
    fault: { type: 'login-page' },
    says: /page|HTML|not an/i
  },
  {
    name: 'a context that is too long',
    fault: { type: 'context-length' },
    says: /context|too long/i
  },
  {
    name: 'a body that stalls',
    fault: { type: 'stall', afterTokens: 4 },
    says: /stopped for 3 s/
  },
  {
    name: 'a model that takes its time to load',
    fault: { type: 'slow', delayMs: 5000 },
    says: null
  },
  {
    name: 'an error in the middle of the stream',
    fault: {
      type: 'stream-error',
      afterTokens: 4,
      error: { message: 'the worker ran out of memory' }
    },
    says: /ran out of memory/
  },
  {
    name: 'an error at the start of the stream',
    fault: {
      type: 'stream-error',
      afterTokens: 0,
      error: { code: 400, message: 'this worker serves no chats' }
    },
    says: /this worker serves no chats/
  },
  {
    name: 'a parameter the server does not know',
    fault: { type: 'reject', parameters: ['stream_options'] },
    says: null
  }
];

for (const { name, fault, says } of faults) {
  test(name, { tag: '@full' }, async ({ notebook }) => {
    const passes = says === null;
    await model.load({
      answers: [
        { text, fault, times: passes ? 1 : 0 },
        { text, times: passes ? 0 : 1 }
      ]
    });
    const nb = await notebook('fault', cells);
    await nb.open();
    await nb.select(0);
    await nb.refine();
    if (passes) {
      await nb.expectPassed(1);
      return;
    }
    await expect(nb.panel.getByText(says).first()).toBeVisible({
      timeout: 30_000
    });
    await expect(
      nb.panel.getByText(/Traceback|at Object|undefined/)
    ).toHaveCount(0);
    expect(await nb.source(0)).toBe(cells[0].source);
  });
}

test(
  'an answer without code is reported; the next attempt goes on',
  { tag: '@full' },
  async ({ notebook }) => {
    await model.load({
      answers: [{ text: 'I would rather talk about it.' }, { text }]
    });
    const nb = await notebook('no-code', cells);
    await nb.open();
    await nb.select(0);
    await nb.refine();
    await nb.expectPassed(2);
    await expect(nb.panel.getByText(/no code/i).first()).toBeVisible();
  }
);

test(
  'an answer cut by its token limit is reported',
  { tag: '@full' },
  async ({ notebook }) => {
    await model.load({
      answers: [
        {
          text: 'Add one.\n\n```python\nanswer = ',
          finishReason: 'length'
        },
        { text }
      ]
    });
    const nb = await notebook('truncated', cells);
    await nb.open();
    await nb.select(0);
    await nb.refine();
    await nb.expectPassed(2);
    await nb.panel.getByRole('button', { name: /^Attempt 1/ }).click();
    await expect(nb.panel.getByText(/token limit/i).first()).toBeVisible();
  }
);

function choose(page: Page, generatorModel: string): Promise<unknown> {
  return page.evaluate(
    text =>
      window.jupyterapp.serviceManager.settings.save(
        'jupyterlab-refine:plugin',
        text
      ),
    JSON.stringify({ generatorModel })
  );
}

test(
  'an address without /v1 works, and is named',
  { tag: '@full' },
  async ({ notebook, page }) => {
    await model.load({ answers: [{ text }] });
    const nb = await notebook('bare', cells);
    await nb.open();
    await choose(page, 'bare/scripted-model');
    await nb.open();
    await nb.select(0);
    await nb.refine();
    await nb.expectPassed(1);
    await expect(
      nb.panel.getByText(/Set base_url to it: .*\/v1/)
    ).toBeVisible();
    await page.screenshot({ path: 'test-results/bare.png' });
    await choose(page, '');
  }
);

test(
  'a host without encryption is named',
  { tag: '@full' },
  async ({ notebook, page }) => {
    await model.load({ answers: [{ text }] });
    const nb = await notebook('encrypted', cells);
    await nb.open();
    await choose(page, 'encrypted/scripted-model');
    await nb.open();
    await nb.select(0);
    await nb.refine();
    await expect(
      nb.panel.getByText(/does not answer in TLS. Check base_url/).first()
    ).toBeVisible();
    await page.screenshot({ path: 'test-results/encrypted.png' });
    expect(await nb.source(0)).toBe(cells[0].source);
    await choose(page, '');
  }
);

test(
  'a provider that refuses the connection is named',
  { tag: '@full' },
  async ({ notebook, page }) => {
    await model.load({ answers: [] });
    const nb = await notebook('refused', cells);
    await nb.open();
    await choose(page, 'closed/any-model');
    await nb.open();
    await nb.select(0);
    await nb.refine();
    await expect(nb.panel.getByText(/127\.0\.0\.1:9\b/).first()).toBeVisible({
      timeout: 30_000
    });
    await expect(
      nb.panel.getByRole('heading', { name: 'The model gave no answer' })
    ).toBeVisible();
    expect(await nb.source(0)).toBe(cells[0].source);
    await choose(page, '');
  }
);

test(
  'an answer whose stream breaks is reported or repeated',
  { tag: '@full' },
  async ({ notebook }) => {
    await model.load({
      answers: [
        { text, fault: { type: 'cut', afterTokens: 2 } },
        { text, times: 0 }
      ]
    });
    const nb = await notebook('cut', cells);
    await nb.open();
    await nb.select(0);
    await nb.refine();
    await expect(
      nb.panel.getByRole('heading', { name: /Passed on attempt [12]/ })
    ).toBeVisible({ timeout: 45_000 });
  }
);

test(
  'with no model there is the set-up view, and Check cell works',
  { tag: '@full' },
  async ({ notebook, page }) => {
    const nb = await notebook('no-model', [
      { id: 'target', source: 'answer = 41' },
      cells[1]
    ]);
    // The same folder, served by a JupyterLab that has no model.
    await page.goto(
      `http://localhost:${NO_MODEL_PORT}/lab/tree/${nb.path}?reset`
    );
    await page.locator('.jp-Notebook .jp-Cell').first().waitFor();
    await nb.waitForKernel();
    await nb.select(0);
    await nb.command('jupyterlab-refine:show-panel');
    await expect(nb.panel.getByText('No model yet')).toBeVisible();
    await expect(
      nb.panel.getByRole('button', { name: 'Open the demo' })
    ).toBeVisible();
    await nb.command('jupyterlab-refine:check-cell');
    await expect(nb.panel.getByText('0 of 1').first()).toBeVisible();
    // Nor does code of your own need a model.
    const edit = nb.panel.getByRole('button', { name: 'edit', exact: true });
    await nb.more();
    await edit.click();
    await expect(
      nb.panel.getByRole('textbox', { name: /^Code / })
    ).toBeFocused();
    await page.keyboard.press('Control+a');
    await page.keyboard.type('answer = 42');
    await page.keyboard.press('Control+Enter');
    await nb.expectPassed(1);
    await expect.poll(() => nb.source(0)).toBe('answer = 42');
  }
);

test(
  'a server without our routes needs a restart, said once',
  { tag: '@full' },
  async ({ notebook, page }) => {
    await page.route('**/jupyterlab-refine/v1/**', route =>
      route.fulfill({ status: 404, body: 'Not found' })
    );
    const nb = await notebook('no-routes', cells);
    await nb.open();
    await nb.select(0);
    await nb.command('jupyterlab-refine:show-panel');
    await expect(nb.panel.getByText('Restart the Jupyter server')).toHaveCount(
      1
    );
  }
);
