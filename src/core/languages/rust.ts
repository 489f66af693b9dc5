import type { LanguageRecord } from './language';

export const rust: LanguageRecord = {
  ids: ['rust'],
  name: 'Rust',
  fences: ['rust', 'rs'],
  comment: '//'
};
