/** What a prompt says of the attempts before it. */
import { cutLine, newestWithin } from '../text/cut';
import { formatMetric } from '../domain/verdict';
import type { Objection } from '../domain/outcome';
import { answerToDispute, disputableCheck } from '../events/disputes';
import { thoughtTitle } from '../events/title';
import { refinedText } from '../part/part';
import { isUnwritten } from '../python/placeholders';
import { DISPUTE } from '../parse/blocks';
import {
  keepsThoughts,
  memoryStyle,
  type MemoryStyle
} from '../domain/workflow';
import { fenced, joined } from '../text/markdown';
import type { AttemptState, SessionState } from '../events/state';
import {
  countPassed,
  failedAssertions,
  type ExecutionError
} from '../domain/execution';
import { errorLine } from '../feedback/parts';
import type { ContextValues } from '../settings';
import { visibleAttempt, type VisibleRequest } from '../domain/visible';
import { lastRestart, raisedBy } from '../attempt/turns';

type RememberedAttempt = ReturnType<typeof remember>;

export type PromptMemory = ReturnType<typeof memoryOf>;

/** Characters that the attempts before may take in a prompt. */
const MEMORY_LIMIT = 64000;

/** The memory that a session has of itself. */
export function memoryOf(state: SessionState) {
  const since = lastRestart(state);
  return {
    /** In order of number. */
    attempts: state.attempts
      .filter(isReported)
      .map(attempt => remember(attempt, state)),
    /** Number of the best one. */
    best: state.best,
    /** What the programs raised, oldest first. */
    errors: state.attempts
      .filter(({ attempt }) => attempt > 0)
      .flatMap(attempt => raisedBy(attempt) ?? []),
    /** All hints of the session, oldest first. */
    hints: state.hints,
    /** Attempts before this number take one line each: a fresh start. */
    since,
    /** The attempt that those after number `after` refine, chosen by the user. */
    base: state.base && state.base.after >= since ? state.base : undefined,
    /** It wrote the cell of the start again: a fresh start shows what that defines, not how. */
    copied: since > 0 && copiesStart(state),
    /** A check that the model may object to. */
    disputable: disputableCheck(state)
  };
}

/** Where the cell itself is what the user speaks of, it stays. */
function copiesStart({
  request,
  attempts,
  hints,
  base
}: SessionState): boolean {
  return (
    request !== null &&
    hints.length === 0 &&
    base === undefined &&
    !request.part &&
    !request.repair &&
    !request.followUp &&
    (request.prompt.trim() !== '' || request.assertions.length > 0) &&
    attempts.some(({ attempt, repeatOf }) => attempt > 0 && repeatOf === 0)
  );
}

/** Of what the model wrote itself. */
const REPORTED_FAILURES = ['no-code', 'truncated', 'gap', 'disputed'];

/** An attempt that a stop cut off has nothing to report. */
function isReported(attempt: AttemptState): boolean {
  const code = attempt.failure?.code;
  return (
    attempt.phase === 'ended' &&
    (code === undefined || REPORTED_FAILURES.includes(code))
  );
}

/** An attempt as prompts report it. */
function remember(attempt: AttemptState, state: SessionState) {
  const { request } = state;
  const { dispute, thoughts, editedFrom } = attempt;
  const answer = answerToDispute(attempt, request);
  return {
    /** 0 is what the cell held at the start. */
    attempt: attempt.attempt,
    code: request ? refinedText(request, attempt.code) : attempt.code,
    thoughts,
    feedback: joined([attempt.feedback?.text ?? '', answer]),
    /** One line for the digest. */
    title: titleOf(attempt),
    /** What its checks gave: `0 of 3, fails f(1) == 2`; empty without checks. */
    outcome: joined([answer.replace(/\.$/, ''), outcomeOf(attempt)], ', '),
    /** The user wrote its code, from that of this attempt. */
    editedFrom,
    /** Prompts say what it gave, and do not show it. */
    unshown: isBetterUnquoted(attempt, state),
    /** Its objection to a check, as the block that it was. */
    objection: dispute ? objectionText(dispute) : ''
  };
}

/** Lines of a program that is written as easily anew as corrected. */
const SHORT = 15;

/**
 * It is short, it raised an error or some check does not hold, and the cell is still to be
 * written or no check holds: a small model that sees such a program writes it again
 * (docs/benchmarks.md), and a large one needs no copy of a few lines. One that
 * somebody has spoken of is shown: a user, a reviewer, or the model in its thoughts
 * or its objection.
 */
function isBetterUnquoted(
  attempt: AttemptState,
  { request, hints, base }: SessionState
): boolean {
  const { execution } = visibleAttempt(attempt);
  const { passed, total } = countPassed(execution?.assertions ?? []);
  const lines = attempt.code.split('\n').filter(line => line.trim() !== '');
  return (
    request !== null &&
    passed < total &&
    lines.length <= SHORT &&
    (isUnwritten(request.target, request.language) ||
      (passed === 0 && !execution?.error)) &&
    hints.length === 0 &&
    base === undefined &&
    attempt.editedFrom === undefined &&
    !attempt.dispute &&
    request.options.feedback !== 'summary' &&
    !keepsThoughts(request.options)
  );
}

function objectionText({ number, reason }: Objection): string {
  return fenced(`check: ${number}\nreason: ${reason}`, DISPUTE);
}

/** The model's thoughts or why nothing ran, after the value where there is one: it says how far each way went. */
function titleOf({ thoughts, failure, verdict }: AttemptState): string {
  const title = thoughtTitle(thoughts) || (failure?.message ?? '');
  const { metric } = verdict ?? {};
  return metric
    ? joined([`${metric.name} ${formatMetric(metric)}`, title], ': ')
    : title;
}

/** Of the visible checks, and of a judge that wants more. */
function outcomeOf(attempt: AttemptState): string {
  const { execution, holdoutFailed, verdicts } = visibleAttempt(attempt);
  const asks = verdicts.some(
    ({ evaluator, evaluation }) =>
      evaluator === 'judge' &&
      (evaluation === 'needs-improvement' || evaluation === 'fail')
  );
  const assertions = execution?.assertions ?? [];
  const { passed, total } = countPassed(assertions);
  const [failed] = failedAssertions({ assertions });
  const error = execution?.error?.name;
  return error !== undefined
    ? `${total === 0 ? '' : `${passed} of ${total}, `}raises ${cutLine(error, 100)}`
    : total === 0
      ? asks
        ? 'a reviewer asks for changes'
        : ''
      : failed
        ? `${passed} of ${total}, fails ${cutLine(failed.source.replace(/^assert\s+/, ''), 100)}`
        : `${passed} of ${total}${holdoutFailed ? ', fails a check that is not shown' : ''}${asks ? ', a reviewer asks for changes' : ''}`;
}

/**
 * What stands below the task: the feedback on the cell as it was, the attempts that
 * the workflow shows with theirs, a line for each other attempt, and the hints.
 * Attempts are quoted, not sent as the model's own answers: a small model copies those.
 */
export function attemptParagraphs(
  request: VisibleRequest,
  memory: PromptMemory
): {
  readonly paragraphs: readonly string[];
  /** The last attempt whose code they show; null: none. */
  readonly shown: number | null;
} {
  const { base, since } = memory;
  // Of what is only announced it says nothing.
  const isNews =
    request.repair !== undefined ||
    !isUnwritten(request.target, request.language);
  const start =
    isNews && !memory.copied
      ? memory.attempts.find(a => a.attempt === 0)
      : undefined;
  const made = memory.attempts.filter(a => a.attempt > 0);
  const current = made.filter(({ attempt }) =>
    base ? attempt === base.attempt || attempt > base.after : attempt >= since
  );
  const style = memoryStyle(request.options);
  const kept = withinLimit(choose(current, memory, style), request);
  const others = made.filter(a => !kept.includes(a));
  const last = kept.at(-1);
  const paragraphs = [
    start && start.feedback !== ''
      ? `# What the cell gives now\n\n${start.feedback}`
      : '',
    ...kept.flatMap(attempt =>
      attempt.unshown
        ? ['An earlier program was wrong.', feedbackOf(attempt, memory)]
        : [
            attempt !== last && attempt.attempt === memory.best
              ? 'The best so far:'
              : 'This was tried:',
            answerText(attempt, request),
            feedbackOf(attempt, memory)
          ]
    ),
    // A fresh start is fresh: of programs that were wrong it says nothing, of errors what they were.
    last
      ? others.length > 0
        ? `Other attempts so far:\n${digestLines(others)}`
        : ''
      : errorsText(memory.errors, request.options.contextValues),
    hintText(memory.hints),
    wayOut(memory),
    last ? closing(request, last.unshown) : ''
  ].filter(paragraph => paragraph !== '');
  return {
    paragraphs,
    shown: kept.filter(({ unshown }) => !unshown).at(-1)?.attempt ?? null
  };
}

/** What ends each prompt after the first. @param anew - after a candidate that is not shown. */
function closing(
  { target, part, options }: VisibleRequest,
  anew: boolean
): string {
  if (target.kind !== 'code') {
    return anew
      ? 'Write the complete text in another way.'
      : 'Write the complete corrected text.';
  }
  const thoughts = keepsThoughts(options)
    ? ', with your thoughts before it'
    : '';
  return anew
    ? `Write ${part ? 'the lines' : 'the cell'} in another way${thoughts}.`
    : `Do not write the same again: write ${part ? 'lines that are' : 'a cell that is'} right${thoughts}.`;
}

/** Different errors that a fresh start names, the newest. */
const ERRORS_NAMED = 3;

/** The errors alone: a small model writes a line that is quoted again. */
function errorsText(
  errors: readonly ExecutionError[],
  values: ContextValues
): string {
  const lines = errors.map(
    error => `- ${cutLine(errorLine(error, values), 300)}`
  );
  const named = [...new Set(lines)].slice(-ERRORS_NAMED);
  return named.length === 0
    ? ''
    : `Earlier programs raised:\n${named.join('\n')}\n\nWrite one that does not.`;
}

function choose(
  current: readonly RememberedAttempt[],
  { best: number, base }: PromptMemory,
  style: MemoryStyle
): readonly RememberedAttempt[] {
  const last = current.at(-1);
  const best =
    current.find(a => a.attempt === number) ??
    current.find(a => a.attempt === base?.attempt);
  const shows = style === 'best' ? [best ?? last] : [best, last];
  return style === 'all' ? current : current.filter(a => shows.includes(a));
}

/** The newest that fit; the last one always does. */
function withinLimit(
  chosen: readonly RememberedAttempt[],
  request: VisibleRequest
): readonly RememberedAttempt[] {
  const texts = chosen.map(
    attempt => answerText(attempt, request) + attempt.feedback
  );
  const { length } = newestWithin(texts, MEMORY_LIMIT);
  return chosen.slice(chosen.length - length);
}

/** How to object to the check, in a fence whose label is never code. */
function wayOut({ disputable: check }: PromptMemory): string {
  return check
    ? `Two programs gave the same at \`${cutLine(check.source, 200)}\`. If that check contradicts the task or another check, do not special-case it. Object to it: answer with this block and nothing else.\n\n${objectionText({ number: check.number, reason: 'what it contradicts, in one or two sentences' })}`
    : '';
}

/** An earlier answer, as the model is to write one. */
function answerText(
  attempt: RememberedAttempt,
  { target, language, options }: VisibleRequest
): string {
  const isCode = target.kind === 'code';
  const { code, thoughts, objection } = attempt;
  return (
    joined([
      isCode && keepsThoughts(options) ? cutLine(thoughts, 600) : '',
      isCode && code !== '' ? fenced(code, language) : code,
      objection
    ]) || (isCode ? '(no code)' : '(no text)')
  );
}

function feedbackOf(
  { attempt, feedback, editedFrom }: RememberedAttempt,
  { base }: PromptMemory
): string {
  return joined([
    editedFrom === undefined
      ? ''
      : `The user wrote this code, from that of attempt ${editedFrom}. Build on it.`,
    attempt === base?.attempt
      ? 'The user chose this attempt to go on from.'
      : '',
    feedback || 'It did not pass.'
  ]);
}

/** A line for each attempt: number, what its checks gave, title. */
export function digestLines(attempts: readonly RememberedAttempt[]): string {
  return attempts
    .map(({ attempt, outcome, title }) =>
      [`- attempt ${attempt}`, outcome, cutLine(title, 120)]
        .filter(Boolean)
        .join(': ')
    )
    .join('\n');
}

/** Empty where there are none. */
export function hintText(hints: readonly string[]): string {
  const lines = hints.map(hint => `- ${hint}`);
  return lines.length === 0 ? '' : `Hints from the user:\n${lines.join('\n')}`;
}
