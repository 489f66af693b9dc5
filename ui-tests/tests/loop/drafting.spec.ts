import { answer, expect, model, test } from '../../refine';

const cells = [
  {
    id: 'target',
    source: '# double(n): twice n; double(2) is 4, double(0) is 0\n'
  },
  { id: 'later', source: 'print("later")' }
];

const DRAFT = answer(
  'The examples.',
  [
    'assert double(2) == 4',
    'assert double(0) == 0',
    'assert double(3) == double(3)'
  ].join('\n')
);

test(
  'drafts are shown, chosen, inserted, and undone in one step',
  { tag: '@full' },
  async ({ notebook, page }) => {
    await model.load({ answers: [{ text: DRAFT }] });
    const nb = await notebook('drafts', cells);
    await nb.open();
    await nb.select(0);
    await nb.command('jupyterlab-refine:show-panel');
    await nb.panel.getByRole('button', { name: 'Draft assertions' }).click();
    const question = nb.panel.getByRole('alertdialog');
    await expect(question).toContainText(
      /drafted assertions? for cell 1, unverified/,
      {
        timeout: 45_000
      }
    );
    const boxes = question.getByRole('checkbox');
    await expect(boxes.first()).toBeChecked();
    await expect(boxes.first()).toBeFocused();
    const zero = question.getByRole('checkbox', { name: /double\(0\)/ });
    await zero.focus();
    await page.keyboard.press('Space');
    await expect(zero).not.toBeChecked();
    // Nothing is in the notebook yet.
    await expect(page.locator('.jp-Notebook .jp-Cell')).toHaveCount(2);
    await question.getByRole('button', { name: /^Approve/ }).click();
    await expect(page.locator('.jp-Notebook .jp-Cell')).toHaveCount(3);
    const inserted = await nb.source(1);
    expect(inserted).toContain('assert double(2) == 4');
    expect(inserted).not.toContain('double(3)');
    expect(inserted).not.toContain('double(0)');
    expect(await nb.metadata(1)).toMatchObject({
      tags: ['refine-assert'],
      jupyterlab_refine: { target: 'target', generated: true, approved: true }
    });
    await expect(
      nb.panel.getByText(/^Checks \d assertions? below$/)
    ).toBeVisible();

    await nb.select(2);
    await page.keyboard.press('z');
    await expect(page.locator('.jp-Notebook .jp-Cell')).toHaveCount(2);
    await expect(
      nb.panel.getByText('Nothing checks this cell yet.')
    ).toBeVisible();
  }
);
