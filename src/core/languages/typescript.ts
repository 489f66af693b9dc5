import { script } from './javascript';
import type { LanguageRecord } from './language';

export const typescript: LanguageRecord = {
  ...script,
  ids: ['typescript'],
  name: 'TypeScript',
  fences: ['typescript', 'ts']
};
