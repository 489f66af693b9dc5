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
    text: tagged(htmlBlocks(quoted(pythonTag(withoutMarkers(answer)))))
  };
}

/** `<parameter name="code">`, of calls of tools written in tags. */
const PARAMETER =
  /<parameter\s*(?:name)?\s*=\s*["']?(?:code|source|new_source|cell|python|content)["']?\s*>\n?([\s\S]*?)\n?<\/parameter>/i;
/** The same as GLM writes it. */
const ARGUMENT =
  /<arg_key>\s*(?:code|source|new_source|cell|python|content)\s*<\/arg_key>\s*<arg_value>\n?([\s\S]*?)\n?<\/arg_value>/i;
const CODE_TAG = /\[PYTHON\]\n?([\s\S]*?)\n?\[\/PYTHON\]/;

/** Code in tags as a fence, and a fence that follows its lead-in on one line on a line of its own. */
function tagged(text: string): string {
  const plain = text
    .replace(/<!\[CDATA\[([\s\S]*?)\]\]>/g, '\n$1\n')
    .replace(/^\.\. (?:code-block|code|sourcecode)::[^\n]*$/gm, 'The code:')
    .replace(/^#\+(?:BEGIN|END)_SRC\b[^\n]*$/gim, '');
  if (/^\s*(?:`{3,}|~{3,})\s*\w/m.test(plain)) {
    return plain;
  }
  const [, code] =
    PARAMETER.exec(plain) ?? ARGUMENT.exec(plain) ?? CODE_TAG.exec(plain) ?? [];
  return code === undefined
    ? plain.replace(/^(\S[^\n`]*:)[ \t]*(`{3,}\w*)[ \t]*$/m, '$1\n$2')
    : fenced(code, 'python');
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
  '(?:<[|｜][^|｜<>\\n]{1,40}[|｜]>|</?s>|\\[/?INST\\]|<(?:start|end)_of_turn>(?:model\\b)?|<fim_(?:prefix|middle|suffix)>)';
const AT_START = new RegExp(
  `^(?:\\s*${MARKER}(?:(?<=im_(?:start|assistant)\\|>)assistant\\b|(?<=start_(?:header_id|of_role)\\|>)assistant(?=<))?)+\\s*`
);
const AT_END = new RegExp(`(?:\\s*${MARKER})+\\s*$`);

function withoutMarkers(text: string): string {
  // Between the name of a tool and its arguments: a line break.
  const calls = text.replace(/<[|｜]tool[^|｜<>\n]{1,40}[|｜]>/g, '\n');
  return calls.startsWith('<|python_tag|>')
    ? calls.replace(AT_END, '')
    : calls.replace(AT_START, '').replace(AT_END, '');
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
const HTML_CODE = /<code\b[^>]*>((?:(?!<\/code>)[\s\S])*<br[\s\S]*?)<\/code>/gi;

function htmlBlocks(text: string): string {
  return /^\s*(?:`{3,}|~{3,})/m.test(text)
    ? text
    : text.replace(HTML_BLOCK, htmlCode).replace(HTML_CODE, htmlCode);
}

function htmlCode(_: string, html: string): string {
  const code = unescapeHtml(html.replace(/<br\s*\/?>\n?/gi, '\n'));
  return `\n${fenced(code.replace(/^\n|\n$/g, ''))}\n`;
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
