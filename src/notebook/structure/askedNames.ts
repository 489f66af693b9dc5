/** The names that a target is there to define, whatever a library has bound to them before. */
import type { Target } from '../../core/domain/request';
import { analyse } from '../python/analysis';
import { placeholders } from './placeholders';

const ASKING =
  'def|class|function|method|named|called|define|defines|implement|write|create';
const BEYOND_ASCII = /[^ -~\s]/;

/**
 * Names that the checks read and that the prompt asks for or the target leaves
 * to be written. What the target defines in full is no request: the same source
 * gets the same verdict as an attempt and as what the cell holds.
 */
export function askedNames(
  target: Target,
  prompt: string,
  checks: readonly { readonly source: string }[],
  language: string
): readonly string[] {
  const open = new Set(
    language === 'python' ? placeholders(target.source) : []
  );
  const reads = new Set(
    checks.flatMap(({ source }) => [...analyse(source, language).reads])
  );
  const isAsked = (name: string) =>
    prompt.trim() !== '' && isAskedFor(name, prompt);
  return [...reads].filter(name => open.has(name) || isAsked(name));
}

/** `write a function median`, `` `median(values)` ``; not `assert isclose(x, 3)`. */
function isAskedFor(name: string, prompt: string): boolean {
  const isAscii = !BEYOND_ASCII.test(`${name}${prompt}`);
  if (isAscii && !prompt.toLowerCase().includes(name.toLowerCase())) {
    // Without the expression, which takes longer to compile.
    return false;
  }
  const wanted = new RegExp(
    `\\b(?:${ASKING})\\s+(?:(?:an?|the|your|own)\\s+)*(?:(?:function|class)\\s+)?${name}(?!\\.?[\\p{L}\\p{N}_])|` +
      `\`${name}(?:\\([^\`]*\\))?\``,
    'iu'
  );
  return wanted.test(prompt);
}
