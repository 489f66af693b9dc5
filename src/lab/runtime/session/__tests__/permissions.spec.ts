/** @jest-environment node */
import { nullTranslator } from '@jupyterlab/translation';
import type {
  AssertionResult,
  Execution
} from '../../../../core/domain/execution';
import type { ExecutionJob, IExecutor } from '../../../../core/domain/executor';
import { Permissions, subjectOf } from '../permissions';
import { Questions } from '../../questions';

const job = { allowNetwork: false, allowWrites: false } as ExecutionJob;

function setUp(execution: Partial<Execution>) {
  const run = jest.fn().mockResolvedValue({
    status: 'completed',
    assertions: [{ outcome: 'failed' } as AssertionResult],
    denied: [],
    ...execution
  });
  const abort = new AbortController();
  const questions = new Questions(() => undefined);
  const onAnswer = jest.fn();
  const executor = new Permissions({
    questions,
    trans: nullTranslator.load('jupyterlab_refine'),
    signal: abort.signal,
    attempt: () => 2,
    onAnswer
  }).over({ run } as unknown as IExecutor);
  const once = () => executor.run(job, () => undefined, abort.signal);
  return { abort, onAnswer, once, questions, run };
}

/** The answer has reached who asked. */
const answered = () => new Promise(resolve => setImmediate(resolve));

const network = { denied: ['tried to reach api.example.org:443'] };

describe('Permissions', () => {
  it('asks after a denial, and opens later runs when allowed', async () => {
    const { onAnswer, once, questions, run } = setUp(network);
    await once();
    expect(questions.current).toMatchObject({
      subject: 'network',
      title: 'Attempt 2 tried to reach api.example.org:443',
      choices: [{ id: 'block' }, { id: 'allow' }]
    });
    questions.answer(questions.current!.id, 'allow');
    await answered();
    await once();
    expect(run.mock.calls.map(([ran]) => ran)).toEqual([
      job,
      { ...job, allowNetwork: true }
    ]);
    expect(onAnswer).toHaveBeenCalledWith('network', true);
  });

  it('asks once for each subject; a denial stays blocked', async () => {
    const { once, questions, run } = setUp({
      denied: [...network.denied, 'tried to write /etc/hosts', 'tried to kill']
    });
    await once();
    expect(questions.current?.subject).toBe('network');
    questions.answer(questions.current!.id, 'block');
    expect(questions.current?.subject).toBe('writes');
    questions.answer(questions.current!.id, 'block');
    await answered();
    await once();
    expect(questions.current).toBeNull();
    expect(run).toHaveBeenLastCalledWith(
      job,
      expect.anything(),
      expect.anything()
    );
  });

  it('does not ask about what did not hurt', async () => {
    const { once, questions } = setUp({
      ...network,
      assertions: [{ outcome: 'passed' } as AssertionResult]
    });
    await once();
    expect(questions.current).toBeNull();
  });

  it('takes the question away with the session', async () => {
    const { abort, onAnswer, once, questions } = setUp(network);
    await once();
    abort.abort();
    await answered();
    expect(questions.current).toBeNull();
    expect(onAnswer).not.toHaveBeenCalled();
  });

  it('knows the two subjects by their words', () => {
    expect(subjectOf('tried to reach a:1')).toBe('network');
    expect(subjectOf('tried to write /a')).toBe('writes');
    expect(subjectOf('tried something')).toBeNull();
  });
});
