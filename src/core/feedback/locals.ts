/** Each failure with the locals of the frame in which it was raised. */
import type { FeedbackInput, IFeedbackStrategy } from './strategy';
import { failedAssertions } from '../domain/execution';
import {
  cutText,
  executionFeedback,
  errorLine,
  localsLine,
  raisedAt
} from './parts';

export const localsFeedback: IFeedbackStrategy = { name: 'locals', build };

function build(input: FeedbackInput): string {
  const { attempt, request } = input;
  return executionFeedback(input, execution => {
    const values = request.options.contextValues;
    const failures = [
      ...(execution.error
        ? [{ source: 'The cell itself', error: execution.error }]
        : []),
      ...failedAssertions(execution).map(result => ({
        source: `\`${result.source.trim().slice(0, 400)}\``,
        error: result.error
      }))
    ];
    return [
      ...failures.map(({ source, error }) =>
        error
          ? [
              `${source} raised ${errorLine(error, values)}${raisedAt(error, attempt.code)}`,
              localsLine(error.locals, values)
            ]
              .filter(line => line !== '')
              .join('\n')
          : `${source} does not hold.`
      ),
      cutText(execution, attempt.code)
    ];
  });
}
