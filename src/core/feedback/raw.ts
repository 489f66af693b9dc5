/** The tracebacks as the kernel reported them, all failing assertions at once. */
import type { FeedbackInput, IFeedbackStrategy } from './strategy';
import { fenced } from '../text/fence';
import { failedAssertions } from '../domain/execution';
import { cutText, executionFeedback, tracebackBlock } from './parts';

export const rawFeedback: IFeedbackStrategy = { name: 'raw', build };

function build(input: FeedbackInput): string {
  const { request } = input;
  return executionFeedback(input, execution => {
    const values = request.options.contextValues;
    const failed = failedAssertions(execution);
    const share = Math.floor(6000 / Math.max(1, failed.length));
    return [
      execution.error
        ? `Running the cell raised:\n\n${tracebackBlock(execution.error, values, 6000)}`
        : '',
      cutText(execution),
      ...failed.map(result =>
        [
          `This check ${result.outcome === 'error' ? 'raised' : 'failed'}:`,
          fenced(result.source, request.language),
          result.error ? tracebackBlock(result.error, values, share) : ''
        ]
          .filter(text => text !== '')
          .join('\n\n')
      )
    ];
  });
}
