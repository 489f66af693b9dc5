/** What the panel shows before and during a session. */
import { panel, show, showSession } from './renderPanel';
import { usage } from './attempts';
import { checkView, LIVE, REQUEST, session, TARGET } from './views';

describe('before a session', () => {
  it('asks to select a cell when there is none', () => {
    expect(show({ target: null }).text()).toContain(
      'Select the cell and press Refine'
    );
    expect(panel.hasButton('Refine cell')).toBe(false);
  });

  it('shows prompt, model, host, plan and both ways to start', () => {
    show({});
    expect(panel.text()).toContain('cell 7');
    expect(panel.text()).toContain('qwen2.5-coder:32b on localhost');
    expect(panel.text()).toContain('Checks 4 assertions below · 1 held out');
    // It is: nothing needs to be said.
    expect(panel.text()).not.toContain('isolated');
    expect(panel.host.querySelector('textarea')?.value).toBe(TARGET.prompt);
    expect(panel.button('Refine cell').disabled).toBe(false);
    expect(panel.button('Check cell').disabled).toBe(false);
  });

  it('names the evaluators of other extensions', () => {
    show({ target: { ...TARGET, evaluators: ['no-print', 'typed'] } });
    expect(panel.text()).toContain('1 held out · evaluators: no-print, typed');
  });

  it('says why a cell is refused, and offers to check it', () => {
    show({ target: { ...TARGET, refused: 'This cell is locked.' } });
    expect(panel.text()).toContain('This cell is locked.');
    expect(panel.hasButton('Refine cell')).toBe(false);
    expect(panel.button('Check cell').disabled).toBe(false);
  });

  it('says that hold-outs are weaker in the live kernel', () => {
    show({ isolation: LIVE });
    expect(panel.text()).toContain('Hold-outs are weaker here');
    panel.unmount();
    show({ isolation: LIVE, target: { ...TARGET, holdouts: 0 } });
    expect(panel.text()).not.toContain('Hold-outs');
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

  it('lets untagged cells in again when no tagged one is left', async () => {
    show({
      target: {
        ...TARGET,
        assertions: 0,
        holdouts: 0,
        onlyTagged: true,
        checks: [
          checkView({
            cellId: 'c9',
            label: 'cell 9',
            tagged: true,
            problem: 'Tagged as a check, but it asserts nothing.'
          })
        ]
      }
    });
    expect(panel.text()).toContain('Nothing checks this cell yet.');
    expect(panel.text()).toContain('cell 9: Tagged as a check, but');
    await panel.click('No active checks');
    panel.host.querySelector<HTMLInputElement>('[type=checkbox]')?.click();
    expect(panel.manager.calls).toEqual([['setOnlyTagged', false]]);
  });

  it('shows in grey that a cell is up to date, not as an alert', () => {
    show({ notice: 'Cell 3 is up to date.', noticeTone: 'info' });
    expect(panel.text()).toContain('Cell 3 is up to date.');
    expect(panel.host.querySelector('[role=alert]')).toBeNull();
  });

  it('shows a notice once, as an alert', () => {
    show({ notice: 'There is no kernel.' });
    const alert = panel.host.querySelector('[role=alert]');
    expect(alert?.textContent).toBe('There is no kernel.');
    expect(panel.text().split('There is no kernel.')).toHaveLength(2);
  });
});

it('shows what failed where there is no model', () => {
  show({ models: { status: 'error', message: 'The server answered 503.' } });
  expect(panel.text()).toContain('The server answered 503.');
  expect(panel.hasButton('Refresh')).toBe(true);
});

describe('during a session', () => {
  it('counts on from the attempts before a session went on', () => {
    const { attempts } = session();
    show({
      session: session({
        attemptsBefore: 2,
        attempts,
        request: {
          ...REQUEST,
          options: { ...REQUEST.options, maxAttempts: 4 }
        }
      })
    });
    expect(panel.text()).toContain('Attempt 3 of 6 · writing');
    expect(panel.button('Pause').disabled).toBe(false);
  });

  it('offers no pause in the last attempt: none follows', () => {
    const options = { ...REQUEST.options, maxAttempts: 3 };
    show({ session: session({ request: { ...REQUEST, options } }) });
    expect(panel.button('Pause').disabled).toBe(true);
  });

  it('shows where it stands', () => {
    showSession();
    expect(panel.text()).toContain('Attempt 3 of 5 · writing');
    expect(panel.text()).toContain('best 3 of 4');
    expect(panel.text()).toContain('about 2,263 tokens');
    expect(panel.text()).toContain('$0.004');
    expect(panel.host.querySelector('textarea')?.readOnly).toBe(true);
    expect(panel.hasButton('Refine cell')).toBe(false);
  });

  it.each([
    ['kernel', 'waiting for cell [12]', 'waiting for cell [12]'],
    ['permission', '', 'waiting for you'],
    ['model', 'asks again in 2 s', 'asks again in 2 s']
  ] as const)('waits for %s: %s', (what, reason, expected) => {
    show({
      session: session({ phase: 'waiting', waiting: { for: what, reason } })
    });
    expect(panel.text()).toContain(expected);
  });

  it('shows an unknown price only where the cost is limited', () => {
    const spent = { usage: usage(100, null) };
    showSession(spent);
    expect(panel.text()).not.toContain('cost');
    const request = {
      ...REQUEST,
      options: { ...REQUEST.options, maxCost: 1 }
    };
    panel.show({ session: session({ ...spent, request }) });
    expect(panel.text()).toContain('cost unknown');
  });

  it('announces the state and nothing that streams', () => {
    showSession();
    const live = panel.host.querySelectorAll('[aria-live]');
    expect(live).toHaveLength(1);
    expect(live[0].getAttribute('aria-live')).toBe('polite');
    expect(live[0].textContent).toBe('Attempt 3 of 5, writing');
  });
});
