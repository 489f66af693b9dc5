/** What a prompt says of the attempts before it. */
import { cutLine } from './cut';
import type { ChatMessage } from './model';
import type { AttemptState, SessionState } from './state';

/** An attempt as prompts remember it. */
export type RememberedAttempt = {
  /** 0 is what the cell held at the start. */
  readonly attempt: number;
  readonly code: string;
  readonly thoughts: string;
  /** What it is told of the attempt; empty when there is nothing to tell. */
  readonly feedback: string;
  /** One line for the digest. */
  readonly title: string;
  readonly score: number | null;
  /** Hints that came after the attempt before it. */
  readonly hints: readonly string[];
};

export type PromptMemory = {
  /** In order of number. */
  readonly attempts: readonly RememberedAttempt[];
  /** Number of the best one. */
  readonly best: number | null;
  /** All hints of the session, oldest first. */
  readonly hints: readonly string[];
};

export const EMPTY_MEMORY: PromptMemory = {
  attempts: [],
  best: null,
  hints: []
};

/** The memory that a session has of itself. */
export function memoryOf(state: SessionState): PromptMemory {
  return {
    attempts: state.attempts.filter(isTold).map(remember),
    best: state.best,
    hints: state.hints
  };
}

/** An attempt that a stop cut off has nothing to tell. */
function isTold(attempt: AttemptState): boolean {
  const code = attempt.failure?.code;
  return (
    attempt.phase === 'ended' &&
    (code === undefined || code === 'no-code' || code === 'truncated')
  );
}

function remember(attempt: AttemptState): RememberedAttempt {
  return {
    attempt: attempt.attempt,
    code: attempt.code,
    thoughts: attempt.thoughts,
    feedback: attempt.feedback?.text ?? '',
    title: attempt.title,
    score: attempt.verdict?.score ?? null,
    hints: attempt.hints ?? []
  };
}

const AGAIN = 'Answer as before: a short thought, then the complete cell.';

/**
 * The messages of an attempt after `prefix`: what is told of the cell as it was
 * joins the task; then the best and the last candidate as the model's own
 * answers, each with its feedback; a line for each other attempt; the hints.
 * Roles alternate, as some chat templates demand.
 */
export function assembleMemory(
  prefix: readonly ChatMessage[],
  memory: PromptMemory,
  show: (code: string) => string
): readonly ChatMessage[] {
  const start = memory.attempts.find(a => a.attempt === 0);
  const made = memory.attempts.filter(a => a.attempt > 0);
  const last = made[made.length - 1];
  const best = made.find(a => a.attempt === memory.best && a !== last);
  const turns: ChatMessage[] = withStart(prefix, start);
  if (!last) {
    return hinted(turns, hintLines(memory.hints));
  }
  const told = [best, last].filter(a => a !== undefined);
  for (const attempt of told) {
    turns.push(
      { role: 'assistant', content: answerText(attempt, show) },
      { role: 'user', content: feedbackText(attempt, attempt === best) }
    );
  }
  const others = made.filter(a => !told.includes(a));
  return hinted(turns, [...digest(others), ...hintLines(memory.hints), AGAIN]);
}

function withStart(
  prefix: readonly ChatMessage[],
  start: RememberedAttempt | undefined
): ChatMessage[] {
  return start && start.feedback !== ''
    ? hinted(prefix, [`# What the cell gives now\n\n${start.feedback}`])
    : [...prefix];
}

/** `turns` with more paragraphs at the end of the last one. */
function hinted(
  turns: readonly ChatMessage[],
  paragraphs: readonly string[]
): ChatMessage[] {
  const last = turns[turns.length - 1];
  return [
    ...turns.slice(0, -1),
    { ...last, content: [last.content, ...paragraphs].join('\n\n') }
  ];
}

function answerText(
  attempt: RememberedAttempt,
  show: (code: string) => string
): string {
  const thought = cutLine(attempt.thoughts, 600);
  return attempt.code === ''
    ? thought || '(no code)'
    : [thought, show(attempt.code)].filter(part => part !== '').join('\n\n');
}

function feedbackText(attempt: RememberedAttempt, best: boolean): string {
  const head = best ? 'This is the best attempt so far.\n\n' : '';
  return head + (attempt.feedback || 'It did not pass.');
}

function digest(others: readonly RememberedAttempt[]): string[] {
  return others.length === 0
    ? []
    : [
        'Other attempts so far, which did not pass either:\n' +
          others
            .map(a => `- attempt ${a.attempt}: ${cutLine(a.title, 120)}`)
            .join('\n')
      ];
}

function hintLines(hints: readonly string[]): string[] {
  return hints.length === 0
    ? []
    : ['Hints from the user:\n' + hints.map(hint => `- ${hint}`).join('\n')];
}
