/** What pays depends on the failure. */
import type { FeedbackInput, IFeedbackStrategy } from './strategy';
import { diffFeedback } from './diff';
import { bounded, tracebackBlock } from './parts';

export const autoFeedback: IFeedbackStrategy = { name: 'auto', build };

/** What a model condenses: the observed values, and the way to an error. */
export const summaryFeedback: IFeedbackStrategy = {
  name: 'summary',
  build: input => bounded([diffFeedback.build(input), traceback(input)])
};

/**
 * Expected against observed; the traceback too where an error's place says more
 * than its message.
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
  return bounded([
    again
      ? `This is the same ${input.request.target.kind === 'code' ? 'program' : 'text'} as attempt ${again.attempt}. Write another one.`
      : '',
    text,
    traceback(input)
  ]);
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

function traceback({ request, attempt }: FeedbackInput): string {
  const { execution } = attempt;
  const error =
    execution?.error ??
    execution?.assertions.find(a => a.outcome === 'error')?.error;
  if (!error || PLAIN_ERRORS.has(error.name)) {
    return '';
  }
  const block = tracebackBlock(error, request.options.contextValues, 1600);
  return block.startsWith('`') ? `Traceback:\n\n${block}` : '';
}
