/** States of the panel in which it asks the user. */
import type { RefineView } from '../../src/tokens';
import {
  ATTEMPT_1,
  ATTEMPT_2,
  ATTEMPT_3,
  CODE_3,
  usage
} from '../../src/ui/__tests__/attempts';
import { session, TARGET, view } from '../../src/ui/__tests__/views';

export const QUESTION_STATES: Readonly<Record<string, RefineView>> = {
  review: view({
    session: session({
      phase: 'waiting',
      waiting: { for: 'human', reason: 'Attempt 3 waits for your review.' },
      attempts: [
        ATTEMPT_1,
        { ...ATTEMPT_2, best: false },
        { ...ATTEMPT_3, phase: 'judging' }
      ]
    }),
    question: {
      id: 'r',
      subject: 'review',
      title: 'Attempt 3 passes its checks. Approve it?',
      body: '4 of 4 assertions hold, and 1 held out.',
      field: { label: 'What should be different?' },
      choices: [
        { id: 'approve', label: 'Approve' },
        { id: 'hint', label: 'Reject with this hint', takesText: true },
        { id: 'stop', label: 'Reject and stop' }
      ]
    }
  }),
  'permission to run': view({
    session: session({
      phase: 'waiting',
      waiting: { for: 'permission', reason: '' },
      attempts: [
        ATTEMPT_1,
        ATTEMPT_2,
        { ...ATTEMPT_3, phase: 'running', assertions: [], execution: null }
      ]
    }),
    question: {
      id: 'x',
      subject: 'execute',
      title: 'Run attempt 3?',
      body: 'It needs your permission to run. If you decline, the session ends.',
      code: { attempt: 3, source: CODE_3 },
      choices: [
        { id: 'no', label: 'Don’t run' },
        { id: 'yes', label: 'Run' }
      ]
    }
  }),
  drafts: view({
    target: { ...TARGET, assertions: 0, holdouts: 0 },
    session: session({
      request: null,
      model: null,
      phase: 'waiting',
      waiting: { for: 'human', reason: '' },
      attempts: [],
      best: null,
      scoreHistory: [],
      usage: usage(312, 0.001)
    }),
    question: {
      id: 'd',
      subject: 'drafts',
      title: '3 drafted assertions for cell 7, unverified',
      body: 'Each was seen to fail on something wrong; whether it asks for the right thing only you can tell. What you approve becomes a cell below cell 7.',
      drafts: [
        {
          line: 1,
          source: 'assert list(monthly.columns) == ["EU", "US"]',
          problem: null
        },
        {
          line: 2,
          source: 'assert len(monthly) == 12',
          problem: null
        },
        {
          line: 3,
          source:
            'assert monthly.to_numpy().sum() == pytest.approx(orders.amount.sum(), rel=1e-9)',
          problem: null
        },
        {
          line: 4,
          source: 'assert monthly is monthly',
          problem: 'It passes whatever the cell does.'
        },
        {
          line: 5,
          source: 'assert monthly.loc["2024-13"].sum() == baseline',
          problem:
            'It uses baseline, which neither the kernel nor the task knows.'
        }
      ],
      choices: [
        { id: 'approve', label: 'Approve', takesDrafts: true },
        { id: 'dismiss', label: 'Dismiss' }
      ]
    }
  })
};
