/** What the controls ask of the manager before and during a session. */
import * as React from 'react';
import type { RefineView } from '../../tokens';
import {
  hintField,
  panel,
  press,
  show,
  showSession,
  type
} from './renderPanel';
import {
  assertions,
  attempt,
  ATTEMPT_1,
  ATTEMPT_2,
  execution
} from './attempts';
import { IDENTITY, LIVE, session, TARGET, view } from './views';

const calls = () => panel.manager.calls;

describe('starting', () => {
  it('says where the prompt is from, and what is missing without checks', () => {
    const origin = 'From the notebook. Edit to override.';
    show({ target: { ...TARGET, promptOrigin: 'markdown' } });
    expect(panel.text()).toContain(origin);
    type(panel.host.querySelector('textarea')!, 'Plot it');
    expect(panel.text()).not.toContain(origin);
    const fixed = { ...TARGET, prompt: 'Plot', promptOrigin: 'magic' } as const;
    panel.show({ target: { ...fixed, cellId: 'other' } });
    expect(panel.text()).toContain('From the %%refine cell. Edit it there.');
    expect(panel.host.querySelector('textarea')!.readOnly).toBe(true);
    panel.show({
      target: { ...TARGET, assertions: 0, holdouts: 0, checks: [] }
    });
    expect(panel.text()).toContain(
      'Refine can write code, but cannot tell whether it is right.'
    );
  });

  it('offers drafts only where one can be tried', () => {
    const unchecked = { ...TARGET, assertions: 0, holdouts: 0, checks: [] };
    const primary = () =>
      panel.host.querySelector('.jp-mod-primary')?.textContent;
    show({ target: unchecked });
    expect(primary()).toBe('Draft assertions');
    panel.show({ target: { ...unchecked, language: 'r' } });
    expect(panel.hasButton('Draft assertions')).toBe(false);
    expect(primary()).toBe('Refine cell');
    panel.show({ target: unchecked, isolation: LIVE });
    expect(panel.hasButton('Draft assertions')).toBe(false);
    expect(primary()).toBe('Refine cell');
  });

  it('sends the prompt while typing, and starts on Ctrl+Enter', async () => {
    show({});
    const prompt = panel.host.querySelector('textarea')!;
    type(prompt, 'Plot it');
    expect(calls()).toEqual([['setPrompt', 'Plot it']]);
    press(prompt, 'Enter');
    press(prompt, 'Enter', { ctrlKey: true });
    await panel.click('cell 7');
    expect(calls().slice(1)).toEqual([['refine'], ['revealCell', 'target']]);
  });

  it('keeps typed text when the view repeats an earlier one', () => {
    show({});
    const prompt = panel.host.querySelector('textarea')!;
    prompt.focus();
    type(prompt, 'Plot it now');
    panel.show({ target: { ...TARGET, prompt: 'Plot it' } });
    expect(prompt.value).toBe('Plot it now');
  });

  it('does not start without a model', () => {
    show({ models: { status: 'loading' } });
    expect(panel.button('Refine cell').disabled).toBe(true);
    press(panel.host.querySelector('textarea')!, 'Enter', { ctrlKey: true });
    expect(calls()).toEqual([]);
  });

  it('shows a rejection in a sentence', async () => {
    show({});
    panel.manager.failure = new Error('The kernel is dead.');
    await panel.click('Refine cell');
    expect(panel.texts('[role=alert]')).toEqual(['The kernel is dead.']);
    await panel.click('Refine cell');
    expect(panel.texts('[role=alert]')).toEqual([]);
  });
});

describe('what will be sent', () => {
  it('is asked for when opened, and shown exactly', async () => {
    show({});
    expect(calls()).toEqual([]);
    await panel.click('What will be sent');
    expect(calls()).toEqual([['previewRequest']]);
    expect(panel.texts('.jp-Refine-sent pre')).toEqual([
      'You write one cell.',
      'The exact text.'
    ]);
  });

  it('closes when the prompt changes, since it is no longer true', async () => {
    show({});
    await panel.click('What will be sent');
    panel.show({ target: { ...TARGET, prompt: 'Another' } });
    expect(panel.host.querySelector('.jp-Refine-sent')).toBeNull();
  });

  it('says why it cannot be shown', async () => {
    show({});
    panel.manager.failure = new Error('No kernel.');
    await panel.click('What will be sent');
    expect(panel.texts('.jp-Refine-sent')).toEqual(['No kernel.']);
  });
});

describe('a running session', () => {
  it('takes an attempt with code, shows a statement of it', async () => {
    showSession({ attempts: [ATTEMPT_1, ATTEMPT_2] });
    await panel.click('Use this');
    await panel.click('len(monthly) == 12');
    expect(calls()).toEqual([
      ['accept', 2],
      ['revealCell', 'check']
    ]);
  });

  it('offers only finished attempts with code, not attempt 0', async () => {
    showSession({
      attempts: [
        { ...ATTEMPT_2, attempt: 0 },
        attempt(1, { code: '' }),
        attempt(2, { code: 'x', phase: 'running' })
      ]
    });
    await panel.click('Attempt 0');
    for (const n of [0, 1, 2]) {
      expect(panel.button(`Attempt ${n}`).getAttribute('aria-expanded')).toBe(
        'true'
      );
    }
    expect(panel.hasButton('Use this')).toBe(false);
  });
});

it('needs no permission for what was denied where all checks passed', () => {
  const denied = ['tried to reach example.org:443'];
  const ran = execution(assertions(4), { denied });
  showSession({ attempts: [attempt(1, { code: 'x = 1', execution: ran })] });
  expect(panel.hasButton('allow and try again')).toBe(false);
});

describe('a hint', () => {
  it('is sent by plain Enter, not while composing, and cleared', () => {
    showSession();
    type(hintField(), ' use the calendar ');
    press(hintField(), 'Enter', { shiftKey: true });
    press(hintField(), 'Enter', { isComposing: true });
    expect(calls()).toEqual([]);
    press(hintField(), 'Enter');
    expect(calls()).toEqual([['hint', 'use the calendar']]);
    expect(hintField().value).toBe('');
  });

  it('is shown until a prompt holds it', () => {
    showSession({ hints: ['use M', 'and sort'] });
    expect(panel.text()).toContain('For the next attempt: and sort');
    panel.show({
      session: session({
        hints: ['use M', 'and sort'],
        attempts: [attempt(1, { hints: ['use M'] })]
      })
    });
    expect(panel.text()).not.toContain('For the next attempt: use M');
    expect(panel.text()).toContain('For the next attempt: and sort');
  });
});

describe('the model', () => {
  it('is chosen in the menu', async () => {
    show({});
    await panel.click('Choose a model');
    const select = panel.host.querySelector('select')!;
    expect(select.selectedOptions[0].textContent).toBe('qwen2.5-coder:32b');
    select.value = 'ollama/llama3.1:8b';
    select.dispatchEvent(new Event('change', { bubbles: true }));
    expect(calls()).toEqual([
      ['refreshModels', true],
      ['selectModel', 'ollama/llama3.1:8b']
    ]);
    // Nothing for those who have no model, until it is asked for.
    expect(panel.hasButton('Refresh')).toBe(false);
    expect(panel.host.querySelector('input[type=password]')).toBeNull();
    React.act(() => {
      select.value = '';
      select.dispatchEvent(new Event('change', { bubbles: true }));
    });
    expect(panel.host.querySelector('input[type=password]')).not.toBeNull();
  });

  it.each([
    { status: 'no-model', hints: ['Choose one.'] },
    { status: 'error', message: 'The settings choose panel/x.' }
  ] as const)('can be chosen where none is ($status)', async setup => {
    const profiles = [
      { name: 'panel', host: 'h', models: ['a', 'b'], demo: false }
    ].map(profile => ({ ...profile, defaultModel: null }));
    show({ models: { ...setup, profiles } as RefineView['models'] });
    const select = panel.host.querySelector('select')!;
    expect(select.selectedOptions[0].textContent).toBe('Choose a model');
    select.value = 'panel/b';
    select.dispatchEvent(new Event('change', { bubbles: true }));
    await panel.click('Enter a key');
    await panel.click('Forget h');
    expect(calls()).toEqual([
      ['selectModel', 'panel/b'],
      ['setKey', '', null]
    ]);
  });

  it('that its server does not list is named before a call', async () => {
    const { models } = view();
    const problem = 'localhost does not list the model “qwen”.';
    show({ models: { ...models, problem } as typeof models });
    expect(panel.text()).toContain(problem);
    panel.show({
      models: {
        ...models,
        problem,
        identity: { ...IDENTITY, model: 'qwen' }
      } as typeof models
    });
    await panel.click('Choose a model');
    // It is what is chosen, so that any listed one can be chosen instead.
    const [chosen] = panel.host.querySelector('select')!.selectedOptions;
    expect(chosen.textContent).toBe('ollama/qwen (not listed)');
    // Closed once there is no model.
    panel.show({ models: { status: 'no-model', hints: [], profiles: [] } });
    panel.show({ models });
    expect(panel.host.querySelector('select')).toBeNull();
  });
});

it('reports a profile that cannot be used in the menu beside one that can', async () => {
  const { models } = view();
  const hint = 'Profile panel: example.org refused the key (401).';
  show({ models: { ...models, hints: [hint] } as typeof models });
  expect(panel.text()).not.toContain(hint);
  await panel.click('Choose a model');
  expect(panel.text()).toContain(hint);
});

describe('an edit of an attempt', () => {
  const editor = () =>
    panel.host.querySelector<HTMLTextAreaElement>('.jp-Refine-editor textarea');
  const opened = async () => {
    showSession({ attempts: [ATTEMPT_1] });
    await panel.more(1);
    await panel.click('edit');
    editor()!.value = 'x = 2';
  };

  it('is kept when its row closes or another session is shown', async () => {
    await opened();
    await panel.click('Attempt 1');
    await panel.click('Attempt 1');
    expect(panel.hasButton('continue your edit')).toBe(true);
    panel.show({ session: session({ session: 'other' }) });
    expect(panel.hasButton('continue your edit')).toBe(false);
    panel.show({ session: session({ attempts: [ATTEMPT_1] }) });
    await panel.click('continue your edit');
    expect(editor()!.value).toBe('x = 2');
  });

  it('is kept when it cannot be run', async () => {
    await opened();
    panel.manager.failure = new Error('No kernel.');
    await panel.click('Run as attempt');
    expect(panel.text()).toContain('No kernel.');
    expect(panel.hasButton('continue your edit')).toBe(true);
  });
});
