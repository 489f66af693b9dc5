import { Notification } from '@jupyterlab/apputils';
import { nullTranslator } from '@jupyterlab/translation';
import { Signal } from '@lumino/signaling';
import { Widget } from '@lumino/widgets';
import type { IRefineManager, RefineQuestion } from '../../../tokens';
import { UnseenQuestion } from '../unseenQuestion';

const QUESTION: RefineQuestion = {
  id: 'q1',
  subject: 'review',
  title: 'Attempt 3 passes its checks. Approve it?',
  body: '',
  choices: [{ id: 'approve', label: 'Approve' }]
};

function setUp(visible: boolean) {
  const manager = {
    view: { question: null as RefineQuestion | null },
    viewChanged: new Signal<object, void>({})
  };
  const panel = new Widget();
  Object.defineProperty(panel, 'isVisible', { get: () => visible });
  const show = jest.fn();
  const unseen = new UnseenQuestion(
    manager as unknown as IRefineManager,
    panel,
    nullTranslator.load('jupyterlab_refine'),
    show
  );
  const ask = (question: RefineQuestion | null) => {
    manager.view = { question };
    manager.viewChanged.emit();
  };
  return {
    ask,
    panel,
    show,
    unseen,
    see: () => {
      visible = true;
      unseen.update();
    },
    hide: () => {
      visible = false;
      unseen.update();
    }
  };
}

const shown = () => Notification.manager.notifications.map(n => n.message);

beforeEach(() => jest.useFakeTimers());
afterEach(() => {
  jest.useRealTimers();
  Notification.dismiss();
});

it('announces a question once where the panel is hidden', () => {
  const { ask, panel, show } = setUp(false);
  ask(QUESTION);
  ask(QUESTION);
  jest.advanceTimersByTime(250);
  ask(QUESTION);
  jest.advanceTimersByTime(250);
  expect(shown()).toEqual(['A Refine session is waiting for your answer.']);
  expect(panel.title.className).toBe('jp-Refine-mod-asks');
  expect(panel.title.caption).toBe('Refine: waiting for you');
  const [{ options }] = Notification.manager.notifications;
  options.actions?.[0].callback(new MouseEvent('click'));
  expect(show).toHaveBeenCalledTimes(1);
});

it.each(['it is answered', 'the panel is shown', 'the panel is gone'])(
  'takes both away when %s',
  how => {
    const { ask, panel, see, unseen } = setUp(false);
    ask(QUESTION);
    jest.advanceTimersByTime(250);
    expect(shown()).toHaveLength(1);
    if (how === 'it is answered') {
      ask(null);
    } else if (how === 'the panel is shown') {
      see();
    } else {
      unseen.dispose();
    }
    jest.advanceTimersByTime(250);
    expect(shown()).toEqual([]);
    expect(panel.title.className).toBe('');
    expect(panel.title.caption).toBe('Refine');
  }
);

it('says nothing beside a panel that is seen', () => {
  const { ask, panel, hide, see } = setUp(true);
  ask(QUESTION);
  // A change of the theme hides all for a frame.
  hide();
  see();
  jest.advanceTimersByTime(250);
  expect(shown()).toEqual([]);
  expect(panel.title.className).toBe('');
});
