import type { LanguageRecord } from './language';

export const ruby: LanguageRecord = {
  // All of these interpolate `#{…}`, and nothing else.
  ids: ['ruby', 'crystal', 'elixir', 'coffeescript'],
  bindResponse: literal => `response = ${literal.replace(/#/g, '\\#')}`
};
