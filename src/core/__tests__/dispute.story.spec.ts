/** A model objects to a check: what counts, how the session ends, and how it goes on. */
import { FakeExecutor, fakeAssertion } from '../../testing/fakeExecutor';
import { NO_USAGE } from '../domain/model';
import type { ExecutionJob } from '../domain/executor';
import type { RefineRequest } from '../domain/request';
import type { AssertionResult, Execution } from '../domain/execution';
import { refine } from '../loop';
import type { SessionState } from '../events/state';
import { checkCell, makeRequest, PROSE, type RequestParts } from './requests';
import { answer, deps, drain, model, run } from './sessions';

const CHECKS = ['assert f(1) == 1', 'assert f(2) == 5', 'assert f(3) == 3'];

const request = (parts: RequestParts = {}): RefineRequest =>
  makeRequest({
    prompt: 'Write f(n), which returns n.',
    assertions: [checkCell(CHECKS.join('\n'), 3)],
    ...parts,
    options: { maxAttempts: 4, ...parts.options }
  });

/** Checks hold whose line the candidate names, and no skipped one runs. */
const executor = (more: Partial<AssertionResult> = {}) =>
  new FakeExecutor((job: ExecutionJob): Partial<Execution> => {
    const lines = job.assertions.flatMap(({ source }) => source.split('\n'));
    return {
      assertions: lines.flatMap((source, i) =>
        source.startsWith('assert')
          ? [
              fakeAssertion({
                line: i + 1,
                source,
                ...(job.candidate.includes(String(i + 1))
                  ? { outcome: 'passed' }
                  : {
                      outcome: 'failed',
                      expected: { expression: '5', type: 'int', repr: '5' },
                      observed: { expression: 'f', type: 'int', repr: '2' },
                      ...more
                    })
              })
            ]
          : []
      )
    };
  });

const objection = (
  check: number | string,
  reason = 'The task says f(2) is 2.'
) => `\`\`\`dispute\ncheck: ${check}\nreason: ${reason}\n\`\`\`\n`;

const prompts = (generator: ReturnType<typeof model>) =>
  generator.requests.map(({ messages }) =>
    messages.map(({ role, content }) => `[${role}]\n${content}`).join('\n\n')
  );

const disputes = (state: SessionState) =>
  state.attempts.map(({ dispute }) => dispute?.number ?? null);

function goOn(
  first: { readonly state: SessionState },
  parts: RequestParts,
  generator: ReturnType<typeof model>
) {
  const own = deps({ generator, executor: executor() });
  return drain(
    refine(request(parts), own, first.state),
    undefined,
    first.state
  );
}

describe('an objection to a check', () => {
  it('ends the session as disputed, with the check and the best candidate', async () => {
    const generator = model(
      answer('holds 1 3'),
      `I cannot do both.\n\n${objection(2)}`
    );
    const { outcome, state } = await run(request(), {
      generator,
      executor: executor()
    });
    expect(outcome).toMatchObject({
      passed: false,
      stopReason: 'disputed',
      attempts: 2,
      best: { attempt: 1, passed: 2, total: 3 },
      dispute: {
        attempt: 2,
        number: 2,
        reason: 'The task says f(2) is 2.',
        check: { cellId: 'check', index: 2, line: 2, source: CHECKS[1] },
        given: {
          attempt: 1,
          result: { line: 2, expected: { repr: '5' }, observed: { repr: '2' } }
        }
      }
    });
    expect(state.attempts[1]).toMatchObject({
      code: '',
      thoughts: 'I cannot do both.',
      failure: {
        code: 'disputed',
        message: 'Objects to check 2: The task says f(2) is 2.'
      }
    });
  });

  it('needs no candidate before it', async () => {
    const { outcome } = await run(request(), {
      generator: model(objection(2)),
      executor: executor()
    });
    expect(outcome).toMatchObject({ stopReason: 'disputed', best: null });
    expect(outcome.dispute).not.toHaveProperty('given');
  });

  it('is void where the code beside it passes', async () => {
    const { outcome, state } = await run(request(), {
      generator: model(objection(2) + answer('holds 1 2 3')),
      executor: executor()
    });
    expect(outcome).toMatchObject({ passed: true, stopReason: 'passed' });
    expect(outcome).not.toHaveProperty('dispute');
    expect(disputes(state)).toEqual([null]);
  });

  it('counts where the code beside it fails exactly there', async () => {
    const { outcome } = await run(request(), {
      generator: model(objection(2) + answer('holds 1 3')),
      executor: executor()
    });
    expect(outcome).toMatchObject({
      stopReason: 'disputed',
      dispute: { attempt: 1, given: { attempt: 1 } }
    });
  });

  it('does not count where the code fails elsewhere', async () => {
    const generator = model(
      objection(2) + answer('holds 1'),
      answer('holds 1 2 3')
    );
    const { outcome, state } = await run(request(), {
      generator,
      executor: executor()
    });
    expect(outcome.passed).toBe(true);
    expect(disputes(state)).toEqual([null, null]);
    expect(prompts(generator)[1]).not.toContain('The task says');
  });

  it('counts beside a program that was run before', async () => {
    const { outcome, state } = await run(request(), {
      generator: model(answer('holds 1 3'), objection(2) + answer('holds 1 3')),
      executor: executor()
    });
    expect(outcome.stopReason).toBe('disputed');
    expect(state.attempts[1].repeatOf).toBe(1);
  });

  it.each([
    ['without a reason', objection(2, '')],
    ['without a number', objection('the second')],
    [
      'cut off',
      [
        { type: 'text' as const, text: objection(2) },
        {
          type: 'end' as const,
          finishReason: 'length' as const,
          usage: NO_USAGE
        }
      ]
    ],
    ['in thinking', `<think>\n${objection(2)}</think>\nNo.`]
  ])('%s is prose', async (_, text) => {
    const { outcome, state } = await run(request(), {
      generator: model(text, answer('holds 1 2 3')),
      executor: executor()
    });
    expect(outcome.passed).toBe(true);
    expect(disputes(state).every(number => number === null)).toBe(true);
  });

  it('is offered once, when two programs gave the same at one check alone', async () => {
    const offer = /gave the same at `assert f\(2\) == 5`[^]*check: 2\nreason/;
    const generator = model(
      answer('holds 1 3'),
      answer('again holds 1 3'),
      answer('and again holds 1 3'),
      answer('holds 1 2 3')
    );
    await run(request(), { generator, executor: executor() });
    expect(prompts(generator).map(prompt => offer.test(prompt))).toEqual([
      false,
      false,
      true,
      false
    ]);
    expect(prompts(generator)[0]).not.toContain('dispute');
  });

  it('is not offered where the programs raise an error there', async () => {
    const error = { name: 'ValueError', message: 'x', traceback: '' };
    const generator = model(
      ...['', 'again ', 'and again '].map(text => answer(`${text}holds 1 3`))
    );
    await run(request({ options: { maxAttempts: 3 } }), {
      generator,
      executor: executor({
        outcome: 'error',
        error: { ...error, candidateLine: 1 }
      })
    });
    expect(generator.requests).toHaveLength(3);
    expect(prompts(generator).join()).not.toContain('dispute');
  });

  it('of a text with checks leaves no text', async () => {
    const generator = model(`Two checks clash.\n\n${objection(2)}`);
    const { outcome, state } = await run(request({ target: PROSE }), {
      generator,
      executor: executor()
    });
    expect(outcome).toMatchObject({ stopReason: 'disputed', best: null });
    expect(state.attempts[0]).toMatchObject({
      code: '',
      thoughts: 'Two checks clash.'
    });
    const unchecked = model('A text.\n\n' + objection(2));
    const other = await run(request({ target: PROSE, assertions: [] }), {
      generator: unchecked,
      executor: executor()
    });
    expect(other.state.attempts[0].code).toContain('check: 2');
  });

  it('is bounded, on one line, and cannot close its fence', async () => {
    const reason = `It says\n~~~\n${Array.from({ length: 300 }, (_, i) => `so ${i}`).join(' ')}`;
    const first = await run(request(), {
      generator: model(objection(2, reason)),
      executor: executor()
    });
    expect(first.outcome.dispute!.reason.length).toBeGreaterThan(590);
    expect(first.outcome.dispute!.reason).not.toContain('\n');
  });
});

describe('after an objection', () => {
  const disputed = (generator = model(answer('holds 1 3'), objection(2))) =>
    run(request(), { generator, executor: executor() });
  const right = { rightChecks: [{ cellId: 'check', source: CHECKS[1] }] };

  it('an objection to another check is a new one', async () => {
    const generator = model(objection(3));
    const { outcome } = await goOn(await disputed(), right, generator);
    expect(outcome).toMatchObject({
      stopReason: 'disputed',
      dispute: { attempt: 3, number: 3 }
    });
  });

  it('the user skips the check: the best candidate passes without a call', async () => {
    const generator = model();
    const skipped = [{ ...checkCell(CHECKS.join('\n'), 3), skipped: [2] }];
    const { outcome, state } = await goOn(
      await disputed(),
      { assertions: skipped },
      generator
    );
    expect(generator.requests).toHaveLength(0);
    expect(outcome).toMatchObject({
      passed: true,
      stopReason: 'passed',
      best: { attempt: 3, passed: 2, total: 2 }
    });
    expect(state.attempts[2].thoughts).toBe(
      'The code of attempt 1 again, without the skipped check.'
    );
  });

  it('a skipped check is in no later prompt, and numbers stay', async () => {
    const skipped = [{ ...checkCell(CHECKS.join('\n'), 3), skipped: [2] }];
    const generator = model(answer('holds 1 3'));
    const first = await disputed(model(answer('holds 1'), objection(2)));
    const { outcome } = await goOn(first, { assertions: skipped }, generator);
    expect(outcome).toMatchObject({ passed: true, attempts: 4 });
    const [prompt] = prompts(generator);
    expect(prompt).toContain('assert f(1) == 1\npass\nassert f(3) == 3\n');
  });

  it('a session whose only check is skipped is not checked', async () => {
    const only = checkCell('assert f(2) == 5', 1);
    const first = await run(request({ assertions: [only] }), {
      generator: model(objection(1)),
      executor: executor()
    });
    const { outcome, state } = await goOn(
      first,
      { assertions: [{ ...only, skipped: [1] }] },
      model(answer('x = 1'))
    );
    expect(outcome).toMatchObject({ passed: false, stopReason: 'no-checks' });
    expect(state.warnings).toEqual([]);
  });
});
