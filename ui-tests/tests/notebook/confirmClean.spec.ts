import {
  answer,
  expect,
  model,
  test,
  userSettings,
  type RefineNotebook
} from '../../refine';

const cells = [
  { id: 'helper', source: 'helper = 42' },
  { id: 'target', source: '# answer: what the helper says\n' },
  { id: 'checks', source: 'assert answer == 42' }
];

test.use({ mockSettings: userSettings({ confirmClean: true }) });

async function pass(nb: RefineNotebook): Promise<void> {
  await model.load({
    answers: [{ text: answer('Ask it.', 'answer = helper') }]
  });
  await nb.open();
  await nb.run(0);
  await expect.poll(() => nb.evaluate('helper')).toBe('42');
}

async function resultOf(nb: RefineNotebook): Promise<Record<string, unknown>> {
  const metadata = (await nb.metadata(1)) as {
    jupyterlab_refine?: { result?: Record<string, unknown> };
  };
  return metadata.jupyterlab_refine?.result ?? {};
}

test(
  'a pass is repeated in a fresh kernel, and the cell says so',
  { tag: '@full' },
  async ({ notebook }) => {
    const nb = await notebook('clean', cells);
    await pass(nb);
    await nb.select(1);
    await nb.refine();
    await nb.expectPassed(1);
    await expect(
      nb.panel.getByText('Also passes in a fresh kernel: 1 of 1.')
    ).toBeVisible({ timeout: 45_000 });
    await expect.poll(() => resultOf(nb)).toMatchObject({ clean: true });
  }
);

test(
  'a pass that fails in a fresh kernel says why',
  { tag: '@full' },
  async ({ notebook }) => {
    const nb = await notebook('here', cells);
    await pass(nb);
    // The kernel has it still, the notebook does not make it any more.
    await nb.edit(0, 'pass');
    await nb.select(1);
    await nb.refine();
    await nb.expectPassed(1);
    await expect(
      nb.panel.getByText(/Passes here, but not in a fresh kernel: NameError/)
    ).toBeVisible({ timeout: 45_000 });
    await expect.poll(() => resultOf(nb)).toMatchObject({ clean: false });
    expect(await nb.source(1)).toBe(
      '# answer: what the helper says\nanswer = helper'
    );
  }
);
