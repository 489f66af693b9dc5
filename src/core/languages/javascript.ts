import type { LanguageRecord } from './language';

export const javascript: LanguageRecord = {
  ids: ['javascript'],
  name: 'JavaScript',
  fences: ['javascript', 'js', 'node', 'ecmascript'],
  comment: '//',
  bindResponse: literal => `var response = ${literal};`
};
