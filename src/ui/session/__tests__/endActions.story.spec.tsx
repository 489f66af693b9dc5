/** What the controls ask of the manager when a session has ended. */
import type { RefineView } from '../../../tokens';
import { attempt } from '../../__tests__/attempts';
import { renderPanel, type RenderedPanel } from '../../__tests__/renderPanel';
import {
  ended,
  outcome,
  PASSED,
  REQUEST,
  session,
  view
} from '../../__tests__/views';

let panel: RenderedPanel;

function show(change: Partial<RefineView>): RenderedPanel {
  panel = renderPanel(view(change), [
    { role: 'system', content: 'You write one cell.' },
    { role: 'user', content: 'The exact text.' }
  ]);
  return panel;
}

function calls() {
  return panel.manager.calls;
}

function hintInput(): HTMLTextAreaElement {
  return panel.host.querySelector<HTMLTextAreaElement>(
    '.jp-Refine-hint textarea'
  )!;
}

afterEach(() => panel.unmount());

describe('after a pass', () => {
  const accepted = { attempt: 3, status: 'ran', message: 'Written.' } as const;

  it('writes what was not written yet', async () => {
    show({ session: ended(PASSED) });
    await panel.click('Use attempt 3');
    expect(calls()).toEqual([['accept', 3]]);
  });

  it('restores what was written, and writes it again', async () => {
    show({ session: ended(PASSED), accepted });
    expect(panel.hasButton('Use attempt 3')).toBe(false);
    await panel.click('Restore cell');
    expect(calls()).toEqual([['restore']]);
    panel.show({
      accepted: { ...accepted, status: 'restored', message: 'As it was.' }
    });
    expect(panel.hasButton('Use attempt 3')).toBe(true);
  });

  it.each([
    [true, 'Passed on attempt 3, also in a fresh kernel', 'jp-mod-pass'],
    [false, 'Passed on attempt 3, in this kernel only', 'jp-mod-some']
  ])('titles a pass that is %s in a fresh kernel', (passed, title, tone) => {
    panel = renderPanel(
      view({
        session: ended({ ...PASSED, clean: { passed, message: 'So.' } })
      })
    );
    const heading = panel.host.querySelector('.jp-Refine-banner h3')!;
    expect(heading.textContent).toContain(title);
    expect(heading.classList.contains(tone)).toBe(true);
  });

  it('checks in a fresh kernel', async () => {
    show({ session: ended(PASSED), accepted });
    await panel.click('Check in a fresh kernel');
    expect(calls()).toEqual([['checkClean']]);
  });

  it('unfolds the prompt to refine again', async () => {
    show({ session: ended(PASSED), accepted });
    await panel.click('Prompt');
    await panel.click('Refine cell');
    expect(calls()).toEqual([['refine']]);
  });
});

describe('after an end without a pass', () => {
  it('uses the best, adds attempts, or goes to the hint', async () => {
    show({ session: ended(outcome()) });
    await panel.click('Use attempt 2');
    await panel.click('Try 3 more');
    await panel.click('Give a hint');
    expect(calls()).toEqual([
      ['accept', 2],
      ['moreAttempts', 3]
    ]);
    expect(document.activeElement).toBe(hintInput());
  });

  it('does not offer the best where keepBest is never', () => {
    const options = { ...REQUEST.options, keepBest: 'never' as const };
    const request = { ...REQUEST, options };
    show({ session: ended(outcome(), { request }) });
    expect(panel.hasButton('Use attempt 2')).toBe(false);
    expect(panel.hasButton('Try 3 more')).toBe(true);
  });

  it('restores after the best was used', async () => {
    show({
      session: ended(outcome()),
      accepted: { attempt: 2, status: 'inserted', message: 'Written.' }
    });
    expect(panel.hasButton('Use attempt 2')).toBe(false);
    await panel.click('Restore cell');
    expect(calls()).toEqual([['restore']]);
  });

  it('tries a failed first call again as a new session', async () => {
    show({
      session: ended(
        outcome({ stopReason: 'model-error', attempts: 0, best: null }),
        { attempts: [] }
      )
    });
    await panel.click('Try again');
    expect(calls()).toEqual([['refine']]);
  });

  it('resumes after a kernel died, a reload and a stop', async () => {
    show({ session: ended(outcome({ stopReason: 'kernel-died' })) });
    await panel.click('Resume');
    panel.show({ session: session(), interrupted: true });
    await panel.click('Resume');
    panel.show({
      session: ended(outcome({ stopReason: 'stopped' })),
      interrupted: false
    });
    await panel.click('Resume');
    // Those that were left.
    expect(calls()).toEqual([
      ['moreAttempts', 3],
      ['moreAttempts', 2],
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

it('shows what is unclear of a fix that nothing checks', async () => {
  const doubt =
    'The failing call may be skipped: max(rows) did not run to its end.';
  const fixed = attempt(1, {
    code: 'top = max(rows) if rows else None',
    verdict: {
      evaluator: 'repair',
      evaluation: 'unknown',
      score: null,
      reasons: ['It runs. Nothing checks its results.', doubt]
    }
  });
  const runs = outcome({ stopReason: 'runs', attempts: 1 });
  show({ session: ended(runs, { attempts: [fixed], best: 1 }) });
  const banner = panel.host.querySelector('.jp-Refine-banner')!;
  expect(banner.textContent).toContain('Runs; nothing checked');
  expect(banner.textContent).toContain(doubt);
  expect(banner.textContent).not.toContain('Nothing checks its results');
  // One choice, and no question after it.
  await panel.click('Write and run');
  expect(panel.manager.calls).toEqual([['accept', 1, true]]);
});
