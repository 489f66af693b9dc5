import type { Locator, Page } from '@playwright/test';
import { expect, test, userSettings } from '../../refine';

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
    await expect(form.getByLabel('Evaluator model')).toHaveValue('gone/other');
  }
);
