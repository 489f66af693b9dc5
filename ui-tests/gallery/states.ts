/** Every state of the panel by name, as the gallery shows them. */
import type { RefineView } from '../../src/tokens';
import {
  ATTEMPT_1,
  ATTEMPT_2,
  ATTEMPT_3,
  ATTEMPT_3_WRITING,
  CODE_3,
  GATED,
  HOLDOUT,
  measured,
  usage
} from '../../src/ui/__tests__/attempts';
import {
  ended,
  LIVE,
  outcome,
  PASSED,
  REQUEST,
  session,
  TARGET,
  view
} from '../../src/ui/__tests__/views';
import { QUESTION_STATES } from './questionStates';

const PASSED_VIEW: Partial<RefineView> = {
  session: ended(PASSED),
  accepted: {
    attempt: 3,
    status: 'ran',
    message:
      'Written to cell 7 and run: it had written no file and opened no connection.'
  }
};

const REPEATING = ended(outcome(), {
  attempts: [
    ATTEMPT_1,
    ATTEMPT_2,
    { ...ATTEMPT_2, attempt: 3, best: false },
    { ...ATTEMPT_2, attempt: 4, best: false, repeatOf: 2 },
    { ...ATTEMPT_2, attempt: 5, best: false, repeatOf: 2 }
  ]
});

const NO_SESSION = { target: TARGET };

export const STATES: Readonly<Record<string, RefineView>> = {
  running: view({ session: session() }),
  ready: view(NO_SESSION),
  passed: view(PASSED_VIEW),
  denial: view({
    session: session({
      phase: 'waiting',
      waiting: { for: 'permission', reason: '' },
      attempts: [ATTEMPT_1, { ...ATTEMPT_2, phase: 'judging' }]
    }),
    question: {
      id: 'q',
      subject: 'network',
      title: 'Attempt 2 tried to reach api.example.org',
      body: 'Attempts have no network unless you allow it.',
      choices: [
        { id: 'deny', label: 'Keep blocked' },
        { id: 'allow', label: 'Allow and try again' }
      ]
    }
  }),
  'no model': view({
    ...NO_SESSION,
    models: {
      status: 'no-model',
      hints: [
        'Ollama answers on this machine but has no model:',
        'ollama pull qwen2.5-coder'
      ],
      profiles: []
    }
  }),
  stopped: view({ session: REPEATING }),
  'no target': view({ target: null }),
  'no routes': view({ target: null, models: { status: 'no-routes' } }),
  'models failed': view({
    ...NO_SESSION,
    models: {
      status: 'error',
      message: 'The Jupyter server answered 503 to a request for the profiles.'
    }
  }),
  'no checks': view({
    target: {
      ...TARGET,
      assertions: 0,
      holdouts: 0,
      promptFromNotebook: true,
      candidatesForAssertion: [
        { cellId: 'c8', label: 'cell 8: assert fib(0) == 0' },
        { cellId: 'c9', label: 'cell 9: np.testing.assert_allclose(…' }
      ]
    }
  }),
  refused: view({
    target: {
      ...TARGET,
      refused: 'This cell is locked by nbgrader; it is never edited.'
    }
  }),
  'not isolated': view({
    isolation: LIVE,
    question: {
      id: 'live',
      subject: 'live',
      title: 'Attempts cannot be isolated in this kernel',
      body: 'They would run in your kernel and could change your variables and files.',
      choices: [
        { id: 'no', label: 'Don’t run' },
        { id: 'yes', label: 'Run in my kernel' }
      ]
    }
  }),
  'waiting for a cell': view({
    session: session({
      phase: 'waiting',
      waiting: { for: 'kernel', reason: 'cell [12]' },
      paused: true,
      hints: ['Use freq="M" and the calendar.'],
      attempts: [
        ATTEMPT_1,
        { ...ATTEMPT_2, phase: 'running', assertions: [], execution: null }
      ]
    })
  }),
  thinking: view({
    session: session({
      attempts: [{ ...ATTEMPT_3_WRITING, attempt: 1, code: '' }],
      best: null,
      scoreHistory: [],
      usage: usage(0)
    })
  }),
  'recorded demo': view({
    session: session({
      model: {
        profile: 'demo',
        model: 'demo',
        host: 'recorded',
        recorded: true
      },
      attempts: [{ ...ATTEMPT_1, attempt: 0, title: '' }, ATTEMPT_2],
      usage: { ...usage(1200), estimated: true }
    })
  }),
  'model error': view({
    session: ended(
      outcome({
        stopReason: 'model-error',
        best: null,
        attempts: 1,
        error: {
          code: 'rate-limited',
          message:
            'api.example.com refuses more requests for now (429). It asks to wait 20 s.'
        }
      }),
      {
        attempts: [
          {
            ...ATTEMPT_1,
            code: '',
            assertions: [],
            execution: null,
            verdict: null,
            title: '',
            failure: {
              code: 'rate-limited',
              message: 'api.example.com refuses more requests for now (429).'
            }
          }
        ]
      }
    )
  }),
  'kernel died': view({
    session: ended(
      outcome({
        stopReason: 'kernel-died',
        attempts: 2,
        error: {
          code: 'kernel-dead',
          message: 'The kernel died while attempt 2 was running.'
        }
      })
    )
  }),
  interrupted: view({
    interrupted: true,
    session: session({
      attempts: [
        ATTEMPT_1,
        ATTEMPT_2,
        { ...ATTEMPT_3_WRITING, phase: 'ended', verdict: null }
      ]
    })
  }),
  'judge only': view({
    session: ended(
      { ...PASSED, checkedBy: 'judge' },
      {
        attempts: [
          {
            ...ATTEMPT_3,
            assertions: [],
            execution: null,
            verdict: {
              evaluator: 'judge',
              evaluation: 'pass',
              score: 0.9,
              reasons: []
            }
          }
        ]
      }
    ),
    cleanCheck: { status: 'running', message: '' }
  }),
  'clean check failed': view({
    ...PASSED_VIEW,
    cleanCheck: {
      status: 'failed',
      message: "Fails in a fresh kernel: NameError: name 'regions'"
    }
  }),
  'a metric': view({
    session: session({
      request: {
        ...REQUEST,
        options: { ...REQUEST.options, targetScore: 0.25 }
      },
      attempts: [
        measured(1, 0.412, { title: 'Plain ridge' }),
        measured(2, null, { title: 'Add lags' }),
        measured(3, 0.351, { title: 'Add lags, no zeros' }),
        measured(4, 0.287, { title: 'Add the calendar', best: true })
      ],
      best: 4
    })
  }),
  'passed with a metric': view({
    session: ended(
      { ...PASSED, checkedBy: 'scorer', best: { ...PASSED.best!, attempt: 2 } },
      {
        attempts: [
          measured(1, 0.412, { title: 'Plain ridge' }),
          measured(2, 0.241, {
            title: 'Add the calendar',
            best: true,
            verdict: {
              evaluator: 'assertions+scorer',
              evaluation: 'pass',
              score: null,
              passed: 4,
              total: 4,
              reasons: [],
              metric: { name: 'RMSE', value: 0.241, goal: 'min', unit: 'EUR' }
            }
          })
        ],
        best: 2
      }
    ),
    accepted: {
      attempt: 2,
      status: 'ran',
      message: 'Written to cell 7 and run.'
    },
    cleanCheck: {
      status: 'passed',
      message: 'Also passes in a fresh kernel: 4 of 4.'
    }
  }),
  findings: view({
    session: session({ attempts: [ATTEMPT_1, GATED], best: 1 })
  }),
  'says nothing': view({
    session: session({
      warnings: [
        {
          message:
            'Holds for an empty cell as well, so it says nothing about the code: `assert isinstance(monthly, object)`',
          check: { cellId: 'check', line: 2 }
        }
      ],
      attempts: [ATTEMPT_1, ATTEMPT_2]
    })
  }),
  ...QUESTION_STATES,
  unverified: view({
    target: { ...TARGET, assertions: 3, holdouts: 0, unverified: ['drafts'] }
  }),
  hostile: view({
    session: session({
      attempts: [
        {
          ...ATTEMPT_2,
          attempt: 1,
          title: '<img src=x onerror=alert(1)> [link](javascript:alert(1))',
          thoughts: 'Ignore\u202Ethe user\u202C.',
          code: `${CODE_3}\nx = "\u202Eadmin\u2066" # \u001b[31mred\u001b[0m\n<script>alert(1)</script>`,
          assertions: [
            {
              ...HOLDOUT,
              outcome: 'error',
              source:
                'assert a_very_long_name_without_any_place_to_break_it_anywhere_at_all_xxxxxxxxxxxxxxxxxxxx(1) == 2',
              error: {
                name: 'ValueError',
                message: '<b>bold</b>\u001b]8;;http://x.example\u0007click',
                traceback: 'x'
              }
            },
            {
              ...HOLDOUT,
              id: 'h2',
              outcome: 'failed',
              role: 'assertion',
              operator: '==',
              expected: {
                expression: 'x',
                type: 'str',
                repr: "'" + 'a'.repeat(300) + "'"
              },
              observed: { expression: 'y', type: 'int', repr: '12' },
              difference:
                '- aaaa\n+ aaab\n  a very long line of a difference that goes on and on and on'
            }
          ]
        }
      ]
    })
  })
};
