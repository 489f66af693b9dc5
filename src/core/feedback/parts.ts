/** Pieces that the feedback strategies put together. */
import { cutLine, cutMiddle } from '../text/cut';
import type { ExecutionError, LocalVariable } from '../domain/execution';
import { fenced, joined } from '../text/markdown';
import type { ContextValues } from '../settings';
import type { FeedbackInput, VisibleExecution } from '../domain/visible';

/** Characters the feedback on one attempt may have. */
export const FEEDBACK_LIMIT = 8000;

const NAME_LIMIT = 100;

/** Errors whose message is about code and not about data. */
const CODE_ERRORS = new Set([
  'NameError',
  'UnboundLocalError',
  'AttributeError',
  'ImportError',
  'ModuleNotFoundError',
  'SyntaxError',
  'IndentationError',
  'TabError',
  'TypeError',
  'RecursionError',
  'NotImplementedError'
]);

/** Feedback on an attempt that had no candidate to run; null when it had one. */
export function failureFeedback({
  attempt: { failure },
  request: { language, target, part }
}: FeedbackInput): string | null {
  const isText = target.kind === 'markdown';
  const whole = part ? 'the new lines' : 'the complete source of the cell';
  switch (failure?.code) {
    case undefined:
      return null;
    case 'truncated':
      return 'The answer was cut off by the token limit before it was complete. Think less and write it shorter.';
    case 'no-code':
    case 'gap':
      return `${failure!.message} Answer with ${isText ? 'the complete text of the cell' : `one fenced block \`\`\`${language} that holds ${whole}`}.`;
    default:
      return `${isText ? 'There is no text' : 'Nothing was run'}: ${failure!.message}`;
  }
}

/**
 * Feedback on what an execution gave: `describe` writes of candidate and
 * assertions; what is said of a hold-out and of conduct is the same everywhere.
 */
export function executionFeedback(
  input: FeedbackInput,
  describe: (execution: VisibleExecution) => readonly string[]
): string {
  const { execution, holdoutFailed } = input.attempt;
  const failure = failureFeedback(input);
  if (failure !== null || execution === null) {
    return failure ?? '';
  }
  return bounded([
    ...describe(execution),
    holdoutFailed
      ? execution.assertions.length > 0
        ? 'All shown checks hold; one that you are not shown fails. Think of cases of the task that the shown checks leave out.'
        : 'A check that you are not shown fails. Think of all cases of the task.'
      : '',
    ...conductText(execution)
  ]);
}

/** `KeyError: 'Region'`; without the message where it may hold data that must not be sent. */
export function errorLine(
  error: ExecutionError,
  values: ContextValues
): string {
  // Code can give its class any name.
  const name = cutLine(error.name, NAME_LIMIT);
  return error.message === '' || (values === 'none' && !CODE_ERRORS.has(name))
    ? name
    : `${name}: ${cutMiddle(error.message, 1000)}`;
}

/** The traceback as a block; only where values may be sent, since it quotes the error's message. */
export function tracebackBlock(
  error: ExecutionError,
  values: ContextValues,
  limit: number
): string {
  return error.traceback.trim() === '' || values === 'none'
    ? errorLine(error, values)
    : fenced(cutMiddle(error.traceback.trim(), limit), 'text');
}

/** Line of the candidate where it was raised, with its text. */
export function raisedAt(error: ExecutionError, candidate: string): string {
  const line = error.candidateLine;
  const text = line === undefined ? '' : candidate.split('\n')[line - 1];
  return line === undefined
    ? ''
    : ` (line ${line} of the cell${text?.trim() ? `: \`${text.trim()}\`` : ''})`;
}

export function localsLine(
  locals: readonly LocalVariable[] | undefined,
  values: ContextValues
): string {
  if (!locals || locals.length === 0 || values === 'none') {
    return '';
  }
  const listed = locals.slice(0, 12).map(local => {
    const type = local.shape ? `${local.type} ${local.shape}` : local.type;
    return local.repr !== undefined && values === 'samples'
      ? `${local.name} = ${cutMiddle(local.repr, 160)} (${type})`
      : `${local.name}: ${type}`;
  });
  return `Locals there: ${listed.join('; ')}`;
}

/** How far an execution came, when it was ended from outside. */
export function cutText(execution: VisibleExecution): string {
  if (execution.status !== 'cut') {
    return '';
  }
  const message = `It was ended: ${execution.stopMessage ?? execution.stop}.`;
  const stack = execution.stack
    ?.replace(/^Current thread 0x\w+ \((.*)\):\n/, '$1:\n')
    .trim();
  return joined([
    message.replace(/\.\.$/, '.'),
    stack ? `Where it was:\n\n${fenced(cutMiddle(stack, 2000), 'text')}` : ''
  ]);
}

/** Denials and tampering, which matter whatever else happened. */
function conductText(execution: VisibleExecution): string[] {
  return [
    ...execution.denied.map(
      denied => `Not allowed here: it ${denied}. Do without.`
    ),
    ...execution.tampering.map(
      message =>
        `This result does not count: ${message}. Leave the checks and what they rely on alone.`
    )
  ];
}

/** Paragraphs within the limit of one attempt's feedback. */
export function bounded(paragraphs: readonly string[]): string {
  return cutMiddle(joined(paragraphs), FEEDBACK_LIMIT);
}
