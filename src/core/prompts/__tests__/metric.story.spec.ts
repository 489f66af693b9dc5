/** @jest-environment node */
import { buildMessages } from '../prompts';
import { metricText } from '../task';
import { visibleRequest } from '../../domain/visible';
import {
  makeRequest,
  PROSE,
  type RequestParts
} from '../../__tests__/requests';

const SCORE = 'def score(ns):\n    return ns["predict"](X_test)';
const scorer = (...lines: readonly string[]) => ({
  cellId: 'scorer',
  index: 3,
  source: [...lines, SCORE].join('\n')
});

function prompt(lines: readonly string[], parts: RequestParts = {}) {
  return metricText(
    visibleRequest(
      makeRequest({ assertions: [], scorer: scorer(...lines), ...parts })
    )
  );
}

describe('what a scorer measures', () => {
  it('contains unit, direction and target, not its source', () => {
    const request = makeRequest({
      scorer: scorer('goal = "min"', 'name = "rmse"', "unit = 'EUR'"),
      hiddenData: ['X_test'],
      options: { targetScore: 4.0000001 }
    });
    const [system, task, ...rest] = buildMessages(request);
    expect(rest).toEqual([]);
    expect(task.content).toContain(
      '\n\nWhat holds the checks is measured by a scorer that you do not see: rmse in EUR; less is better. The target is 4 EUR.'
    );
    for (const hidden of ['X_test', 'def score', 'goal =']) {
      expect(system.content + task.content).not.toContain(hidden);
    }
  });

  it('is empty where nothing is measured', () => {
    expect(metricText(visibleRequest(makeRequest()))).toBe('');
    expect(prompt(['name = "rmse"'], { language: 'r' })).toBe('');
    expect(buildMessages(makeRequest())[1].content).not.toContain('measured');
  });

  it('of a text, and with a target without a unit', () => {
    expect(prompt([], { target: PROSE, options: { targetScore: 0 } })).toBe(
      'The text is measured by a scorer that you do not see: score; more is better. The target is 0.'
    );
  });

  it('has a slot in a prompt of the user’s own', () => {
    const request = makeRequest({
      scorer: scorer(),
      options: { generatorPrompt: '{{task}} / {{metric}}' }
    });
    expect(buildMessages(request)[1].content).toBe(
      'Write fibonacci(n). / What holds the checks is measured by a scorer that you do not see: score; more is better.'
    );
  });
});
