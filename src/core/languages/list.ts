/** The languages that something is known of. */
import { bash } from './bash';
import { cpp } from './cpp';
import { java } from './java';
import { javascript } from './javascript';
import { julia } from './julia';
import { matlab } from './matlab';
import { python } from './python';
import { r } from './r';
import { ruby } from './ruby';
import { rust } from './rust';
import { typescript } from './typescript';
import { GENERAL, type Language, type LanguageRecord } from './language';

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
