/** Money in the panel: only where the price is known, or a limit leaves it unchecked. */
import { answer, expect, model, test, userSettings } from '../../refine';

const cells = [
  { id: 'target', source: '# answer: the number 42\n' },
  { id: 'checks', source: 'assert answer == 42' }
];
const MONEY = /\$|cost|price/i;

const refine = { text: answer('Set it.', 'answer = 42') };

test(
  'no money is shown while the price of a model is unknown',
  { tag: '@full' },
  async ({ notebook }) => {
    await model.load({ answers: [refine] });
    const nb = await notebook('unknown-price', cells);
    await nb.open();
    await nb.select(0);
    await nb.refine();
    await nb.expectPassed(1);
    await expect(nb.panel).toContainText(/[\d,]+ tokens/);
    await expect(nb.panel).not.toContainText(MONEY);
    await nb.panel.getByRole('button', { name: /^Attempt 1 / }).click();
    await expect(nb.panel).toContainText('answer = 42');
    await expect(nb.panel).not.toContainText(MONEY);
  }
);

test.describe('a cost limit', { tag: '@full' }, () => {
  test.use({ mockSettings: userSettings({ maxCost: 1 }) });

  test('says that an unknown price leaves it unchecked', async ({
    notebook
  }) => {
    await model.load({ answers: [refine] });
    const nb = await notebook('limited', cells);
    await nb.open();
    await nb.select(0);
    await nb.refine();
    await nb.expectPassed(1);
    await expect(nb.panel).toContainText('cost unknown');
    await expect(nb.panel).not.toContainText('$0');
  });
});

test.describe('a profile with prices', { tag: '@full' }, () => {
  test.use({
    mockSettings: userSettings({ generatorModel: 'priced/scripted-model' })
  });

  test('shows what a session costs', async ({ notebook }) => {
    const usage = { prompt: 1000, completion: 500 };
    await model.load({
      answers: [
        { text: answer('Guess.', 'answer = 2'), usage },
        { ...refine, usage }
      ]
    });
    const nb = await notebook('priced', cells);
    await nb.open();
    await nb.select(0);
    await nb.refine();
    await nb.expectPassed(2);
    // 2 calls, each of 1,000 tokens at 2 dollars and 500 at 8 dollars a million.
    await expect(nb.panel).toContainText('3,000 tokens');
    await expect(nb.panel).toContainText('$0.012');
  });
});
