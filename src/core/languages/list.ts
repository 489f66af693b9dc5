/** The languages that something is known of. */
import { bash } from './bash';
import { javascript, typescript } from './javascript';
import { julia } from './julia';
import { matlab } from './matlab';
import { python } from './python';
import { r } from './r';
import { GENERAL, type Language, type LanguageRecord } from './language';

const cpp: LanguageRecord = {
  ids: ['c++'],
  name: 'C++',
  fences: ['c++', 'cpp', 'cxx'],
  comment: '//'
};

const java: LanguageRecord = {
  // Known by their comments only.
  ids: ['java', 'c', 'go', 'kotlin', 'scala'],
  comment: '//'
};

const ruby: LanguageRecord = {
  // All of these interpolate `#{…}`, and nothing else.
  ids: ['ruby', 'crystal', 'elixir', 'coffeescript'],
  bindResponse: literal => `response = ${literal.replace(/#/g, '\\#')}`
};

const rust: LanguageRecord = {
  ids: ['rust'],
  name: 'Rust',
  fences: ['rust', 'rs'],
  comment: '//'
};

const RECORDS: readonly LanguageRecord[] = [
  bash,
  cpp,
  java,
  javascript,
  julia,
  matlab,
  python,
  r,
  ruby,
  rust,
  typescript
];

const known = new Map<string, Language>(
  RECORDS.flatMap(({ ids, ...record }) =>
    ids.map(id => [id, { ...GENERAL, ...record }] as const)
  )
);

/** @param id - as the kernel calls it, lower case. */
export function languageOf(id: string): Language {
  return known.get(id) ?? GENERAL;
}

/** As it is called in a prompt. */
export function languageName(id: string): string {
  return languageOf(id).name ?? id;
}
