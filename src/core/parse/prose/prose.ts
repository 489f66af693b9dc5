/** A model's answer for a markdown target: everything but its thinking is the candidate. */
import { parseJsonAnswer } from '../../text/json';
import { withoutRemarks } from './proseRemarks';

export type ProseAnswer = { readonly thoughts: string; readonly prose: string };

const SECTION =
  /^[ \t]*(?:<(thoughts?|response|answer)>|(?:#{1,6}[ \t]*)?(?:\*\*|__)?(thoughts?|response):?(?:\*\*|__)?:?)[ \t]*/i;

/**
 * @param text - the answer so far, or all of it.
 * @param previous - the text that it is to replace.
 */
export function readProse(text: string, previous = ''): ProseAnswer {
  const { thinking, rest } = splitThinking(text.replace(/\r\n?/g, '\n'));
  if (/^\s*\{/.test(rest)) {
    const json = parseJsonAnswer(rest);
    if (json) {
      return {
        thoughts: join(thinking, json.thoughts),
        prose: json.code.trim()
      };
    }
  }
  const sections = splitSections(rest);
  const {
    prose: body,
    before,
    after
  } = withoutRemarks(sections.prose, previous);
  const { prose, remarks } = unwrap(
    before === '' ? body : unquoted(body, previous)
  );
  return {
    thoughts: [thinking, sections.thoughts, before, remarks, after].reduce(
      join
    ),
    prose
  };
}

/** A text that is presented as a quotation as a whole; one that replaces a quotation stays one. */
function unquoted(text: string, previous: string): string {
  const lines = text.trim().split('\n');
  const isQuoted = (line: string) => /^>(?: |$)/.test(line);
  return lines.every(isQuoted) && !isQuoted(previous.trimStart())
    ? lines.map(line => line.replace(/^> ?/, '')).join('\n')
    : text;
}

function splitThinking(text: string): { thinking: string; rest: string } {
  let thinking = '';
  let rest = text;
  for (;;) {
    const open = /^[ \t]*<(think|thinking|reasoning)>/im.exec(rest);
    const close = /<\/(?:think|thinking|reasoning)>/i.exec(rest);
    if (close && (!open || close.index < open.index)) {
      thinking += rest.slice(0, close.index);
      rest = rest.slice(close.index + close[0].length);
    } else if (open) {
      const end = close ?? { index: rest.length, 0: '' };
      thinking += rest.slice(open.index + open[0].length, end.index);
      rest = rest.slice(0, open.index) + rest.slice(end.index + end[0].length);
    } else {
      return { thinking: thinking.trim(), rest };
    }
  }
}

/** Sections count only when the answer starts with one. */
function splitSections(text: string): { thoughts: string; prose: string } {
  const body = text.trimStart();
  const first = SECTION.exec(body);
  if (!first || !isHeading(first, body)) {
    return { thoughts: '', prose: text };
  }
  const after = body.slice(first[0].length);
  if (!isThoughts(first)) {
    return { thoughts: '', prose: dropEnd(after) };
  }
  const lines = after.split('\n');
  const at = lines.findIndex(line => {
    const found = SECTION.exec(line);
    return found !== null && !isThoughts(found) && isHeading(found, line);
  });
  if (at < 0) {
    return { thoughts: dropEnd(after), prose: '' };
  }
  const [heading = '', ...rest] = lines.slice(at);
  const response = [heading.replace(SECTION, ''), ...rest].join('\n');
  return {
    thoughts: dropEnd(lines.slice(0, at).join('\n')),
    prose: dropEnd(response)
  };
}

function isThoughts([, name, tag = '']: RegExpExecArray): boolean {
  return /^thought/i.test(name ?? tag);
}

/** `Response is …` is a sentence; `Response: …`, `## Response`, `**Response**` and tags are headings. */
function isHeading(match: RegExpExecArray, line: string): boolean {
  return /[<#*_:]/.test(match[0]) || line.slice(match[0].length).trim() === '';
}

function dropEnd(text: string): string {
  return text.replace(/<\/(?:thoughts?|response|answer)>/gi, '').trim();
}

type Unwrapped = { readonly prose: string; readonly remarks: string };

/** Text without the one fence that wraps all of it, and what was said after that. */
function unwrap(text: string): Unwrapped {
  const body = text.trim();
  const wrapped = /^(`{3,}|~{3,})(markdown|md)?[ \t]*\n([\s\S]*)$/i.exec(body);
  if (!wrapped) {
    return { prose: body, remarks: '' };
  }
  const [, mark = '', label, inner = ''] = wrapped;
  if (label === undefined) {
    return { prose: unwrapUnlabelled(body, inner, mark), remarks: '' };
  }
  const lines = inner.split('\n');
  const end = closingLine(lines, mark) ?? lines.length;
  const after = lines
    .slice(end + 1)
    .join('\n')
    .trim();
  return {
    prose: lines.slice(0, end).join('\n').trim(),
    remarks: after
  };
}

/** Without a label it may be a block of the text: it wraps only if nothing else in it could close it. */
function unwrapUnlabelled(body: string, inner: string, mark: string): string {
  const end = inner.lastIndexOf(`\n${mark}`);
  return end >= 0 &&
    inner.slice(end + 1 + mark.length).trim() === '' &&
    !inner.slice(0, end).includes(mark)
    ? inner.slice(0, end).trim()
    : body;
}

/**
 * The line that closes the fence around them: the last one that could, if those
 * before it pair up. Null when all of them do: then it was left open.
 */
function closingLine(lines: readonly string[], mark: string): number | null {
  const fence = new RegExp(`^ {0,3}${mark[0]}{${mark.length},}[ \\t]*(.*)$`);
  const bare: number[] = [];
  let labelled = false;
  for (const [index, line] of lines.entries()) {
    const info = fence.exec(line)?.[1];
    if (info) {
      labelled = true;
    } else if (info === '' && labelled) {
      labelled = false;
    } else if (info === '') {
      bare.push(index);
    }
  }
  return bare.length % 2 === 1 ? (bare.at(-1) ?? null) : null;
}

function join(a: string, b: string): string {
  return [a, b].filter(part => part !== '').join('\n\n');
}
