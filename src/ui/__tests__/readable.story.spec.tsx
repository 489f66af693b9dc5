/** Long, tabular and half-written text: what is cut says so, and nothing is said twice. */
import {
  hintField,
  panel,
  press,
  show,
  showSession,
  type
} from './renderPanel';
import { attempt, ATTEMPT_2, execution } from './attempts';
import { ended, outcome, PASSED, session, TARGET, view } from './views';

it('says why there are no values of the variables of a failure', async () => {
  const error = {
    name: 'KeyError',
    message: '',
    traceback: '',
    locals: [{ name: 'n', type: 'int' }]
  };
  showSession({
    attempts: [attempt(1, { execution: execution([], { error }) })]
  });
  await panel.more(1);
  await panel.click('locals');
  expect(panel.text()).toContain('Types only.');
});

it('says nothing of the shape of a scalar', () => {
  const value = (repr: string, shape: string) => ({
    expression: 'x',
    type: 'int64',
    repr,
    shape
  });
  const results = [
    {
      ...ATTEMPT_2.assertions[3]!,
      id: 'check:9',
      outcome: 'failed' as const,
      expected: value('[1, 2]', '(2,)'),
      observed: value('np.int64(14)', '()')
    }
  ];
  showSession({
    attempts: [
      attempt(1, { assertions: results, execution: execution(results) })
    ]
  });
  expect(panel.texts('.jp-Refine-kind')).toEqual(['(2,)']);
});

it('a hint that is half written survives a pass and a look at another cell', () => {
  showSession({});
  type(hintField(), 'use the cal');
  panel.show({ session: ended(PASSED) });
  expect(hintField().value).toBe('use the cal');
  panel.show({ session: session({ session: 's2' }) });
  expect(hintField().value).toBe('use the cal');
  const { request } = session();
  panel.show({
    target: { ...TARGET, cellId: 'other' },
    session: session({
      request: {
        ...request!,
        target: { ...request!.target, cellId: 'other' }
      }
    })
  });
  expect(hintField().value).toBe('');
  panel.show({ target: TARGET, session: session() });
  press(hintField(), 'Enter');
  expect(panel.manager.calls).toEqual([['hint', 'use the cal']]);
});

describe('an error of the model', () => {
  const MESSAGE = 'api.example refused the key of profile work (401).';
  const refused = (allowKeyFromPanel = true, code = 'unauthorized') => {
    const policy = { allowKeyFromPanel };
    const failure = { code, message: MESSAGE };
    show({
      models: { ...view().models, policy } as ReturnType<typeof view>['models'],
      session: ended(
        outcome({ stopReason: 'model-error', attempts: 1, error: failure }),
        { attempts: [attempt(1, { failure, code: '' })] }
      )
    });
  };

  it('leads from a refused key to a form for another one', async () => {
    refused();
    expect(panel.button('Enter a key').className).toContain('primary');
    expect(panel.button('Try again').className).not.toContain('primary');
    await panel.click('Enter a key');
    expect(panel.hasButton('Try again')).toBe(false);
    type(panel.host.querySelector('input')!, 'sk-other');
    await panel.click('Save');
    expect(panel.manager.calls).toEqual([['setKey', 'sk-other', null]]);
    expect(panel.hasButton('Enter a key')).toBe(false);
    expect(panel.button('Try again').className).toContain('primary');
  });

  it('leads from the demo in another notebook to the form', () => {
    refused(true, 'demo-only');
    expect(panel.hasButton('Enter a key')).toBe(true);
  });

  it('offers no form where the server takes no keys', () => {
    refused(false);
    expect(panel.hasButton('Enter a key')).toBe(false);
  });
});

it('shows what could reorder or hide a line of code', () => {
  showSession({
    attempts: [attempt(1, { code: 'x = "\u202Eadmin"\u200b' })]
  });
  expect(panel.lines(1)).toEqual([' x = "‹U+202E›admin"‹U+200B›']);
});
