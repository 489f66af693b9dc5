import { answer, expect, model, testWith } from '../../refine';

const candidate = `from dataclasses import dataclass
@dataclass
class Order:
    region: str
    units: list
def total(orders):
    names = {"north": [1, 2], "south": (3, {"deep": 4})}
    return orders[0].units["x"]
first = total([Order("north", [1, 2])])`;

testWith({ maxAttempts: 1, contextValues: 'samples' })(
  'prompt, answer and values of an attempt can be read and copied @full',
  async ({ notebook, context }) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const given = answer(candidate);
    const nb = await notebook(
      [
        { id: 'target', source: '# total of the orders\n' },
        { id: 'checks', source: 'assert total([]) == 0' }
      ],
      [given]
    );
    await nb.refine(0);
    await nb.expectHeading(/Stopped after 1/);
    const link = (name: string) => nb.button(name, true);
    const copied = async (name: string) => {
      await link(name).click();
      await expect(link('Copied').first()).toBeVisible();
      return nb.page.evaluate(() => navigator.clipboard.readText());
    };

    await nb.more();
    await link('locals').click();
    await expect(nb.panel.getByRole('row', { name: /^names / })).toContainText(
      "'deep': 4"
    );

    await link('answer').click();
    await expect(
      nb.panel.getByRole('region', { name: 'answer' })
    ).toContainText('```python');
    expect(await copied('Copy the answer')).toBe(given.text);
    await link('prompt').click();
    const [request] = await model.requests();
    const sent = (request.body as { messages: { content: string }[] }).messages;
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
    expect(await copied('Copy the answer')).toBe(given.text);
  }
);

testWith({ maxAttempts: 1 })(
  'earlier sessions survive a reload, without hold-outs @full',
  async ({ notebook }) => {
    const nb = await notebook(
      [
        { id: 'target', source: '# total: 10\n' },
        { id: 'checks', source: 'assert total == 10' },
        {
          id: 'secret',
          source: 'assert total != 4711',
          tags: ['refine-holdout']
        }
      ],
      [answer('print("first")\ntotal = 1'), answer('total = 10')]
    );
    await nb.refine(0);
    await nb.expectHeading(/Stopped after 1/);
    await nb.refine(0);
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

    await nb.page.evaluate(async () => {
      const { context } = window.jupyterapp.shell.currentWidget as unknown as {
        context: { rename(name: string): Promise<void> };
      };
      await context.rename('renamed.ipynb');
    });
    await nb.page.reload();
    await nb.waitForKernel();
    await nb.select(0);
    await nb.command('jupyterlab-refine:history');
    await expect(nb.button('Cell 1: passed on attempt 1')).toBeVisible();
    await nb.button('Cell 1: 1 attempt, no pass').press('Enter');
    await nb.expectText('read only');
    await nb.expectText('total = 1', { exact: true });
    await expect(nb.button('Use this')).toHaveCount(0);
    await nb.more();
    await nb.button('compare').first().click();
    const compared = nb.page.getByRole('tabpanel', {
      name: 'Compare cell 1'
    });
    await expect(compared).toContainText('total = 1');
    await expect(
      compared.getByRole('combobox', { name: 'Compare with' })
    ).toHaveValue('1');
  }
);
