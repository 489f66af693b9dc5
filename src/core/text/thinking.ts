/** The thinking that some servers leave in the text of an answer: `<think>`, `<seed:think>`, `[THINK]`, `◁think▷`. */

const TAG = '(?:\\w+:)?(?:think|thinking|thought|reasoning)[>\\]▷]';
const STARTED = new RegExp(`^\\s*[<[◁]${TAG}([^]*?)(?:[<[◁]/${TAG}|$)`, 'i');
/** Some servers strip the tag that opens it. */
const ENDED = new RegExp(`^([^]*?)[<[◁]/${TAG}`, 'i');

/** The thinking at the start of an answer, and the rest; a tag inside a block of code is code. */
export function splitThinking(text: string): {
  readonly thinking: string;
  readonly spoken: string;
} {
  const [found = '', thinking = ''] =
    STARTED.exec(text) ?? ENDED.exec(text) ?? [];
  const fences = found.match(/^\s*(?:`{3}|~{3})/gm) ?? [];
  return STARTED.test(text) || fences.length % 2 === 0
    ? { thinking: thinking.trim(), spoken: text.slice(found.length) }
    : { thinking: '', spoken: text };
}
