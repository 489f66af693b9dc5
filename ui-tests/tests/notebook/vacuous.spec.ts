import { expect, model, test } from '../../refine';

test(
  'a check that cannot fail is reported before the first call',
  { tag: '@full' },
  async ({ notebook }) => {
    await model.load({ answers: [] });
    const nb = await notebook('vacuous', [
      { id: 'target', source: 'answer = 41' },
      { id: 'checks', source: 'assert (answer, 42)\nassert answer == 42' }
    ]);
    await nb.open();
    await nb.select(0);
    await nb.command('jupyterlab-refine:check-cell');
    const warnings = nb.panel.getByRole('list', { name: 'Warnings' });
    await expect(warnings).toContainText('Line 1 of a check cannot fail', {
      timeout: 45_000
    });
    const statements = nb.panel.getByRole('list', { name: 'Assertions' });
    await expect(statements.getByRole('listitem').first()).toContainText(
      'cannot fail'
    );
    await expect(statements.getByRole('listitem').nth(1)).not.toContainText(
      'cannot fail'
    );
    expect(await model.requests()).toHaveLength(0);
  }
);
