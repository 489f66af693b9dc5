import { Notification } from '@jupyterlab/apputils';
import { nullTranslator } from '@jupyterlab/translation';
import { Signal } from '@lumino/signaling';
import { Widget } from '@lumino/widgets';
import { initialState } from '../../../core/events/fold';
import type { Outcome } from '../../../core/domain/outcome';
import type { IRefineManager, RefineView } from '../../../tokens';
import { statusText } from '../statusPlugin';
import { reportUnseen } from '../unseen';

const trans = nullTranslator.load('jupyterlab_refine');

const PASSED = { passed: true, best: { attempt: 2 } } as Outcome;

const running = {
  session: initialState('s'),
  interrupted: false,
  question: null
} as RefineView;

const ended = (outcome: Outcome): RefineView => ({
  ...running,
  session: { ...initialState('s'), outcome }
});

function reported(visible: boolean, ...views: readonly RefineView[]) {
  const panel = new Widget();
  Object.defineProperty(panel, 'isVisible', { get: () => visible });
  const manager = {
    view: running,
    viewChanged: new Signal<object, void>({})
  };
  reportUnseen(
    manager as unknown as IRefineManager,
    panel,
    trans,
    () => undefined
  );
  const emit = jest.spyOn(Notification, 'emit').mockReturnValue('');
  emit.mockClear();
  for (const view of views) {
    manager.view = view;
    manager.viewChanged.emit();
  }
  return emit.mock.calls.map(([message, type]) => [message, type]);
}

describe('the end of a session', () => {
  it('is reported once while the panel is hidden', () => {
    expect(reported(false, running, ended(PASSED), ended(PASSED))).toEqual([
      ['Refine: passed on attempt 2.', 'success']
    ]);
    const stopped = { passed: false, best: null } as Outcome;
    expect(reported(false, running, ended(stopped))).toEqual([
      ['Refine: the session ended without a pass.', 'info']
    ]);
  });

  it('is not reported where the panel shows it, or it was long ago', () => {
    expect(reported(true, running, ended(PASSED))).toEqual([]);
    expect(reported(false, ended(PASSED))).toEqual([]);
  });
});

it('a question is reported once, and no longer once it is answered', () => {
  const dismiss = jest.spyOn(Notification, 'dismiss').mockReturnValue();
  const asking = { ...running, question: { id: 'q' } } as RefineView;
  expect(reported(true, asking)).toEqual([]);
  expect(reported(false, asking, asking, running)).toEqual([
    ['A Refine session is waiting for your answer.', 'info']
  ]);
  expect(dismiss).toHaveBeenCalledTimes(1);
});

it('shows the state in the status bar', () => {
  expect(statusText({ ...running, session: null }, trans)).toBe('');
  expect(statusText(running, trans)).toBe('Refine: starting');
  expect(statusText(ended(PASSED), trans)).toBe('Refine: passed');
  expect(statusText({ ...running, interrupted: true }, trans)).toBe(
    'Refine: interrupted'
  );
});
