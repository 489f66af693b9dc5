/** What a model says about a text that it was asked for, before and after the text. */

/** `Sure!`, alone or before more: no text of a notebook starts so. */
const INTERJECTION =
  /^(?:sure(?: thing)?|certainly|of course|absolutely|got it|understood|ok(?:ay)?|gerne|natürlich|bien sûr|voici|claro|por supuesto|certo)\b[^\n]{0,200}[:.!…]$/iu;

/** `Here is the introduction:` names what was asked for. */
const PRESENTED =
  /^(?:here(?:[’']s| is| comes)|below is|this is|the following is|hier ist|hier kommt|aquí (?:está|tienes)|ecco|aqui está)\b[^\n]{0,160}:$/iu;

/** `Let me know if …`: speaks to the one who asked. */
const CLOSING =
  /^(?:please )?(?:let me know\b|feel free to\b|i hope (?:this|that|it)\b|hope (?:this|that|it) helps\b|(?:if )?would you like\b|if you(?:[’']d| would) (?:like|prefer)\b|if you (?:want|need) me\b|do you want me\b|is there anything else\b|happy to\b|\(?word count\b)/i;

const MOST = 400;

export type Remarks = {
  readonly prose: string;
  readonly before: string;
  readonly after: string;
};

/**
 * @param previous - the text as it was: a line that it has is part of the text.
 *
 * @example
 * "Here is the text:\n\nA text.\n\nLet me know!" has the prose "A text."
 */
export function withoutRemarks(text: string, previous: string): Remarks {
  const paragraphs = text.trim().split(/\n[ \t]*\n/);
  const known = (paragraph: string) => previous.includes(paragraph.trim());
  const [head = ''] = (paragraphs[0] ?? '').split('\n');
  const line = head.trim().replace(/^\*\*(.*)\*\*$/, '$1');
  const introduced =
    !known(head) && (INTERJECTION.test(line) || PRESENTED.test(line));
  const body = introduced ? text.trim().slice(head.length).trim() : text.trim();
  // An introduction to nothing may be the text itself.
  const kept = body === '' ? text.trim() : body;
  const { prose, after } = withoutClosing(kept, known);
  return { prose, before: body === '' || !introduced ? '' : line, after };
}

function withoutClosing(
  text: string,
  known: (paragraph: string) => boolean
): { readonly prose: string; readonly after: string } {
  const at = text.lastIndexOf('\n\n');
  const last = text.slice(at + 2).trim();
  return at > 0 && last.length <= MOST && CLOSING.test(last) && !known(last)
    ? {
        // With the rule that set it apart.
        prose: text
          .slice(0, at)
          .replace(/\n\s*(?:-{3,}|\*{3,}|_{3,})\s*$/, '')
          .trim(),
        after: last
      }
    : { prose: text, after: '' };
}
