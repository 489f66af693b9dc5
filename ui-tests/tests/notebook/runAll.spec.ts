import { answer, expect, model, test } from '../../refine';

test(
  'Run All refines every %%refine cell, then runs the rest',
  { tag: '@full' },
  async ({ notebook }) => {
    await model.load({
      answers: [
        { text: answer('One.', 'one = 1') },
        { text: answer('Two.', 'two = 2') }
      ]
    });
    const nb = await notebook('run-all', [
      { id: 'first', source: '%%refine\none: the number 1' },
      { id: 'checks1', source: 'assert one == 1', tags: ['refine-assert'] },
      { id: 'between', source: 'seen = one + 10' },
      { id: 'second', source: '%%refine\ntwo: the number 2' },
      { id: 'checks2', source: 'assert two == 2', tags: ['refine-assert'] },
      { id: 'end', source: 'total = one + two' }
    ]);
    await nb.open();
    await nb.command('notebook:run-all-cells');
    // Until the first session has ended, the failed check aborts what is asked of the kernel.
    await expect
      .poll(
        () => nb.evaluate("globals().get('total')").catch(() => 'not run yet'),
        { timeout: 40_000 }
      )
      .toBe('3');
    expect(await model.requests()).toHaveLength(2);
  }
);
