/** What pays depends on the failure; the same failure again gets more. */
import type { FeedbackInput, IFeedbackStrategy } from './strategy';
import { failureSignature } from '../stopping/signature';
import type { VisibleAttempt } from '../domain/visible';
import { diffFeedback } from './diff';
import { bounded, tracebackBlock } from './parts';

export const autoFeedback: IFeedbackStrategy = { name: 'auto', build };

/** What a model condenses: the observed values, and the way to an error. */
export const summaryFeedback: IFeedbackStrategy = {
  name: 'summary',
  build: input => bounded([diffFeedback.build(input), traceback(input, false)])
};

/**
 * Expected against observed; the traceback too where an error's place says more
 * than its message; a failure that an earlier attempt had already is named as such.
 */
function build(input: FeedbackInput): string {
  const text = diffFeedback.build(input);
  if (text === '') {
    return text;
  }
  const again = input.earlier.find(
    other =>
      other.attempt > 0 &&
      other.code.trim() !== '' &&
      other.code.trim() === input.attempt.code.trim()
  );
  const same = sameFailureBefore(input.attempt, input.earlier);
  return bounded([
    again
      ? `This is the same ${input.request.target.kind === 'code' ? 'program' : 'text'} as attempt ${again.attempt}. Write another one.`
      : same === null
        ? ''
        : `This is the same failure as in attempt ${same.attempt}: the change between them did not touch its cause. Say first what the cause must be, then go about it in another way.`,
    text,
    traceback(input, same !== null)
  ]);
}

function sameFailureBefore(
  attempt: VisibleAttempt,
  earlier: readonly VisibleAttempt[]
): VisibleAttempt | null {
  const signature = failureSignature(attempt);
  return signature === null
    ? null
    : (earlier.find(
        other => other.attempt > 0 && failureSignature(other) === signature
      ) ?? null);
}

/** Errors that end in library code need the way there; a name or a key does not. */
const PLAIN_ERRORS = new Set([
  'NameError',
  'SyntaxError',
  'IndentationError',
  'TabError',
  'AssertionError',
  'ModuleNotFoundError',
  'ImportError'
]);

function traceback(input: FeedbackInput, repeated: boolean): string {
  const { request } = input;
  const { execution } = input.attempt;
  const error =
    execution?.error ??
    execution?.assertions.find(a => a.outcome === 'error')?.error;
  if (!error || (PLAIN_ERRORS.has(error.name) && !repeated)) {
    return '';
  }
  const block = tracebackBlock(
    error,
    request.options.contextValues,
    repeated ? 4000 : 1600
  );
  return block.startsWith('`') ? `Traceback:\n\n${block}` : '';
}
