/** What is said while a model is waited for; panel and command line say the same. */
import { duration } from './duration';
import type { ModelWait } from '../events/events';
import type { Translation } from './isolationWords';
import type { ModelIdentity } from '../domain/model';

/** `model m at example.org`; a recorded model has no host. */
export function modelName({
  host,
  model
}: Pick<ModelIdentity, 'host' | 'model'>): string {
  return host ? `model ${model} at ${host}` : `model ${model}`;
}

/** `Waiting for model m at example.org: nothing for 30 s.`, `… Asked again in 2 s.` */
export function modelWaitSentence(wait: ModelWait, trans: Translation): string {
  if (wait.type === 'silence') {
    return trans.__(
      'Waiting for %1: nothing for %2.',
      modelName(wait),
      duration(wait.ms)
    );
  }
  return wait.ms >= 1000
    ? trans.__(
        '%1 The answer starts again in %2.',
        wait.reason,
        duration(wait.ms)
      )
    : trans.__('%1 The answer starts again.', wait.reason);
}
