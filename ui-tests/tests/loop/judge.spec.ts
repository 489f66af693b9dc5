import { answer, expect, model, test, userSettings } from '../../refine';

const cells = [
  { id: 'target', source: '# double(n): twice a number\n' },
  { id: 'checks', source: 'assert double(2) == 4' }
];

test.describe('a judge', () => {
  test.use({
    mockSettings: userSettings({ evaluators: ['assertions', 'judge'] })
  });

  test(
    'its verdict, score and actions are shown for each attempt',
    { tag: '@full' },
    async ({ notebook }) => {
      const judge = 'You judge one answer';
      const more =
        '{"evaluation": "NEEDS_IMPROVEMENT", "score": 4, "feedback": ["Say in a docstring what n may be."]}';
      await model.load({
        answers: [
          { text: answer('First.', 'def double(n):\n    return 2 * n') },
          { match: judge, text: more },
          {
            text: answer(
              'Second.',
              'def double(n):\n    """Twice a number."""\n    return n + n'
            )
          },
          {
            match: judge,
            text: '{"evaluation": "PASS", "score": 9, "feedback": []}'
          }
        ]
      });
      const nb = await notebook('judge', cells);
      await nb.open();
      await nb.select(0);
      await nb.refine();
      await expect(
        nb.panel.getByText('Passed on attempt 2').first()
      ).toBeVisible({ timeout: 60_000 });
      await nb.panel.getByRole('button', { name: /Attempt 2/ }).click();
      await expect(
        nb.panel.getByText('judge: accepted, 9 of 10')
      ).toBeVisible();
      await nb.panel.getByRole('button', { name: /Attempt 1/ }).click();
      await expect(
        nb.panel.getByText('judge: needs improvement, 4 of 10')
      ).toBeVisible();
      await expect(
        nb.panel.getByText('Say in a docstring what n may be.')
      ).toBeVisible();
    }
  );
});
