/** What exactly was asked and answered, what a frame held, and copies of all that. */
import { answer, expect, model, test, userSettings } from '../../refine';

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
      await nb.open();
      await nb.select(0);
      await nb.refine();
      await expect(
        nb.panel.getByRole('heading', { name: /Stopped after 1/ })
      ).toBeVisible({ timeout: 60_000 });
      const link = (name: string) =>
        nb.panel.getByRole('button', { name, exact: true });
      const copied = async (name: string) => {
        await link(name).click();
        await expect(link('Copied').first()).toBeVisible();
        return nb.page.evaluate(() => navigator.clipboard.readText());
      };

      // Containers open as far as their values were recorded.
      await nb.more();
      await link('locals').click();
      const names = nb.panel.getByRole('row', { name: /^names / });
      await names.locator('summary').first().click();
      await expect(names.getByText("'north':", { exact: true })).toBeVisible();
      const deep = names.getByText("'deep':", { exact: true });
      await expect(deep).toBeHidden();
      const inner = names.locator('details details');
      await inner.nth(1).locator('summary').first().click();
      await inner.nth(1).locator('details summary').click();
      await expect(deep).toBeVisible();
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
