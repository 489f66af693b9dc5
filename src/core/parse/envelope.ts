/** What a model, its template or its server puts around a whole answer, taken off. */
import { fenced } from '../text/fence';

export type Unwrapped = {
  /** What was said beside the answer. */
  readonly thinking: string;
  readonly text: string;
};

/**
 * Harmony's channels (`<|channel|>final<|message|>…`), `<|python_tag|>`, markers at the
 * ends (`<|im_end|>`, `</s>`), a fence in a quotation and `<pre>` as Markdown; other text as it is.
 */
export function unwrap(text: string): Unwrapped {
  const { thinking, text: answer } = channels(text);
  return {
    thinking,
    text: htmlBlocks(quoted(pythonTag(withoutMarkers(answer))))
  };
}

const CHANNEL =
  /<\|channel\|>\s*(\w+)([^<\n]*)(?:<\|constrain\|>[^<\n]*)?<\|message\|>([\s\S]*?)(?=<\|(?:end|return|call|start|channel)\|>|$)/g;

function channels(text: string): Unwrapped {
  const messages = [...text.matchAll(CHANNEL)].map(
    ([, name = '', header = '', content = '']) => ({ name, header, content })
  );
  const finals = messages.filter(({ name }) => name === 'final');
  const calls = messages.filter(({ header }) => /\bto=/.test(header));
  const answer = finals.length > 0 ? finals : calls;
  if (answer.length === 0) {
    return { thinking: '', text };
  }
  return {
    thinking: messages
      .filter(message => !answer.includes(message))
      .map(({ content }) => content.trim())
      .join('\n\n'),
    text: answer
      .map(({ header, content }) =>
        /\bto=(?:container\.|functions\.)?(?:python|exec)/.test(header) &&
        !content.trimStart().startsWith('{')
          ? fenced(content.trim(), 'python')
          : content
      )
      .join('\n')
  };
}

const MARKER =
  '(?:<[|｜][^|｜<>\\n]{1,40}[|｜]>|</?s>|\\[/?INST\\]|<(?:start|end)_of_turn>(?:model\\b)?)';
const AT_START = new RegExp(
  `^(?:\\s*${MARKER}(?:(?<=im_start\\|>)assistant\\b|(?<=start_header_id\\|>)assistant(?=<))?)+\\s*`
);
const AT_END = new RegExp(`(?:\\s*${MARKER})+\\s*$`);

function withoutMarkers(text: string): string {
  return text.startsWith('<|python_tag|>')
    ? text.replace(AT_END, '')
    : text.replace(AT_START, '').replace(AT_END, '');
}

function pythonTag(text: string): string {
  const [before = '', after] = text.split('<|python_tag|>');
  if (after === undefined) {
    return text;
  }
  return /^\s*[{[]/.test(after)
    ? after
    : `${before}\n${fenced(after.trim(), 'python')}`;
}

/** A fence in a quotation, and none outside of it. */
function quoted(text: string): string {
  const lines = text.split('\n');
  const inside = lines.filter(line => /^\s{0,3}>/.test(line));
  const isFence = (line: string) => /^\s{0,3}(?:`{3,}|~{3,})/.test(line);
  const spaced = inside.every(line => /^\s{0,3}>(?: |$)/.test(line));
  const mark = spaced ? /^\s{0,3}> ?/ : /^\s{0,3}>/;
  return !lines.some(isFence) &&
    inside.some(line => isFence(line.replace(mark, '')))
    ? lines.map(line => line.replace(mark, '')).join('\n')
    : text;
}

const HTML_BLOCK =
  /<pre\b[^>]*>\s*(?:<code\b[^>]*>)?([\s\S]*?)(?:<\/code>\s*)?<\/pre>/gi;

function htmlBlocks(text: string): string {
  return /^\s*(?:`{3,}|~{3,})/m.test(text)
    ? text
    : text.replace(
        HTML_BLOCK,
        (_, code: string) =>
          `\n${fenced(unescapeHtml(code).replace(/^\n|\n$/g, ''))}\n`
      );
}

const ENTITIES: Readonly<Record<string, string>> = {
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  amp: '&',
  '#39': "'",
  '#x27': "'",
  '#34': '"',
  nbsp: ' '
};

export function unescapeHtml(text: string): string {
  return text.replace(
    /&(lt|gt|quot|apos|amp|#39|#x27|#34|nbsp);/gi,
    (whole, name: string) => ENTITIES[name.toLowerCase()] ?? whole
  );
}
