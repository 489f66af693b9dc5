/** What is said while a model is waited for; panel and command line say the same. */
import type { ModelWait } from '../events/events';
import { duration, type Translation } from './english';

/** `Waiting for model m at example.org: no data for 30 s.`, `… Asked again in 2 s.` */
export function modelWaitSentence(wait: ModelWait, trans: Translation): string {
  if (wait.type === 'silence') {
    return trans.__(
      'Waiting for %1: no data for %2.',
      wait.host
        ? trans.__('model %1 at %2', wait.model, wait.host)
        : trans.__('model %1', wait.model),
      duration(wait.ms, trans)
    );
  }
  if (wait.type === 'reading') {
    return trans.__(
      'The model reads the prompt: %1 of %2 tokens.',
      wait.tokens.toLocaleString('en'),
      wait.of.toLocaleString('en')
    );
  }
  return wait.ms >= 1000
    ? trans.__(
        '%1 The answer starts again in %2.',
        wait.reason,
        duration(wait.ms, trans)
      )
    : trans.__('%1 The answer starts again.', wait.reason);
}
