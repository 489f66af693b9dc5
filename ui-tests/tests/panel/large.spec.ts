/** A long candidate in a long notebook: what matters stays in reach. */
import { answer, expect, model, test } from '../../refine';

const lines = Array.from({ length: 400 }, (_, i) => `    x${i} = ${i}`);
const wrong = ['def last():', ...lines, '    return x1'].join('\n');
const right = wrong.replace('return x1', 'return x399');

test(
  'a 400-line candidate in a notebook of 300 cells stays readable',
  { tag: '@full' },
  async ({ notebook }) => {
    await model.load({
      answers: [
        { text: answer('Long.', wrong) },
        { text: answer('Longer.', right) }
      ]
    });
    const nb = await notebook('large', [
      { id: 'target', source: '# last(): 399\n' },
      { id: 'checks', source: 'assert last() == 399' },
      ...Array.from({ length: 298 }, (_, i) => ({
        id: `other-${i}`,
        source: `y${i} = ${i}`
      }))
    ]);
    await nb.open();
    const { page, panel } = nb;
    await nb.select(0);
    const started = Date.now();
    await nb.refine();
    await nb.expectPassed(2);
    expect(Date.now() - started).toBeLessThan(40_000);
    await expect.poll(() => nb.source(0)).toContain('return x399');

    // The code scrolls in a box of its own; nothing scrolls sideways.
    await panel.getByRole('button', { name: /^Attempt 1 / }).click();
    await panel.getByRole('button', { name: 'code', exact: true }).click();
    const code = panel.getByLabel('Code', { exact: true });
    await expect(code).toContainText('x399 = 399');
    const [height, inner] = await code.evaluate(node => [
      node.clientHeight,
      node.scrollHeight
    ]);
    expect(height).toBeLessThanOrEqual(360);
    expect(inner).toBeGreaterThan(3000);
    const overflow = await panel.evaluate(
      node => node.scrollWidth - node.clientWidth
    );
    expect(overflow).toBeLessThanOrEqual(0);

    // Beside each other, what both have in common is folded.
    await panel.getByRole('button', { name: /^Attempt 1 / }).click();
    await panel.getByRole('button', { name: /^Attempt 2 / }).click();
    await nb.more();
    await panel.getByRole('button', { name: 'compare', exact: true }).click();
    const tab = page.getByRole('tabpanel', { name: 'Compare cell 1' });
    await expect(tab.locator('.cm-collapsedLines').first()).toContainText(
      /39\d unchanged lines/
    );
    await expect(tab.locator('.cm-content').nth(1)).toContainText(
      'return x399'
    );
    await page.screenshot({ path: 'test-results/large.png' });
  }
);
