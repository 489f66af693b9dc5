/** A `%%refine` cell: its options and its prompt. */

export type MagicCell = {
  /** Options as written, in order: kebab-case name without dashes, and value. */
  readonly options: readonly (readonly [name: string, value: string])[];
  readonly prompt: string;
};

/** Read `%%refine --max-attempts 3` and the text under it. Words on the line that are no option start the prompt. */
export function parseMagicCell(source: string): MagicCell {
  const [line, ...body] = source.trimStart().split('\n');
  const words = splitWords(line.replace(/^%%refine/, ''));
  const options: [string, string][] = [];
  const text: string[] = [];
  for (let i = 0; i < words.length; i++) {
    const [, name, value] = /^--([\w-]+)(?:=(.*))?$/.exec(words[i]) ?? [];
    if (name === undefined) {
      text.push(words[i]);
    } else if (value !== undefined) {
      options.push([name, value]);
    } else if (i + 1 < words.length && !words[i + 1].startsWith('--')) {
      options.push([name, words[++i]]);
    } else {
      options.push([name, 'true']);
    }
  }
  const prompt = [text.join(' '), body.join('\n')].join('\n').trim();
  return { options, prompt };
}

/** Words separated by blanks; a quoted value keeps its blanks. */
function splitWords(line: string): readonly string[] {
  const words =
    line.match(/(?:--[\w-]+=)?(?:"[^"]*"|'[^']*')(?=\s|$)|\S+/g) ?? [];
  return words.map(word => word.replace(/^(--[\w-]+=)?(["'])(.*)\2$/, '$1$3'));
}
