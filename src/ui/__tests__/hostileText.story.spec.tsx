/** Text of models and kernels is only ever text. */
import { panel, showSession } from './renderPanel';
import { attempt, execution, HOLDOUT } from './attempts';

describe('text of models and kernels', () => {
  const hostile =
    '<img src=x onerror="window.hit=1"> <script>window.hit=1</script> [a](javascript:hit) <a href="command:x">c</a>';

  it('stays text everywhere', async () => {
    const value = { expression: hostile, type: hostile, repr: hostile };
    showSession({
      warnings: [{ message: hostile }],
      hints: [hostile],
      attempts: [
        attempt(1, {
          code: hostile,
          title: hostile,
          thoughts: hostile,
          output: hostile,
          prompt: [{ role: hostile, content: hostile }],
          failure: { code: 'other', message: hostile },
          assertions: [
            {
              ...HOLDOUT,
              source: hostile,
              outcome: 'failed',
              expected: value,
              observed: { ...value, type: 'other' },
              difference: hostile
            },
            {
              ...HOLDOUT,
              id: 'second',
              outcome: 'error',
              error: { name: hostile, message: hostile, traceback: hostile }
            }
          ],
          execution: execution([], {
            status: 'error',
            error: {
              name: hostile,
              message: hostile,
              traceback: hostile,
              locals: [{ name: hostile, type: hostile, repr: hostile }]
            },
            tampering: [hostile],
            warnings: [hostile],
            denied: [hostile],
            stopMessage: hostile
          })
        })
      ]
    });
    await panel.more(1);
    for (const link of [
      'output',
      'traceback',
      'locals',
      'thoughts',
      'prompt'
    ]) {
      await panel.click(link);
      expect(
        panel.host.querySelectorAll('img, script, a, iframe, [onerror]')
      ).toHaveLength(0);
    }
    expect(panel.host.innerHTML).toContain('&lt;script&gt;');
    expect('hit' in window).toBe(false);
  });

  it('cannot reorder or hide a line of code', () => {
    showSession({
      attempts: [attempt(1, { code: 'x = "\u202Eadmin"\u200b' })]
    });
    expect(panel.lines(1)).toEqual([' x = "‹U+202E›admin"‹U+200B›']);
  });
});
