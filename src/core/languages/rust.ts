import type { LanguageRecord } from './language';

export const rust: LanguageRecord = {
  ids: ['rust'],
  title: 'Rust',
  fences: ['rust', 'rs'],
  comment: '//'
};
