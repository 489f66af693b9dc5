import type { Locator, Page } from '@playwright/test';
import { expect, test, userSettings } from '../../refine';

// As an earlier version has stored them: a null, and a limit above the server's.
test.use({
  mockSettings: userSettings({
    patience: null,
    maxAttempts: 7,
    evaluators: ['assertions', 'from-another-extension']
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
  await expect(form.getByLabel('Max attempts')).toBeVisible();
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

test('the settings form groups, checks and limits its entries', async ({
  page: galataPage
}) => {
  const page = galataPage as unknown as Page;
  await page.route('**/jupyterlab-refine/v1/profiles*', async route => {
    const response = await route.fetch();
    const body = await response.json();
    const policy = { ...body.policy, maxAttempts: 3, dailyTokenLimit: 5000 };
    await route.fulfill({ response, json: { ...body, policy } });
  });
  const form = await openForm(page);

  await expect(form.locator('.jp-Refine-settingGroup')).toHaveText([
    'Models and prompts',
    'Limits',
    'Attempts',
    'Checks',
    'Context and feedback',
    'Safety',
    'Flow'
  ]);
  await expect(form).not.toContainText(/\bnull\b/i);

  // The server's limits, read-only, beside what they limit.
  await expect(
    form.getByText('This server allows at most 3 and uses that instead.')
  ).toBeVisible();
  await expect(form.getByText(/allows 5,000 tokens a day/)).toBeVisible();

  // A wrong entry says what fits and is not saved; the next right one is.
  const attempts = form.getByLabel('Max attempts');
  await attempts.fill('0');
  await expect(
    form.getByText('Not saved. Enter a whole number from 1 to 100.')
  ).toBeVisible();
  await expect(attempts).toHaveAttribute('aria-invalid', 'true');
  expect(await stored(page)).toMatchObject({ maxAttempts: 7 });
  await attempts.fill('2');
  await expect.poll(() => stored(page)).toMatchObject({ maxAttempts: 2 });
  await expect(form.getByText(/^Not saved/)).toHaveCount(0);
  await expect(
    form.getByText('This server allows at most 3.', { exact: true })
  ).toBeVisible();

  // A prompt has several lines, and its slots.
  const prompt = form.getByLabel('Evaluator prompt');
  await prompt.fill('Judge {{task}}.');
  await expect(
    form.getByText('Not saved. The slot {{answer}} is missing.')
  ).toBeVisible();
  await prompt.press('End');
  await prompt.pressSequentially('\nRead {{answer}}.');
  await expect
    .poll(() => stored(page))
    .toMatchObject({ evaluatorPrompt: 'Judge {{task}}.\nRead {{answer}}.' });

  // Known models are offered; any other text can be written.
  const model = form.getByLabel('Generator model');
  const list = `[id="${await model.getAttribute('list')}"] option`;
  await expect(page.locator(list).first()).toHaveAttribute(
    'value',
    'scripted/scripted-model'
  );
  await model.fill('gone/other');
  await expect(
    form.getByText(/^This server has no profile “gone”/)
  ).toBeVisible();
  await model.fill('scripted/not-listed');
  await expect(form.getByText(/has no profile/)).toHaveCount(0);

  // Decimals can be typed; an empty field is no setting.
  const temperature = form.getByLabel('Temperature');
  await temperature.pressSequentially('0.5');
  await expect.poll(() => stored(page)).toMatchObject({ temperature: 0.5 });
  await temperature.fill('');
  await expect.poll(() => stored(page)).not.toHaveProperty('temperature');

  // At least one evaluator; a name that nobody has added stays.
  await form.getByRole('checkbox', { name: 'from-another-extension' }).click();
  await form.getByRole('checkbox', { name: 'assertions', exact: true }).click();
  await expect(form.getByText('Not saved. Choose at least one.')).toBeVisible();
  await form.getByRole('checkbox', { name: 'judge', exact: true }).click();
  await expect
    .poll(() => stored(page))
    .toMatchObject({
      generatorModel: 'scripted/not-listed',
      evaluators: ['assertions', 'judge']
    });

  await page.getByRole('button', { name: 'Restore to Defaults' }).click();
  await expect(attempts).toHaveValue('5');
  await expect(prompt).toHaveValue('');
});
