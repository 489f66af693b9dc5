/** A `%%refine` cell: its options and its prompt. */
import { notebookOption } from '../core/settings';

/**
 * Read `%%refine --max-attempts 3` and the text under it. Words on the line that are no option start the prompt.
 * `maxAttempts=3` is one as well.
 *
 * @returns `options` as written, in order: kebab-case name without dashes, and value.
 */
export function parseMagicCell(source: string) {
  const [line = '', ...body] = source.trimStart().split('\n');
  const words = (line.replace(/^%%refine/, '').match(WORD) ?? []).map(word =>
    word.replace(/^(--[\w-]+=)?(["'])(.*)\2$/, '$1$3')
  );
  const options: [string, string][] = [];
  const text: string[] = [];
  for (let word = words.shift(); word !== undefined; word = words.shift()) {
    const [, dashes, name = '', value] =
      /^(--)?([\w-]+)(?:=(.*))?$/.exec(word) ?? [];
    const [next] = words;
    const isPair = value !== undefined && (dashes || notebookOption(name));
    if (isPair) {
      options.push([name, value]);
    } else if (!dashes) {
      text.push(word);
    } else if (next !== undefined && !next.startsWith('--')) {
      options.push([name, next]);
      words.shift();
    } else {
      options.push([name, 'true']);
    }
  }
  const prompt = [text.join(' '), body.join('\n')].join('\n').trim();
  return { options, prompt };
}

/** A word up to a blank; a quoted value keeps its blanks. */
const WORD = /(?:--[\w-]+=)?(?:"[^"]*"|'[^']*')(?=\s|$)|\S+/g;
