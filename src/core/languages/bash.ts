import type { LanguageRecord } from './language';

export const bash: LanguageRecord = {
  ids: ['bash'],
  fences: ['bash', 'sh', 'shell']
};
