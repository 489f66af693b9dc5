import type { LanguageRecord } from './language';

export const cpp: LanguageRecord = {
  ids: ['c++'],
  title: 'C++',
  fences: ['c++', 'cpp', 'cxx'],
  comment: '//'
};
