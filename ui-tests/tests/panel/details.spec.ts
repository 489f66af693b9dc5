import { answer, expect, model, test, userSettings } from '../../refine';
import type { Locator, Page } from '@playwright/test';

const candidate = `from dataclasses import dataclass
@dataclass
class Order:
    region: str
    units: list
def total(orders):
    names = {"north": [1, 2], "south": (3, {"deep": 4})}
    return orders[0].units["x"]
first = total([Order("north", [1, 2])])`;

test.describe('one attempt with samples', () => {
  test.use({
    mockSettings: userSettings({ maxAttempts: 1, contextValues: 'samples' })
  });

  test(
    'prompt, answer and values of an attempt can be read and copied',
    { tag: '@full' },
    async ({ notebook, context }) => {
      await context.grantPermissions(['clipboard-read', 'clipboard-write']);
      const text = answer('Index by name.', candidate);
      await model.load({ answers: [{ text }] });
      const nb = await notebook('details', [
        { id: 'target', source: '# total of the orders\n' },
        { id: 'checks', source: 'assert total([]) == 0' }
      ]);
      await nb.open(0);
      await nb.refine();
      await nb.expectStopped(1);
      const link = (name: string) =>
        nb.panel.getByRole('button', { name, exact: true });
      const copied = async (name: string) => {
        await link(name).click();
        await expect(link('Copied').first()).toBeVisible();
        return nb.page.evaluate(() => navigator.clipboard.readText());
      };

      await nb.more();
      await link('locals').click();
      await expect(
        nb.panel.getByRole('row', { name: /^names / })
      ).toContainText("'deep': 4");
      await nb.page.screenshot({ path: 'test-results/locals.png' });

      await link('answer').click();
      await expect(
        nb.panel.getByRole('region', { name: 'answer' })
      ).toContainText('```python');
      expect(await copied('Copy the answer')).toBe(text);
      await nb.page.screenshot({ path: 'test-results/answer.png' });
      await link('prompt').click();
      const [request] = await model.requests();
      const sent = (request.body as { messages: { content: string }[] })
        .messages;
      const prompt = await copied('Copy the prompt');
      for (const { content } of sent) {
        expect(prompt).toContain(content);
      }
      expect(await copied('Copy the code')).toBe(candidate);
      await link('traceback').click();
      expect(await copied('Copy the traceback')).toContain('TypeError');

      // All of it is there after a reload.
      await nb.page.reload();
      await nb.waitForKernel();
      await nb.command('jupyterlab-refine:show-panel');
      await nb.select(0);
      await nb.more();
      await link('answer').click();
      expect(await copied('Copy the answer')).toBe(text);
    }
  );
});

test.describe('one attempt', () => {
  test.use({ mockSettings: userSettings({ maxAttempts: 1 }) });

  test(
    'earlier sessions survive a reload, without hold-outs',
    { tag: '@full' },
    async ({ notebook }) => {
      await model.load({
        answers: [
          { text: answer('Wrong.', 'print("first")\ntotal = 1') },
          { text: answer('Right.', 'total = 10') }
        ]
      });
      const nb = await notebook('history', [
        { id: 'target', source: '# total: 10\n' },
        { id: 'checks', source: 'assert total == 10' },
        {
          id: 'secret',
          source: 'assert total != 4711',
          tags: ['refine-holdout']
        }
      ]);
      await nb.open(0);
      await nb.refine();
      await nb.expectStopped(1);
      await nb.select(0);
      await nb.refine();
      await nb.expectPassed(1);
      // Written in the background.
      const stored = () =>
        nb.page.evaluate(
          () =>
            new Promise<string>(resolve => {
              const request = indexedDB.open('jupyterlab-refine');
              request.onsuccess = () => {
                const all = request.result
                  .transaction('sessions')
                  .objectStore('sessions')
                  .getAll();
                all.onsuccess = () => {
                  request.result.close();
                  resolve(JSON.stringify(all.result));
                };
              };
            })
        );
      await expect
        .poll(async () => (JSON.parse(await stored()) as unknown[]).length)
        .toBe(2);
      expect(await stored()).not.toContain('4711');

      await nb.page.reload();
      await nb.waitForKernel();
      await nb.select(0);
      await nb.command('jupyterlab-refine:history');
      const first = nb.panel.getByRole('button', {
        name: 'Cell 1: 1 attempt, no pass'
      });
      await expect(
        nb.panel.getByRole('button', { name: 'Cell 1: passed on attempt 1' })
      ).toBeVisible({ timeout: 30_000 });
      await nb.page.screenshot({ path: 'test-results/history.png' });
      await first.focus();
      await nb.page.keyboard.press('Enter');
      await expect(nb.panel.getByText('read only')).toBeVisible();
      await expect(
        nb.panel.getByText('total = 1', { exact: true })
      ).toBeVisible();
      await expect(
        nb.panel.getByRole('button', { name: 'Use this' })
      ).toHaveCount(0);
      await nb.page.screenshot({ path: 'test-results/history-one.png' });
      await nb.more();
      await nb.panel.getByRole('button', { name: 'compare' }).first().click();
      const compared = nb.page.getByRole('tabpanel', {
        name: 'Compare cell 1'
      });
      await expect(compared).toContainText('total = 1');
      await expect(
        compared.getByRole('combobox', { name: 'Compare with' })
      ).toHaveValue('1');
      await nb.page.screenshot({ path: 'test-results/history-compare.png' });
    }
  );
});

test.describe('settings', () => {
  // As an earlier version has stored them: a null, a model and a setting that are gone.
  test.use({
    mockSettings: userSettings({
      patience: null,
      maxAttempts: 7,
      evaluatorModel: 'gone/other',
      strongerModel: 'gone/other'
    })
  });

  async function openForm(page: Page): Promise<Locator> {
    await page.goto('');
    await page.evaluate(() =>
      window.jupyterapp.commands.execute('settingeditor:open', {
        query: 'Refine'
      })
    );
    const form = page.locator('.jp-SettingsForm');
    await expect(form.getByLabel('Generator model')).toBeVisible();
    return form;
  }

  /** What is stored, as the registry has it. */
  function stored(page: Page): Promise<Record<string, unknown>> {
    return page.evaluate(async () => {
      const plugin = await window.jupyterapp.serviceManager.settings.fetch(
        'jupyterlab-refine:plugin'
      );
      return JSON.parse(plugin?.raw ?? '{}') as Record<string, unknown>;
    });
  }

  test(
    'the settings form starts with what matters and folds the rest',
    { tag: '@full' },
    async ({ page: galataPage }) => {
      const page = galataPage as unknown as Page;
      const form = await openForm(page);
      const attempts = form.locator('input[id$=maxAttempts]');
      await expect(attempts).toHaveValue('7');
      const temperature = form.locator('input[id$=temperature]');
      await expect(temperature).toBeHidden();
      await expect(form.getByLabel('Evaluator model')).toBeHidden();

      // A model is chosen from those that the servers offer.
      await form
        .getByLabel('Generator model')
        .selectOption('scripted/scripted-model');
      await expect
        .poll(() => stored(page))
        .toMatchObject({ generatorModel: 'scripted/scripted-model' });

      await form.getByRole('button', { name: 'All settings' }).click();
      await expect(temperature).toBeVisible();
      // One that is gone stays chosen.
      await expect(form.getByLabel('Evaluator model')).toHaveValue(
        'gone/other'
      );
    }
  );
});
