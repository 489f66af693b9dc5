/** @jest-environment node */
import { Questions } from '../questions';

const question = (title: string) => ({
  subject: 'accept' as const,
  title,
  body: '',
  choices: [
    { id: 'no', label: 'No' },
    { id: 'yes', label: 'Yes' }
  ]
});

const forever = new AbortController().signal;

describe('Questions', () => {
  it('shows one at a time, in order, and signals each change', async () => {
    const onChange = jest.fn();
    const questions = new Questions(onChange);
    const first = questions.ask(question('first'), forever);
    const second = questions.ask(question('second'), forever);
    expect(questions.current?.title).toBe('first');
    questions.answer(questions.current!.id, 'yes');
    await expect(first).resolves.toBe('yes');
    expect(questions.current?.title).toBe('second');
    questions.answer(questions.current!.id, 'no');
    await expect(second).resolves.toBe('no');
    expect(questions.current).toBeNull();
    expect(onChange).toHaveBeenCalledTimes(4);
  });

  it('ignores an unknown choice and a question that is gone', () => {
    const questions = new Questions(() => undefined);
    void questions.ask(question('one'), forever);
    const { id } = questions.current!;
    questions.answer(id, 'maybe');
    questions.answer('other', 'yes');
    expect(questions.current?.id).toBe(id);
  });

  it('removes a question when its signal aborts: not a yes', async () => {
    const abort = new AbortController();
    const questions = new Questions(() => undefined);
    const asked = questions.ask(question('one'), abort.signal);
    abort.abort();
    await expect(asked).resolves.toBeNull();
    expect(questions.current).toBeNull();
    await expect(
      questions.ask(question('late'), abort.signal)
    ).resolves.toBeNull();
  });

  it('returns the ticked drafts, without unusable ones', async () => {
    const questions = new Questions(() => undefined);
    const draft = (line: number, problem: string | null) => ({
      line,
      source: `assert ${line}`,
      problem
    });
    const asked = questions.askForMore(
      {
        ...question('one'),
        drafts: [
          draft(1, null),
          draft(2, 'It checks nothing.'),
          draft(3, null)
        ],
        choices: [
          { id: 'approve', label: 'Approve', takesDrafts: true },
          { id: 'no', label: 'Dismiss' }
        ]
      },
      forever
    );
    const { id } = questions.current!;
    questions.answer(id, 'approve', { lines: [2] });
    expect(questions.current?.id).toBe(id);
    questions.answer(id, 'approve', { lines: [3, 2] });
    await expect(asked).resolves.toEqual({
      choice: 'approve',
      text: '',
      lines: [3]
    });
  });
});
