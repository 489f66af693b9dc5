/** A session as a notebook of its own: each attempt a heading and its code, with what it printed, showed and raised. */
import { countPassed } from '../core/domain/execution';
import type { AttemptState, SessionState } from '../core/events/state';

type NotebookCell =
  | {
      readonly cell_type: 'markdown' | 'raw';
      readonly id: string;
      readonly metadata: object;
      readonly source: string;
    }
  | {
      readonly cell_type: 'code';
      readonly id: string;
      readonly metadata: object;
      readonly source: string;
      readonly execution_count: null;
      readonly outputs: readonly object[];
    };

/** The words of it, in the user's language. */
export type SessionWords = {
  readonly title: string;
  /** `Attempt 2: 3 of 4` */
  readonly attempt: (
    number: number,
    counts: { readonly passed: number; readonly total: number }
  ) => string;
};

/** Forms that load nothing when the notebook is opened; others keep their plain text alone. */
const CLOSED = ['image/png', 'image/jpeg', 'image/gif', 'text/plain'];

/**
 * nbformat 4.5. Hold-outs are in no attempt, so none of their text is in it. Nobody has accepted the
 * attempts: texts are raw cells, and no output can load anything when the notebook is opened.
 *
 * @param metadata - of the notebook that was refined: kernel and language.
 */
export function sessionNotebook(
  session: SessionState,
  metadata: object,
  words: SessionWords
): object {
  const { request, attempts } = session;
  const cells: NotebookCell[] = [
    markdown('session', `# ${words.title}\n\n${request?.prompt ?? ''}`.trim())
  ];
  const isCode = request?.target.kind !== 'markdown';
  for (const attempt of attempts) {
    const { attempt: number, title, code } = attempt;
    const heading = words.attempt(number, countPassed(attempt.assertions));
    const reasons = (attempt.verdict?.reasons ?? []).map(r => `- ${inline(r)}`);
    cells.push(
      markdown(
        `about-${number}`,
        [`## ${heading}`, inline(title), reasons.join('\n')]
          .filter(part => part !== '')
          .join('\n\n')
      )
    );
    if (code !== '') {
      cells.push(
        isCode ? codeCell(attempt) : textCell('raw', `attempt-${number}`, code)
      );
    }
  }
  return { nbformat: 4, nbformat_minor: 5, metadata, cells };
}

function markdown(id: string, source: string): NotebookCell {
  return textCell('markdown', id, source);
}

function textCell(
  cell_type: 'markdown' | 'raw',
  id: string,
  source: string
): NotebookCell {
  return { cell_type, id, metadata: {}, source };
}

function codeCell({ attempt, code, execution }: AttemptState): NotebookCell {
  const { stdout = '', stderr = '', displays = [], error } = execution ?? {};
  const stream = (name: string, text: string) =>
    text === '' ? [] : [{ output_type: 'stream', name, text }];
  return {
    cell_type: 'code',
    id: `attempt-${attempt}`,
    metadata: {},
    source: code,
    execution_count: null,
    outputs: [
      ...stream('stdout', stdout),
      ...stream('stderr', stderr),
      ...displays
        .filter(({ leftOut }) => leftOut === undefined)
        .map(({ mime, data, text }) => ({
          output_type: 'display_data',
          metadata: {},
          data: {
            ...(CLOSED.includes(mime)
              ? { [mime]: data }
              : { 'text/plain': `(${mime} left out)` }),
            ...(text === undefined ? {} : { 'text/plain': text })
          }
        })),
      ...(error
        ? [
            {
              output_type: 'error',
              ename: error.name,
              evalue: error.message,
              traceback: error.traceback.split('\n')
            }
          ]
        : [])
    ]
  };
}

/** Text of a model or kernel as text: no HTML, image or heading comes of it. */
function inline(text: string): string {
  return text
    .replace(/[\\`*_{}[\]<>()#!|]/g, '\\$&')
    .replace(/\s+/g, ' ')
    .trim();
}
