/** Tasks of a benchmark, read from JSONL in the form of MBPP or HumanEval. */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import * as z from 'zod';
import { RefineError } from '../../core/errors';
import { fileProblem } from '../files/fileProblem';

export type Task = {
  /** As the file has it: `MBPP/24`, `24`, `HumanEval/0`. */
  readonly id: string;
  /** What the model is asked for. */
  readonly prompt: string;
  /** What the cell holds at first: the signature and the docstring of HumanEval; empty for MBPP. */
  readonly stub: string;
  /** Runs after the candidate, and raises unless the task is solved. */
  readonly checks: string;
  /** The solution of the file; null where it has none. */
  readonly reference: string | null;
};

const identifier = z.union([z.string().min(1), z.number()]);

const mbppSchema = z
  .object({
    task_id: identifier,
    /** `prompt` in the sanitized MBPP. */
    text: z.string().optional(),
    prompt: z.string().optional(),
    code: z.string().optional(),
    test_setup_code: z.string().optional(),
    test_imports: z.array(z.string()).optional(),
    test_list: z.array(z.string()).min(1)
  })
  .refine(({ text, prompt }) => (text ?? prompt ?? '').trim() !== '', {
    path: ['text'],
    message: 'it must have the text of the task'
  });

const humanEvalSchema = z.object({
  task_id: identifier,
  prompt: z.string().min(1),
  entry_point: z.string().min(1),
  canonical_solution: z.string().optional(),
  test: z.string().min(1)
});

const HUMAN_EVAL_PROMPT =
  'Complete the function {name} of the cell as its docstring says. Keep the signature and the imports.';

/**
 * @param path - JSON lines, also compressed with gzip.
 * @throws RefineError kind `input` naming the file, the line and the field.
 */
export function readTasks(path: string): readonly Task[] {
  const tasks = readLines(path, taskOf);
  const lines = new Map<string, number>();
  for (const { value, line } of tasks) {
    const before = lines.get(value.id);
    if (before !== undefined) {
      throw lineError(
        path,
        line,
        `task_id: ${value.id} is also the task of line ${before}.`
      );
    }
    lines.set(value.id, line);
  }
  if (tasks.length === 0) {
    throw new RefineError('input', `${path} has no tasks.`);
  }
  return tasks.map(({ value }) => value);
}

type Report = (field: string, why: string) => never;

function taskOf(value: unknown, fail: Report): Task {
  const fields = Object.keys(value as object);
  if (fields.includes('test_list')) {
    const task = parsed(mbppSchema, value, fail);
    const { test_setup_code = '', test_imports = [], test_list } = task;
    return {
      id: String(task.task_id),
      prompt: (task.text ?? task.prompt ?? '').trim(),
      stub: '',
      checks: lines([...test_imports, test_setup_code, ...test_list]),
      reference: task.code === undefined ? null : lines([task.code])
    };
  }
  if (fields.includes('entry_point')) {
    const task = parsed(humanEvalSchema, value, fail);
    const { prompt, entry_point, canonical_solution, test } = task;
    return {
      id: String(task.task_id),
      prompt: HUMAN_EVAL_PROMPT.replace('{name}', entry_point),
      stub: lines([prompt]),
      checks: lines([test, `check(${entry_point})`]),
      reference:
        canonical_solution === undefined
          ? null
          : lines([prompt + canonical_solution])
    };
  }
  return fail(
    '',
    'not a task. A task of MBPP has the field test_list, one of HumanEval the fields entry_point and test.'
  );
}

/** Without the empty ones, and with one kind of line end. */
function lines(parts: readonly string[]): string {
  return parts
    .map(part => part.replace(/\r\n?/g, '\n'))
    .filter(part => part.trim() !== '')
    .join('\n');
}

/** The value, or an error with the path of the field that is wrong. */
export function parsed<T>(
  schema: z.ZodType<T>,
  value: unknown,
  fail: Report
): T {
  const result = schema.safeParse(value);
  if (result.success) {
    return result.data;
  }
  const [issue] = result.error.issues;
  const field = (issue?.path ?? [])
    .map((part, at) =>
      typeof part === 'number' ? `[${part}]` : `${at ? '.' : ''}${String(part)}`
    )
    .join('');
  const why = issue?.message ?? 'it cannot be read';
  return fail(field, `${why.replace(/^Invalid input: /, '')}.`);
}

/**
 * Each line that is not blank, parsed as a JSON object and read by `read`.
 *
 * @throws RefineError kind `input` naming the file, the line and the field.
 */
export function readLines<T>(
  path: string,
  read: (value: unknown, fail: Report) => T
): readonly { readonly value: T; readonly line: number }[] {
  return readText(path)
    .split('\n')
    .flatMap((text, at) => {
      if (text.trim() === '') {
        return [];
      }
      const line = at + 1;
      const value = read(objectOf(text, path, line), (field, why) => {
        throw lineError(path, line, field === '' ? why : `${field}: ${why}`);
      });
      return [{ value, line }];
    });
}

function objectOf(text: string, path: string, line: number): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw lineError(path, line, `not valid JSON: ${why}`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw lineError(path, line, 'not a JSON object.');
  }
  return value;
}

function readText(path: string): string {
  try {
    const data = readFileSync(path);
    const isCompressed = data[0] === 0x1f && data[1] === 0x8b;
    return (isCompressed ? gunzipSync(data) : data)
      .toString('utf8')
      .replace(/^\ufeff/, '');
  } catch (cause) {
    throw new RefineError('input', `${path}: ${fileProblem(cause)}`, { cause });
  }
}

export function lineError(
  path: string,
  line: number,
  what: string
): RefineError {
  return new RefineError('input', `${path}, line ${line}: ${what}`);
}
