/** Answers that were recorded before: what `bench --recorded` judges without a model. */
import * as z from 'zod';
import { fenced } from '../../core/text/fence';
import type { ILanguageModel, ModelEvent } from '../../core/domain/model';
import { RefineError } from '../../core/errors';
import { lineError, parsed, readLines, type Task } from './tasks';

/** The programs of a task, in their order, by the id of the task. */
export type Answers = ReadonlyMap<string, readonly string[]>;

const answerSchema = z.object({
  task_id: z.union([z.string().min(1), z.number()]),
  /** Programs of one session: the first answer, then its repairs. */
  attempts: z.array(z.string()).min(1).optional(),
  /** A whole program. */
  solution: z.string().optional(),
  /** What follows the prompt of HumanEval; a whole program for MBPP. */
  completion: z.string().optional()
});

/**
 * @throws RefineError kind `input` naming the file, the line and the field.
 */
export function readAnswers(path: string, tasks: readonly Task[]): Answers {
  const find = finder(tasks);
  const answers = new Map<string, readonly string[]>();
  const found = readLines(path, (value, fail) =>
    parsed(answerSchema, value, fail)
  );
  for (const { value, line } of found) {
    const fail = (what: string) => {
      throw lineError(path, line, what);
    };
    const { task_id, attempts, solution, completion } = value;
    const [task, another] = find(String(task_id));
    if (!task) {
      return fail(`task_id: there is no task ${task_id}.`);
    }
    if (another) {
      return fail(
        `task_id: ${task_id} matches ${task.id} and ${another.id}. Use the full id.`
      );
    }
    const given = [attempts, solution, completion].filter(
      one => one !== undefined
    );
    if (given.length !== 1) {
      return fail(
        'it must have one of the fields attempts, solution and completion.'
      );
    }
    if (answers.has(task.id)) {
      return fail(
        `task_id: ${task_id} has answers in a line above. Give each task one line: several samples of a task are not judged together.`
      );
    }
    answers.set(
      task.id,
      attempts ?? [solution ?? task.stub + (completion ?? '')]
    );
  }
  if (answers.size === 0) {
    throw new RefineError('input', `--recorded ${path} has no answers.`);
  }
  return answers;
}

/** The solutions of the tasks themselves. */
export function references(tasks: readonly Task[]): Answers {
  return new Map(
    tasks.flatMap(({ id, reference }) =>
      reference === null ? [] : [[id, [reference]] as const]
    )
  );
}

/** Finds the task with an id, else those with its number: files name the same task in both ways. */
function finder(tasks: readonly Task[]): (id: string) => readonly Task[] {
  const byId = new Map(tasks.map(task => [task.id, task]));
  const byNumber = new Map<string, Task[]>();
  for (const task of tasks) {
    const same = byNumber.get(bare(task.id)) ?? [];
    byNumber.set(bare(task.id), [...same, task]);
  }
  return id => {
    const task = byId.get(id);
    const same = task ? [task] : (byNumber.get(bare(id)) ?? []);
    // `MBPP/1` is not in another set of tasks, but may be the plain `1`.
    const plain = same.filter(one => bare(one.id) === one.id);
    return id !== bare(id) && plain.length > 0 ? plain : same;
  };
}

/** `24` for `MBPP/24`. */
function bare(id: string): string {
  return id.slice(id.lastIndexOf('/') + 1);
}

/** Gives each of the programs once, as a model would answer. */
export class RecordedAnswers implements ILanguageModel {
  constructor(
    answers: readonly string[],
    readonly identity: ILanguageModel['identity']
  ) {
    // Who gave no code and is asked for it again gives none.
    this._left = answers.flatMap(code => (code.trim() ? [code] : [code, code]));
  }

  async *generate(): AsyncGenerator<ModelEvent> {
    const code = this._left.shift();
    if (code === undefined) {
      throw new RefineError('model', 'There is no further recorded answer.', {
        code: 'bad-request'
      });
    }
    yield { type: 'text', text: `${fenced(code, 'python')}\n` };
    yield {
      type: 'end',
      finishReason: 'stop',
      usage: {
        calls: 1,
        promptTokens: 0,
        completionTokens: 0,
        estimated: false,
        cost: 0
      }
    };
    await Promise.resolve();
  }

  private readonly _left: string[];
}
