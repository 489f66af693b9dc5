/** The block in which a model objects to a check, instead of code: its number and the reason. */
import type { Objection } from '../domain/outcome';
import { cutLine, wellFormed } from '../text/cut';

/** Label of the fence; no language has that name. */
export const DISPUTE = 'dispute';

const REASON_LIMIT = 600;

const NUMBER =
  /^[\s>*_-]*(?:(?:check|assertion)s?)?[\s*_]*(?:number|no\.?)?[\s:=#*_]*(\d{1,4})\b[*_]*/i;

/** Null where the block names no check, or gives no reason: it is prose then. */
export function readDispute(text: string): Objection | null {
  const [found, digits] = NUMBER.exec(text) ?? [];
  if (found === undefined || digits === undefined) {
    return null;
  }
  const reason = cutLine(
    wellFormed(
      text
        .slice(found.length)
        .replace(/^[\s.,:;()–—-]+/, '')
        .replace(/^[*_]*reason[*_]*\s*[:=]\s*[*_]*/i, '')
    ),
    REASON_LIMIT
  );
  return /\p{L}{2}/u.test(reason) ? { number: Number(digits), reason } : null;
}
