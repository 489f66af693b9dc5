/** What the panel shows when a session has ended. */
import type { RefineView } from '../../../tokens';
import {
  press,
  renderPanel,
  type,
  type RenderedPanel
} from '../../__tests__/renderPanel';
import { ATTEMPT_1, ATTEMPT_2, ATTEMPT_3 } from '../../__tests__/attempts';
import {
  ended,
  outcome,
  PASSED,
  REQUEST,
  session,
  TARGET,
  view
} from '../../__tests__/views';

let panel: RenderedPanel;

function show(change: Partial<RefineView>): RenderedPanel {
  panel = renderPanel(view(change));
  return panel;
}

afterEach(() => panel.unmount());

describe('after a pass', () => {
  const accepted = {
    attempt: 3,
    status: 'ran',
    message: 'Written to cell 7 and run.'
  } as const;

  it('says what checked it, what it took and what was written', () => {
    show({ session: ended(PASSED), accepted });
    expect(panel.text()).toContain('Passed on attempt 3');
    expect(panel.text()).toContain('4 of 4 and 1 held out · 9.8 s');
    expect(panel.text()).toContain('Written to cell 7 and run.');
    expect(panel.hasButton('Restore cell')).toBe(true);
  });

  it('takes a change or a question, and says which is which', async () => {
    show({ session: ended(PASSED), accepted });
    const box = panel.host.querySelector<HTMLTextAreaElement>(
      '.jp-Refine-hint textarea'
    )!;
    expect(panel.button('Ask').disabled).toBe(true);
    type(box, 'also handle empty input');
    press(box, 'Enter');
    type(box, 'why did attempt 2 fail?');
    press(box, 'Enter', { altKey: true });
    type(box, 'and now?');
    await panel.click('Ask');
    expect(panel.manager.calls).toEqual([
      ['followUp', 'also handle empty input'],
      ['ask', 'why did attempt 2 fail?'],
      ['ask', 'and now?']
    ]);
    expect(box.value).toBe('');
  });

  it('shows answers as text where nothing renders Markdown, and stops one', async () => {
    const answer = {
      id: 'a',
      question: 'why?',
      text: '**Because**',
      usage: null
    };
    show({
      session: ended(PASSED),
      explanations: [{ ...answer, status: 'writing' }]
    });
    expect(panel.text()).toContain('**Because**');
    await panel.click('Stop');
    expect(panel.manager.calls).toEqual([['stop']]);
    panel.show({ explanations: [{ ...answer, status: 'stopped' }] });
    expect(panel.text()).toContain('Stopped.');
    expect(panel.hasButton('Stop')).toBe(false);
  });

  it('labels a pass with unconfirmed checks, and names them', async () => {
    const results = ATTEMPT_3.assertions.map((result, i) =>
      i === 2
        ? {
            ...result,
            confirmed: false,
            unconfirmed:
              'in the separate process, `len(monthly) == 12` is False'
          }
        : result
    );
    const attempt = {
      ...ATTEMPT_3,
      assertions: results,
      execution: { ...ATTEMPT_3.execution!, assertions: results }
    };
    show({
      session: ended(
        { ...PASSED, confirmed: { n: 4, of: 5 } },
        { attempts: [attempt] }
      )
    });
    expect(panel.text()).toContain(
      'Passed on attempt 3; 1 of 5 checks not confirmed'
    );
    expect(panel.text()).toContain(
      '1 of 5 checks passed but could not be confirmed in a separate process.'
    );
    expect(panel.text()).toContain(
      'assert len(monthly) == 12: in the separate process, `len(monthly) == 12` is False.'
    );
    expect(panel.text()).not.toContain('✓ Passed');
    await panel.click('6 lines');
    expect(panel.host.querySelectorAll('.jp-Refine-unconfirmed')).toHaveLength(
      1
    );
    expect(panel.host.querySelector('.jp-Refine-reason')?.textContent).toBe(
      'not confirmed: in the separate process, `len(monthly) == 12` is False'
    );
  });

  it('says once that there is no separate process', () => {
    const results = ATTEMPT_3.assertions.map(result => ({
      ...result,
      confirmed: undefined
    }));
    const attempt = {
      ...ATTEMPT_3,
      assertions: results,
      execution: { ...ATTEMPT_3.execution!, assertions: results }
    };
    show({
      session: ended(
        { ...PASSED, confirmed: { n: 0, of: 5 } },
        { attempts: [attempt] }
      )
    });
    expect(panel.text()).toContain('Passed on attempt 3; not confirmed');
    expect(panel.text()).toContain(
      'this kernel has no separate process to confirm them.'
    );
  });

  it('names the attempt in the cell when another one passed', () => {
    show({ session: ended(PASSED), accepted: { ...accepted, attempt: 2 } });
    expect(panel.text()).toContain('Attempt 2: Written to cell 7 and run.');
  });

  it('folds every attempt and the prompt', () => {
    show({ session: ended(PASSED), accepted });
    expect(panel.host.querySelectorAll('.jp-Refine-attempt')).toHaveLength(3);
    expect(panel.host.querySelectorAll('.jp-Refine-attemptBody')).toHaveLength(
      0
    );
    expect(panel.hasButton('Refine cell')).toBe(false);
  });

  it('says that a judge alone executed nothing', () => {
    show({ session: ended({ ...PASSED, checkedBy: 'judge' }) });
    expect(panel.text()).toContain(
      'The judge accepted it. No assertions were run.'
    );
  });

  it('says so when the cell passes already', () => {
    show({
      session: ended(
        {
          ...PASSED,
          attempts: 0,
          best: { ...PASSED.best!, attempt: 0 }
        },
        { attempts: [{ ...ATTEMPT_3, attempt: 0 }] }
      )
    });
    expect(panel.text()).toContain('The cell already passes');
    expect(panel.hasButton('Use attempt 0')).toBe(false);
  });

  it.each([
    ['running', 'Runs in a fresh kernel: cell [1].', 'Runs in a fresh kernel'],
    ['passed', 'Passes in a fresh kernel.', '✓ Passes in a fresh kernel.'],
    ['failed', 'NameError', '✗ NameError'],
    ['unknown', '1 cell was skipped.', '1 cell was skipped.']
  ] as const)('shows a clean check that is %s', (status, message, expected) => {
    show({
      session: ended(PASSED),
      accepted,
      cleanCheck: { status, message }
    });
    expect(panel.text()).toContain(expected);
    expect(panel.hasButton('Check in a fresh kernel')).toBe(false);
    expect(panel.hasButton('Stop')).toBe(status === 'running');
  });
});

describe('after an end without a pass', () => {
  it('shows the best, the reason, and that the cell is unchanged', () => {
    show({
      session: ended(outcome(), {
        attempts: [
          ATTEMPT_1,
          ATTEMPT_2,
          { ...ATTEMPT_2, attempt: 3, best: false, repeatOf: 2 },
          { ...ATTEMPT_2, attempt: 4, best: false, repeatOf: 2 }
        ]
      })
    });
    expect(panel.text()).toContain('Stopped after 5 attempts: best 3 of 4');
    expect(panel.text()).toContain('The cell is unchanged.');
    expect(panel.hasButton('Use attempt 2')).toBe(true);
    expect(panel.hasButton('Try 3 more')).toBe(true);
  });

  it.each([
    ['budget', 'Budget used up after 5 attempts'],
    ['timeout', 'Time limit reached after 5 attempts'],
    ['patience', 'No progress after 5 attempts'],
    ['stopped', 'You stopped attempt 5'],
    ['target-changed', 'The cell is back. All attempts are kept.'],
    ['kernel-died', 'The kernel died'],
    ['kernel-restarted', 'Run the cells above, then continue'],
    ['no-checks', 'Not checked']
  ] as const)('%s', (stopReason, expected) => {
    show({ session: ended(outcome({ stopReason })) });
    expect(panel.text()).toContain(expected);
  });

  it('without checks is quiet, not a failure', () => {
    const banner = () =>
      panel.host.querySelector('.jp-Refine-banner h3')?.className;
    show({ session: ended(outcome({ stopReason: 'no-checks' })) });
    expect(banner()).toBe('jp-mod-quiet');
    panel.show({ session: ended(outcome({ stopReason: 'max-attempts' })) });
    expect(banner()).not.toBe('jp-mod-quiet');
  });

  it('without checks offers to draft some first', async () => {
    const unchecked = { ...REQUEST, assertions: [], holdouts: [] };
    const target = { ...TARGET, assertions: 0, holdouts: 0, checks: [] };
    show({
      target,
      session: ended(outcome({ stopReason: 'no-checks' }), {
        request: unchecked
      })
    });
    const primary = [...panel.host.querySelectorAll('.jp-mod-primary')];
    expect(primary.map(node => node.textContent)).toEqual(['Draft assertions']);
    expect(panel.hasButton('Try 3 more')).toBe(false);
    await panel.click('Draft assertions');
    expect(panel.manager.calls).toEqual([['generateAssertions']]);

    // Once there are checks, they are what comes next.
    panel.show({ target: TARGET });
    expect(panel.hasButton('Draft assertions')).toBe(false);
    expect(panel.text()).toContain('Checks 4 assertions below');
    expect(panel.host.querySelector('.jp-mod-primary')?.textContent).toBe(
      'Refine cell'
    );
    panel.show({ target });

    // Drafts are tried in isolation, and in Python only.
    panel.show({
      session: ended(outcome({ stopReason: 'no-checks' }), {
        request: { ...unchecked, language: 'r' }
      })
    });
    expect(panel.hasButton('Draft assertions')).toBe(false);
    expect(panel.hasButton('Give a hint')).toBe(true);
  });

  it('says that nothing passed when you stopped before that', () => {
    const attempt = { ...ATTEMPT_1, verdict: null, assertions: [] };
    show({
      session: ended(outcome({ stopReason: 'stopped', attempts: 1 }), {
        attempts: [attempt],
        best: 1
      })
    });
    expect(panel.text()).toContain('You stopped attempt 1. Nothing passed.');
    expect(panel.text()).not.toContain('best attempt 1');
  });

  it.each([
    ['kernel-died', 'child-failed', 'The kernel could not run', 'Resume'],
    ['model-error', 'unauthorized', 'The model gave no answer', 'Try again'],
    ['no-checks', 'scorer-broken', 'the scorer failed', 'Try again'],
    ['no-checks', 'bad-option', 'an evaluator is unknown', 'Give a hint']
  ] as const)(
    '%s (%s): the message, and a way on',
    (stopReason, code, title, way) => {
      const error = { code, message: 'No room.' };
      const end = outcome({ stopReason, best: null, attempts: 0, error });
      show({ session: ended(end, { attempts: [] }) });
      expect(panel.text()).toContain(title);
      expect(panel.text()).toContain('No room.');
      expect(panel.text()).not.toContain('variables are gone');
      expect(panel.hasButton(way)).toBe(true);
      expect(panel.hasButton('Give a hint')).toBe(way === 'Give a hint');
    }
  );

  it('shows the result of a check of the cell', () => {
    show({
      session: ended(outcome({ attempts: 0, best: null }), {
        attempts: [{ ...ATTEMPT_2, attempt: 0 }]
      })
    });
    expect(panel.text()).toContain('Current code: 3 of 4');
    expect(panel.hasButton('Give a hint')).toBe(false);
    expect(panel.hasButton('Refine cell')).toBe(true);
  });

  it('keeps every attempt of a session that a reload interrupted', () => {
    show({ session: session(), interrupted: true });
    expect(panel.text()).toContain('Interrupted by a page reload');
    expect(panel.host.querySelectorAll('.jp-Refine-attempt')).toHaveLength(3);
    expect(panel.hasButton('Stop')).toBe(false);
    expect(panel.hasButton('Resume')).toBe(true);
  });

  it('shows warnings with their attempt', () => {
    show({
      session: ended(outcome(), {
        warnings: [{ attempt: 2, message: 'orders changed' }]
      })
    });
    expect(panel.text()).toContain('Attempt 2: orders changed');
  });
});
