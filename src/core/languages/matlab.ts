import type { LanguageRecord } from './language';

export const matlab: LanguageRecord = {
  ids: ['matlab', 'octave'],
  bindResponse: literal => `response = ${literal}`
};
