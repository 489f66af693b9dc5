/** Long, tabular and half-written text: what is cut says so, and nothing is said twice. */
import {
  hintField,
  panel,
  press,
  show,
  showSession,
  type
} from './renderPanel';
import { attempt, ATTEMPT_1, ATTEMPT_2, execution } from './attempts';
import { ended, outcome, PASSED, session, TARGET, view } from './views';

describe('printed text', () => {
  const printed = (stdout: string) =>
    showSession({
      attempts: [
        {
          ...ATTEMPT_1,
          output: stdout.slice(-20_000),
          execution: execution([], { stdout })
        }
      ]
    });
  const shown = () => panel.row(1).querySelector('[role=region] pre')!;

  it('says that it was cut, and is complete on a click', async () => {
    printed(`first\n${'line\n'.repeat(10_000)}`);
    await panel.more(1);
    await panel.click('output');
    expect(panel.text()).toContain('The last 20,000 of 50,006 characters.');
    expect(shown().textContent).toHaveLength(20_000);
    await panel.click('Show all');
    expect(shown().textContent).toHaveLength(50_006);
    expect(panel.hasButton('Show all')).toBe(false);
  });
});

describe('the variables of a failure', () => {
  const failed = (repr?: string) =>
    showSession({
      attempts: [
        attempt(1, {
          execution: execution([], {
            error: {
              name: 'KeyError',
              message: '',
              traceback: '',
              locals: [{ name: 'n', type: 'int', repr }],
              frames: [
                {
                  function: '<module>',
                  where: 'check',
                  line: 2,
                  locals: [{ name: 'k', type: 'int', repr }]
                },
                {
                  function: 'inner',
                  where: 'candidate',
                  line: 5,
                  locals: [{ name: 'n', type: 'int', repr }]
                }
              ]
            }
          })
        })
      ]
    });

  it('are listed for each frame, the innermost first', async () => {
    failed('4');
    await panel.more(1);
    await panel.click('locals');
    const captions = [...panel.host.querySelectorAll('caption')].map(
      caption => caption.textContent
    );
    expect(captions).toEqual([
      'inner, line 5 of the attempt',
      'line 2 of a check cell'
    ]);
    expect(panel.text()).not.toContain('Types only');
  });

  it('say why there are no values', async () => {
    failed();
    await panel.more(1);
    await panel.click('locals');
    expect(panel.text()).toContain('Types only.');
  });
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
  const kinds = [...panel.host.querySelectorAll('.jp-Refine-kind')];
  expect(kinds.map(kind => kind.textContent)).toEqual(['(2,)']);
});

it('keeps the columns of a table, which the keyboard can scroll', () => {
  const results = [
    {
      ...ATTEMPT_2.assertions[3]!,
      id: 'check:9',
      outcome: 'failed' as const,
      expected: { expression: 'expected', type: 'DataFrame', repr: 'a b\n1 2' },
      observed: { expression: 'x', type: 'int', repr: '3' }
    }
  ];
  showSession({
    attempts: [
      attempt(1, { assertions: results, execution: execution(results) })
    ]
  });
  const tables = [...panel.host.querySelectorAll('code.jp-mod-table')];
  expect(tables.map(table => table.textContent)).toEqual(['a b\n1 2']);
  expect(tables[0]?.getAttribute('tabindex')).toBe('0');
});

describe('a hint', () => {
  it('that is half written survives a pass and a look at another cell', () => {
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

  it('is shown on the attempt that used it', () => {
    showSession({
      attempts: [ATTEMPT_1, { ...ATTEMPT_2, hints: ['use a calendar'] }]
    });
    expect(panel.row(2).textContent).toContain('Hint: use a calendar');
  });
});

describe('an error of the model', () => {
  const MESSAGE = 'api.example refused the key of profile work (401).';
  const refused = (allowKeyFromPanel = true) => {
    const policy = {
      allowKeyFromPanel,
      maxAttempts: null,
      maxTokens: null,
      sessionTimeout: null,
      dailyTokenLimit: null,
      dailyTokensUsed: 0
    };
    const failure = { code: 'unauthorized', message: MESSAGE };
    show({
      models: { ...view().models, policy } as ReturnType<typeof view>['models'],
      session: ended(
        outcome({ stopReason: 'model-error', attempts: 1, error: failure }),
        { attempts: [attempt(1, { failure, title: MESSAGE, code: '' })] }
      )
    });
  };

  it('is said once', () => {
    refused();
    expect(panel.host.textContent!.split(MESSAGE)).toHaveLength(2);
    expect(panel.row(1).textContent).toContain('No answer from the model');
  });

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

  it('offers no form where the server takes no keys', () => {
    refused(false);
    expect(panel.hasButton('Enter a key')).toBe(false);
  });
});
