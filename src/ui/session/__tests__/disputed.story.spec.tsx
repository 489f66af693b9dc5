/** What the panel shows when a model has objected to a check. */
import { fakeAssertion } from '../../../testing/fakeExecutor';
import { renderPanel, type RenderedPanel } from '../../__tests__/renderPanel';
import { ended, outcome, view } from '../../__tests__/views';

let panel: RenderedPanel;
afterEach(() => panel.unmount());

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
const given = {
  attempt: 2,
  result: fakeAssertion({
    cellId: 'c8',
    line: 2,
    source: check.source,
    outcome: 'failed',
    expected: { expression: '7', type: 'int', repr: '7' },
    observed: { expression: 'double(3)', type: 'int', repr: '6' }
  })
};
const show = (parts: object) => {
  panel = renderPanel(
    view({
      session: ended(
        outcome({ stopReason: 'disputed', dispute: { ...dispute, ...parts } })
      )
    })
  );
};

describe('a disputed check', () => {
  it('is shown with the reason and what the best attempt gives', () => {
    show({ given });
    const shown = panel.host.querySelector('.jp-Refine-dispute')!;
    expect(panel.text()).toContain('The model disputes check 2');
    expect(shown.textContent).toContain('Twice 3 is 6, as the task says.');
    expect(shown.textContent).toContain('What attempt 2 gives:');
    expect(shown.textContent).toContain('double(3) == 7');
    expect(shown.textContent).toMatch(/expected.*7.*observed.*6/s);
  });

  it('is shown where no code has run', () => {
    show({});
    const shown = panel.host.querySelector('.jp-Refine-dispute')!;
    expect(shown.textContent).toContain('assert double(3) == 7');
    expect(shown.textContent).toContain('No code has run so far.');
  });

  it('is edited, confirmed or skipped by the user', async () => {
    show({ given });
    await panel.click('Edit check');
    await panel.click('The check is right, go on');
    await panel.click('Skip this check');
    expect(panel.manager.calls).toEqual([
      ['editCell', 'c8', 2],
      ['answerDispute', 'right'],
      ['answerDispute', 'skip']
    ]);
  });
});
