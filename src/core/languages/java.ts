import type { LanguageRecord } from './language';

export const java: LanguageRecord = {
  // Known by their comments only.
  ids: ['java', 'c', 'go', 'kotlin', 'scala'],
  comment: '//'
};
