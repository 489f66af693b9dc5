import type { RefineQuestion } from '../../../tokens';
import { CODE_2 } from '../../__tests__/attempts';
import {
  panel,
  press,
  show,
  type,
  type RenderedPanel
} from '../../__tests__/renderPanel';
import { session } from '../../__tests__/views';

const QUESTION: RefineQuestion = {
  id: 'q1',
  subject: 'live',
  title: 'Attempt 2 tried to reach api.example.org',
  body: 'Attempts have no network unless you allow it.',
  choices: [
    { id: 'deny', label: 'Keep blocked' },
    { id: 'allow', label: 'Allow and try again' }
  ]
};

/** Question and choice of each answer. */
const answers = () =>
  panel.manager.calls.map(([, question, choice]) => [question, choice]);

function ask(): RenderedPanel {
  show({ session: session() });
  panel.show({ question: QUESTION });
  return panel;
}

it('puts the safe choice first, filled and focused', () => {
  ask();
  const safe = panel.button('Keep blocked');
  expect(document.activeElement).toBe(safe);
  expect(safe.classList.contains('jp-mod-primary')).toBe(true);
  expect(
    panel.button('Allow and try again').classList.contains('jp-mod-primary')
  ).toBe(false);
  expect(panel.texts('[role=alertdialog] button')).toEqual([
    'Keep blocked',
    'Allow and try again'
  ]);
});

it('takes Escape as the safe choice', () => {
  ask();
  press(panel.button('Allow and try again'), 'Escape');
  expect(answers()).toEqual([['q1', 'deny']]);
});

it('says it in the live region', () => {
  ask();
  expect(panel.host.querySelector('[aria-live]')?.textContent).toBe(
    'Waiting for you: Attempt 2 tried to reach api.example.org'
  );
});

it('does not take the keyboard while you type in the notebook', () => {
  const cell = document.createElement('textarea');
  document.body.append(cell);
  cell.focus();
  ask();
  expect(document.activeElement).toBe(cell);
  cell.remove();
});

it('takes the keyboard once, not each time its cell is selected', () => {
  const cell = document.createElement('div');
  cell.tabIndex = 0;
  document.body.append(cell);
  cell.focus();
  ask();
  expect(document.activeElement).toBe(panel.button('Keep blocked'));
  panel.show({ question: null });
  // And gives it back.
  expect(document.activeElement).toBe(cell);
  panel.show({ question: QUESTION });
  expect(panel.hasButton('Keep blocked')).toBe(true);
  expect(document.activeElement).toBe(cell);
  cell.remove();
});

const REVIEW: RefineQuestion = {
  id: 'r1',
  subject: 'review',
  title: 'Attempt 3 passes its checks. Approve it?',
  body: '4 of 4 hold.',
  field: { label: 'What should be different?' },
  choices: [
    { id: 'approve', label: 'Approve' },
    { id: 'hint', label: 'Reject with this hint', takesText: true },
    { id: 'stop', label: 'Reject and stop' }
  ]
};

describe('a question with a field', () => {
  const field = () =>
    panel.host.querySelector<HTMLTextAreaElement>(
      '[role=alertdialog] textarea'
    )!;

  beforeEach(() => {
    show({ session: session() });
    panel.show({ question: REVIEW });
  });

  it('gives the field the keyboard, so that no stray key decides', () => {
    expect(document.activeElement).toBe(field());
    expect(field().getAttribute('aria-label')).toBe(
      'What should be different?'
    );
    press(field(), 'Enter');
    press(field(), 'Escape');
    expect(panel.manager.calls).toEqual([]);
  });

  it('gives the field the keyboard below code with a button, too', () => {
    panel.show({
      question: {
        ...REVIEW,
        id: 'r2',
        code: { attempt: 3, source: CODE_2 }
      }
    });
    expect(document.activeElement).toBe(field());
    panel.show({
      question: {
        ...REVIEW,
        id: 'r3',
        field: undefined,
        code: { attempt: 3, source: CODE_2 }
      }
    });
    expect(document.activeElement).toBe(panel.button('Approve'));
  });

  it('is the only place for a hint while it is there', () => {
    const hint = () =>
      panel.host.querySelector<HTMLElement>('.jp-Refine-hint')!;
    expect(hint().hidden).toBe(true);
    panel.show({ question: null });
    expect(hint().hidden).toBe(false);
  });
});

it('shows the code it asks about as a change, once', () => {
  show({ session: session() });
  panel.show({
    question: {
      ...QUESTION,
      subject: 'execute',
      title: 'Run attempt 3?',
      code: { attempt: 3, source: `${CODE_2}\nmonthly` }
    }
  });
  const lines = [
    ...panel.host.querySelectorAll('[role=alertdialog] .jp-Refine-line')
  ].map(line => `${line.tagName} ${line.textContent}`);
  expect(lines.at(-1)).toBe('INS monthly');
  expect(lines.filter(line => line.startsWith('SPAN'))).toHaveLength(4);
  expect(panel.lines(3)).toEqual([]);
  expect(panel.row(3).textContent).not.toContain('waiting for you');
  panel.show({
    session: session({ waiting: { for: 'permission', reason: '' } })
  });
  expect(panel.row(3).textContent).toContain('waiting for you');
  expect(panel.row(2).textContent).not.toContain('waiting for you');
});

it('leaves a half-written hint the keyboard', () => {
  show({ session: session() });
  const hint = panel.host.querySelector<HTMLTextAreaElement>(
    '.jp-Refine-hint textarea'
  )!;
  type(hint, 'Use');
  hint.focus();
  panel.show({ question: QUESTION });
  expect(document.activeElement).toBe(hint);
});

const DRAFTS: RefineQuestion = {
  id: 'd1',
  subject: 'drafts',
  title: '2 drafted assertions for cell 7, unverified',
  body: 'Each rejects a wrong version of the cell.',
  drafts: [
    { line: 1, source: 'assert f(1) == 1', problem: null },
    {
      line: 2,
      source: 'assert f is f',
      problem: 'It passes on a cell that does nothing.'
    },
    { line: 3, source: 'assert f(2) == 3', problem: null },
    {
      line: 4,
      source: 'assert f(3) == 9',
      problem: null,
      contradicted: { expected: '9', observed: '4' }
    }
  ],
  choices: [
    { id: 'approve', label: 'Approve', takesDrafts: true },
    { id: 'dismiss', label: 'Dismiss' }
  ]
};

describe('drafted assertions', () => {
  const boxes = () => [
    ...panel.host.querySelectorAll<HTMLInputElement>('input[type=checkbox]')
  ];

  beforeEach(() => {
    show({});
    panel.show({ question: DRAFTS });
  });

  it('are ticked where the code agrees; the others say why not', () => {
    expect(
      boxes().map(box => [box.checked, box.closest('label')?.textContent])
    ).toEqual([
      [true, 'assert f(1) == 1'],
      [true, 'assert f(2) == 3'],
      [false, 'assert f(3) == 9expects 9, your code gives 4']
    ]);
    expect(panel.text()).toContain(
      '1 left outassert f is fIt passes on a cell that does nothing.'
    );
  });

  it('are not dismissed by a stray Escape', async () => {
    press(boxes()[0], 'Escape');
    expect(panel.manager.calls).toEqual([]);
    await panel.click('Dismiss');
    expect(answers()).toEqual([['d1', 'dismiss']]);
  });
});
