import type { LanguageRecord } from './language';

export const cpp: LanguageRecord = {
  ids: ['c++'],
  name: 'C++',
  fences: ['c++', 'cpp', 'cxx'],
  comment: '//'
};
