/** Every state of the panel shows what it should. */
import type { RefineView } from '../../tokens';
import { renderPanel, type RenderedPanel } from './renderPanel';
import {
  ATTEMPT_1,
  ATTEMPT_2,
  ATTEMPT_3,
  attempt,
  ended,
  LIVE,
  outcome,
  PASSED,
  session,
  TARGET,
  usage,
  verdict,
  view
} from './views';

let panel: RenderedPanel;

function show(change: Partial<RefineView>): RenderedPanel {
  panel = renderPanel(view(change));
  return panel;
}

afterEach(() => panel.unmount());

describe('before a session', () => {
  it('asks to select a cell when there is none', () => {
    expect(show({ target: null }).text()).toContain('Select a cell');
    expect(panel.hasButton('Refine cell')).toBe(false);
  });

  it('shows prompt, model, host, plan and both ways to start', () => {
    show({});
    expect(panel.text()).toContain('cell 7');
    expect(panel.text()).toContain('qwen2.5-coder:32b on localhost');
    expect(panel.text()).toContain(
      'Checks 4 assertions below · 1 held out · isolated: memory, files, network'
    );
    expect(panel.host.querySelector('textarea')?.value).toBe(TARGET.prompt);
    expect(panel.button('Refine cell').disabled).toBe(false);
    expect(panel.button('Check what is there').disabled).toBe(false);
  });

  it('labels recorded answers', () => {
    show({
      models: {
        status: 'ready',
        identity: {
          profile: 'demo',
          model: 'demo',
          host: 'recorded',
          recorded: true
        },
        profiles: []
      }
    });
    const chip = panel.host.querySelector('header .jp-Refine-chip');
    expect(chip?.textContent).toBe('recorded');
  });

  it('says why a cell is refused and offers nothing', () => {
    show({ target: { ...TARGET, refused: 'This cell is locked.' } });
    expect(panel.text()).toContain('This cell is locked.');
    expect(panel.hasButton('Refine cell')).toBe(false);
  });

  it('explains what an attempt can do that is not isolated', async () => {
    show({ isolation: LIVE });
    expect(panel.text()).toContain('not isolated');
    expect(panel.text()).toContain('can change or delete your variables');
    expect(panel.text()).not.toContain('only Python kernels');
    await panel.click('not isolated');
    expect(panel.text()).toContain('only Python kernels');
    expect(panel.text()).toContain('An attempt can reach the network.');
  });

  it('offers cells to mark when nothing checks', () => {
    show({
      target: {
        ...TARGET,
        assertions: 0,
        holdouts: 0,
        candidatesForAssertion: [{ cellId: 'c8', label: 'cell 8' }]
      }
    });
    expect(panel.text()).toContain('Nothing checks this cell yet.');
    expect(panel.hasButton('cell 8')).toBe(true);
    expect(panel.button('Check what is there').disabled).toBe(true);
  });

  it('shows a notice', () => {
    expect(show({ notice: 'There is no kernel.' }).text()).toContain(
      'There is no kernel.'
    );
  });
});

describe('without a model', () => {
  it('shows the hints and still checks', () => {
    show({
      models: {
        status: 'no-model',
        hints: ['Ollama has no model:', 'ollama pull qwen2.5-coder'],
        profiles: []
      }
    });
    expect(panel.text()).toContain('No model yet');
    const code = panel.host.querySelector('code');
    expect(code?.textContent).toBe('ollama pull qwen2.5-coder');
    expect(panel.hasButton('Refine cell')).toBe(false);
    expect(panel.hasButton('Check what is there')).toBe(true);
  });

  it('says to restart the server once when its routes are missing', () => {
    expect(show({ models: { status: 'no-routes' } }).text()).toContain(
      'Restart the Jupyter server once'
    );
  });

  it('shows what failed', () => {
    show({ models: { status: 'error', message: 'The server answered 503.' } });
    expect(panel.text()).toContain('The server answered 503.');
    expect(panel.hasButton('Look again')).toBe(true);
  });
});

describe('during a session', () => {
  it('shows where it stands', () => {
    show({ session: session() });
    expect(panel.text()).toContain('Attempt 3 of 5 · writing');
    expect(panel.text()).toContain('best 3 of 4');
    expect(panel.text()).toContain('2,140 tokens');
    expect(panel.text()).toContain('$0.004');
    const meter = panel.host.querySelector('[role=progressbar]');
    expect(meter?.getAttribute('aria-valuenow')).toBe('3');
    expect(meter?.getAttribute('aria-valuemax')).toBe('5');
    expect(panel.host.querySelector('textarea')?.readOnly).toBe(true);
    expect(panel.hasButton('Refine cell')).toBe(false);
  });

  it.each([
    ['kernel', 'cell [12]', 'waiting for cell [12]'],
    ['kernel', 'waiting for cell [12]', 'waiting for cell [12]'],
    ['permission', '', 'waiting for you'],
    ['model', 'asks again in 2 s', 'asks again in 2 s']
  ] as const)('waits for %s: %s', (what, reason, expected) => {
    show({
      session: session({ phase: 'waiting', waiting: { for: what, reason } })
    });
    expect(panel.text()).toContain(expected);
  });

  it('counts on when attempts were added', () => {
    show({
      session: session({ attempts: [attempt(7, { phase: 'running' })] })
    });
    expect(panel.text()).toContain('Attempt 7 of 7');
  });

  it('tells a metric in its own words', () => {
    const metric = (value: number) => ({
      ...verdict(0, 4),
      metric: { name: 'RMSE', value, goal: 'min' as const }
    });
    show({
      session: session({
        attempts: [
          attempt(1, { verdict: metric(0.412) }),
          attempt(2, { verdict: metric(0.287), best: true })
        ]
      })
    });
    expect(panel.text()).toContain('RMSE 0.412 → 0.287');
  });

  it('shows an unknown price as unknown', () => {
    show({ session: session({ usage: usage(100, null) }) });
    expect(panel.text()).toContain('cost unknown');
  });

  it('announces the state and nothing that streams', () => {
    show({ session: session() });
    const live = panel.host.querySelectorAll('[aria-live]');
    expect(live).toHaveLength(1);
    expect(live[0].getAttribute('aria-live')).toBe('polite');
    expect(live[0].textContent).toBe('Attempt 3 of 5, writing');
  });
});

describe('after a pass', () => {
  const accepted = {
    attempt: 3,
    status: 'ran',
    message: 'Written to cell 7 and run.'
  } as const;

  it('tells what checked it, what it took and what became of the cell', () => {
    show({ session: ended(PASSED), accepted });
    expect(panel.text()).toContain('Passed on attempt 3');
    expect(panel.text()).toContain('4 of 4 and 1 held out · 9.8 s');
    expect(panel.text()).toContain('Written to cell 7 and run.');
    expect(panel.hasButton('Keep')).toBe(true);
    expect(panel.hasButton('Restore cell')).toBe(true);
    expect(panel.host.querySelector('.jp-Refine-hint')).toBeNull();
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
      'The judge accepts it; nothing was executed against assertions.'
    );
  });

  it('says so when what is there passes already', () => {
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
    expect(panel.text()).toContain('What is there passes');
    expect(panel.hasButton('Keep')).toBe(false);
  });

  it.each([
    ['running', '', 'Checking in a clean kernel'],
    ['passed', 'Passes in a clean kernel.', '✓ Passes in a clean kernel.'],
    ['failed', 'NameError', '✗ NameError']
  ] as const)('shows a clean check that is %s', (status, message, expected) => {
    show({
      session: ended(PASSED),
      accepted,
      cleanCheck: { status, message }
    });
    expect(panel.text()).toContain(expected);
    expect(panel.hasButton('Check in a clean kernel')).toBe(false);
  });
});

describe('after an end without a pass', () => {
  it('tells the best, why, and that the cell is as it was', () => {
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
    expect(panel.text()).toContain('Attempts 3 and 4 repeated attempt 2.');
    expect(panel.text()).toContain('The cell is as it was.');
    expect(panel.hasButton('Use attempt 2')).toBe(true);
    expect(panel.hasButton('3 more')).toBe(true);
  });

  it.each([
    ['budget', 'Budget used up after 5 attempts'],
    ['timeout', 'Time limit reached after 5 attempts'],
    ['patience', 'No more progress after 5 attempts'],
    ['stopped', 'Stopped by you in attempt 5'],
    ['target-changed', 'Your edit was not overwritten'],
    ['kernel-died', 'The kernel died'],
    ['kernel-restarted', 'Run the cells above again'],
    ['no-checks', 'Not checked']
  ] as const)('%s', (stopReason, expected) => {
    show({ session: ended(outcome({ stopReason })) });
    expect(panel.text()).toContain(expected);
  });

  it('shows the message of a model error, and a way on', () => {
    show({
      session: ended(
        outcome({
          stopReason: 'model-error',
          best: null,
          attempts: 1,
          error: { code: 'unauthorized', message: 'The key was refused (401).' }
        }),
        { attempts: [] }
      )
    });
    expect(panel.text()).toContain('The key was refused (401).');
    expect(panel.hasButton('Try again')).toBe(true);
  });

  it('tells what a check of what is there found', () => {
    show({
      session: ended(outcome({ attempts: 0, best: null }), {
        attempts: [{ ...ATTEMPT_2, attempt: 0 }]
      })
    });
    expect(panel.text()).toContain('What is there: 3 of 4');
    expect(panel.hasButton('Give a hint')).toBe(false);
  });

  it('keeps every attempt of a session that a reload interrupted', () => {
    show({ session: session(), interrupted: true });
    expect(panel.text()).toContain('Interrupted by a reload of the page');
    expect(panel.host.querySelectorAll('.jp-Refine-attempt')).toHaveLength(3);
    expect(panel.hasButton('Stop')).toBe(false);
    expect(panel.hasButton('Go on')).toBe(true);
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
