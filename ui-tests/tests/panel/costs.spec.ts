/** Money in the panel, where the price of the model is known. */
import { answer, expect, model, test, userSettings } from '../../refine';

const cells = [
  { id: 'target', source: '# answer: the number 42\n' },
  { id: 'checks', source: 'assert answer == 42' }
];
const refine = { text: answer('Set it.', 'answer = 42') };

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
