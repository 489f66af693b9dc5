import type { RefineQuestion } from '../../tokens';
import { press, renderPanel, type RenderedPanel } from './renderPanel';
import { session, view } from './views';

const QUESTION: RefineQuestion = {
  id: 'q1',
  subject: 'network',
  title: 'Attempt 2 tried to reach api.example.org',
  body: 'Attempts have no network unless you allow it.',
  choices: [
    { id: 'deny', label: 'Keep blocked' },
    { id: 'allow', label: 'Allow for this session' }
  ]
};

let panel: RenderedPanel;

afterEach(() => panel.unmount());

function ask(): RenderedPanel {
  panel = renderPanel(view({ session: session() }));
  panel.show({ question: QUESTION });
  return panel;
}

it('puts the safe choice first, filled and focused', () => {
  ask();
  const safe = panel.button('Keep blocked');
  expect(document.activeElement).toBe(safe);
  expect(safe.classList.contains('jp-mod-primary')).toBe(true);
  expect(
    panel.button('Allow for this session').classList.contains('jp-mod-primary')
  ).toBe(false);
  const buttons = [
    ...panel.host.querySelectorAll('[role=alertdialog] button')
  ].map(button => button.textContent);
  expect(buttons).toEqual(['Keep blocked', 'Allow for this session']);
});

it('takes Escape as the safe choice', () => {
  ask();
  press(panel.button('Allow for this session'), 'Escape');
  expect(panel.manager.calls).toEqual([['answer', 'q1', 'deny']]);
});

it('answers what is clicked', async () => {
  ask();
  await panel.click('Allow for this session');
  expect(panel.manager.calls).toEqual([['answer', 'q1', 'allow']]);
});

it('says it in the live region', () => {
  ask();
  expect(panel.host.querySelector('[aria-live]')?.textContent).toBe(
    'Waiting for you: Attempt 2 tried to reach api.example.org'
  );
});

it('does not take the keyboard from somebody who types in the notebook', () => {
  const cell = document.createElement('textarea');
  document.body.append(cell);
  cell.focus();
  ask();
  expect(document.activeElement).toBe(cell);
  cell.remove();
});
