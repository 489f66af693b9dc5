/** An earlier answer in the model's own words: sent back where the user's system text asks for a form of its own. */
import { parseJsonAnswer } from '../text/json';
import { cutMiddle } from '../text/cut';
import { wellFormed } from '../text/wellFormed';

/** Characters beside the candidate, beyond as many as the candidate has. */
const BESIDE = 4000;
/** Characters of an answer that holds no candidate. */
const NO_CANDIDATE = 2000;

const THINKING =
  /^\s*<(think|thinking|reasoning)>[\s\S]*?<\/\1>|^[\s\S]*<\/(?:think|thinking|reasoning)>/i;
/** Marks of chat templates: a server may read them as the end of a turn. */
const TEMPLATE_MARK = /<[|｜]|\[\/?INST\]|<\/?s>|<(?:start|end)_of_turn>/;

/**
 * The answer as it came, its thinking left out. Null where only the candidate can
 * be sent back: the answer does not spell it out (a diff), is far longer, or holds
 * marks of a chat template.
 */
export function verbatimAnswer(answer: string, code: string): string | null {
  const text = wellFormed(answer)
    .replace(/\r\n?/g, '\n')
    .replace(THINKING, '')
    .trim();
  if (text === '' || TEMPLATE_MARK.test(text)) {
    return null;
  }
  if (code.trim() === '') {
    return cutMiddle(text, NO_CANDIDATE);
  }
  const spelledOut =
    holdsLines(text, code) ||
    holdsLines(parseJsonAnswer(text)?.code ?? '', code);
  return spelledOut && text.length <= 2 * code.length + BESIDE ? text : null;
}

function holdsLines(text: string, code: string): boolean {
  return code.split('\n').every(line => text.includes(line.trim()));
}
