import type { LanguageRecord } from './language';

export const typescript: LanguageRecord = {
  ids: ['typescript'],
  name: 'TypeScript',
  fences: ['typescript', 'ts'],
  comment: '//',
  bindResponse: literal => `var response = ${literal};`
};
