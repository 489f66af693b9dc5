/** What the panel shows of a session that is paused, stopped or cut off, and where its one primary button is. */
import { ATTEMPT_1, ATTEMPT_2, PROMPT } from '../../__tests__/attempts';
import { panel, show, showEnd } from '../../__tests__/renderPanel';
import {
  ended,
  outcome,
  PASSED,
  REQUEST,
  session,
  TARGET
} from '../../__tests__/views';

const primaries = () => panel.texts('.jp-mod-primary');

it('a pause is announced, not shown as reached, while an attempt is made', () => {
  show({ session: session({ paused: true }) });
  expect(panel.text()).toContain('Attempt 3 of 5 · writing');
  expect(panel.text()).toContain('Pauses before the next attempt.');
});

describe('an attempt that was not run', () => {
  it.each([
    ['stopped', 'stopped'],
    ['timeout', 'stopped'],
    ['rejected', 'not run'],
    ['interrupted', 'stopped'],
    ['disputed', 'objection'],
    ['stream-cut', 'no answer']
  ])('is labelled for the reason %s, and is not offered', (code, label) => {
    const cut = {
      ...ATTEMPT_2,
      attempt: 1,
      execution: null,
      failure: { code, message: 'It ended.' }
    };
    showEnd(
      { stopReason: 'stopped', attempts: 1 },
      {
        attempts: [cut],
        best: 1
      }
    );
    expect(panel.row(1).querySelector('.jp-Refine-chip')?.textContent).toBe(
      label
    );
    expect(panel.hasButton('Use attempt 1')).toBe(false);
    expect(panel.hasButton('Use this')).toBe(false);
    expect(panel.text()).not.toContain('0 of');
  });
});

describe('the primary button', () => {
  const question = {
    id: 'q',
    subject: 'accept',
    title: 'Passed. Write it to cell 7?',
    body: '',
    choices: [
      { id: 'insert', label: 'Write only' },
      { id: 'leave', label: 'Leave unchanged' }
    ]
  } as const;

  it('is that of a question, which takes the place of the result', () => {
    show({ session: ended(PASSED), question });
    expect(primaries()).toEqual(['Write only']);
    expect(panel.host.querySelector('.jp-Refine-banner')).toBeNull();
    panel.show({ question: null });
    expect(primaries()).toEqual(['Use attempt 3']);
  });

  it('is that of the end, also when the prompt is unfolded', async () => {
    showEnd({});
    await panel.click('Prompt');
    expect(panel.hasButton('Refine cell')).toBe(true);
    expect(primaries()).toEqual(['Give a hint']);
  });

  it('is that of the prompt before a session and after a mere check', () => {
    show({});
    expect(primaries()).toEqual(['Refine cell']);
    panel.show({
      session: ended(outcome({ attempts: 0 }), {
        model: null,
        attempts: [{ ...ATTEMPT_1, attempt: 0 }]
      })
    });
    expect(primaries()).toEqual(['Refine cell']);
  });
});

describe('the prompt of a session', () => {
  const edited = { ...TARGET, prompt: 'My own note.', edited: true };
  const box = () =>
    panel.host.querySelector<HTMLTextAreaElement>('textarea[readonly]');

  it('is shown as it was sent; an edit is named', () => {
    show({ session: session(), target: edited });
    expect(box()?.value).toBe(PROMPT);
    expect(panel.text()).toContain('Your edit is kept');
    panel.show({ session: ended(outcome()) });
    expect(panel.host.querySelector('.jp-Refine-fold')?.textContent).toContain(
      'Monthly revenue'
    );
  });

  it('is the error, where that is to be fixed', () => {
    const error = { name: 'KeyError', message: "'rev'", traceback: '' };
    const repair = { error, names: [], changed: [] };
    show({
      session: session({ request: { ...REQUEST, prompt: '', repair } })
    });
    expect(box()?.value).toBe("Fix KeyError: 'rev'");
  });
});

describe('an earlier session', () => {
  const { request } = session({});
  const showPast = (status: 'ran' | 'restored' | 'unchanged') =>
    show({
      history: {
        path: 'orders.ipynb',
        entries: [],
        shown: {
          entry: {
            id: 'past',
            path: 'orders.ipynb',
            at: 0,
            cell: 7,
            attempts: 1,
            passedOn: 2,
            prompt: ''
          },
          session: session({
            request: { ...request!, part: { first: 3, last: 5 } },
            acceptance: { attempt: 2, status }
          })
        }
      }
    });

  it('says what became of its cell', () => {
    expect(showPast('ran').text()).toContain(
      'Attempt 2 was written into the cell.'
    );
    expect(panel.text()).toContain('Refines lines 3 to 5 only');
    panel.unmount();
    expect(showPast('unchanged').text()).toContain(
      'The cell already contained attempt 2.'
    );
    panel.unmount();
    expect(showPast('restored').text()).toContain('The cell was restored.');
  });
});
