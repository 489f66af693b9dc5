/** What the panel shows when a session has ended, and what its controls ask of the manager then. */
import { ATTEMPT_1, ATTEMPT_2, ATTEMPT_3 } from '../../__tests__/attempts';
import { hintField, panel, show, showEnd } from '../../__tests__/renderPanel';
import {
  ended,
  outcome,
  PASSED,
  REQUEST,
  session,
  TARGET
} from '../../__tests__/views';

describe('after a pass', () => {
  const accepted = {
    attempt: 3,
    status: 'ran',
    message: 'Written to cell 7 and run.'
  } as const;

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
  it('shows the best, the reason, and that nothing was written', () => {
    showEnd(
      {},
      {
        attempts: [
          ATTEMPT_1,
          ATTEMPT_2,
          { ...ATTEMPT_2, attempt: 3, best: false, repeatOf: 2 },
          { ...ATTEMPT_2, attempt: 4, best: false, repeatOf: 2 }
        ]
      }
    );
    expect(panel.text()).toContain('Stopped after 5 attempts: best 3 of 4');
    expect(panel.text()).toContain(
      'Nothing was written to the cell.No attempt passed `assert len(monthly) == 12`. Is that check right?'
    );
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
    showEnd({ stopReason });
    expect(panel.text()).toContain(expected);
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
    expect(panel.texts('.jp-mod-primary')).toEqual(['Draft assertions']);
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
    showEnd(
      { stopReason: 'stopped', attempts: 1 },
      {
        attempts: [attempt],
        best: 1
      }
    );
    expect(panel.text()).toContain('You stopped attempt 1. Nothing passed.');
    expect(panel.text()).not.toContain('best attempt 1');
  });

  it.each([
    ['kernel-died', 'child-failed', 'The kernel could not run', 'Resume'],
    ['model-error', 'unauthorized', 'The model gave no answer', 'Try again'],
    ['no-checks', 'broken-check', 'a check cannot be run', 'Try again'],
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

  it('shows warnings with their attempt', () => {
    showEnd(
      {},
      {
        warnings: [{ attempt: 2, message: 'orders changed' }]
      }
    );
    expect(panel.text()).toContain('Attempt 2: orders changed');
  });
});

describe('the buttons after an end without a pass', () => {
  it('uses the best, adds attempts, or goes to the hint', async () => {
    showEnd({});
    await panel.click('Use attempt 2');
    await panel.click('Try 3 more');
    await panel.click('Give a hint');
    expect(panel.manager.calls).toEqual([
      ['accept', 2],
      ['moreAttempts', 3]
    ]);
    expect(document.activeElement).toBe(hintField());
  });

  it('does not offer the best where keepBest is never', () => {
    const options = { ...REQUEST.options, keepBest: 'never' as const };
    const request = { ...REQUEST, options };
    showEnd({}, { request });
    expect(panel.hasButton('Use attempt 2')).toBe(false);
    expect(panel.hasButton('Try 3 more')).toBe(true);
  });

  it('tries a failed first call again as a new session', async () => {
    show({
      session: ended(
        outcome({ stopReason: 'model-error', attempts: 0, best: null }),
        { attempts: [] }
      )
    });
    await panel.click('Try again');
    expect(panel.manager.calls).toEqual([['refine']]);
  });

  it('resumes after a kernel died, a reload and a stop', async () => {
    showEnd({ stopReason: 'kernel-died' });
    await panel.click('Resume');
    panel.show({ session: session(), interrupted: true });
    await panel.click('Resume');
    panel.show({
      session: ended(outcome({ stopReason: 'stopped' })),
      interrupted: false
    });
    await panel.click('Resume');
    // Those that were left, the one that was cut off among them.
    expect(panel.manager.calls).toEqual([
      ['moreAttempts', 3],
      ['moreAttempts', 3],
      ['moreAttempts', 3]
    ]);
  });

  it('takes the keyboard along when Stop goes away', () => {
    show({ session: session() });
    panel.button('Stop').focus();
    panel.show({ session: ended(outcome()) });
    expect(document.activeElement?.tagName).toBe('H3');
    expect(document.activeElement?.textContent).toContain(
      'Stopped after 5 attempts'
    );
  });
});

const check = {
  cellId: 'c8',
  index: 7,
  line: 2,
  source: 'assert double(3) == 7'
};
const dispute = {
  attempt: 3,
  number: 2,
  reason: 'Twice 3 is 6, as the task says.',
  check
};

it('shows a disputed check where no code has run', () => {
  showEnd({ stopReason: 'disputed', dispute });
  const shown = panel.host.querySelector('.jp-Refine-dispute')!;
  expect(shown.textContent).toContain('assert double(3) == 7');
  expect(shown.textContent).toContain('No code has run so far.');
});
