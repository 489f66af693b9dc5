/** A score out of a sentence: read right, or refused. */

/**
 * A score from 0 to 10, or with its own scale (`8/10`, `80%`, `4 out of 5`), as
 * a number in [0, 1]. Null for anything that could be misread: negative, above
 * its scale, not a number, a fraction without a scale, or two different scores.
 */
export function readScore(text: string): number | null {
  const plain = text
    .replace(/[*_`]/g, '')
    // A scale that is only named is no score: `0-10 scale`, `from 0 to 10`.
    .replace(
      /\b(?:on a |scale |from |\()?\s*\d+\s*(?:-|–|to)\s*\d+\s*(?:scale|\))?\s*:?/gi,
      ' '
    );
  const scores = new Set(
    [...plain.matchAll(SCORE)].map(match => asFraction(match))
  );
  const named = [...plain.matchAll(NAMED)].map(match =>
    asFraction(SCORE_ONCE.exec(match[1]))
  );
  const found = named.length > 0 ? new Set(named) : scores;
  const [score] = found;
  return found.size === 1 ? (score ?? null) : null;
}

const NUMBER = String.raw`[-−]?\d+(?:[.,]\d+)?(?![\d.])`;
const SCALE = String.raw`\s*(?:\/\s*\d+|%|out of \d+|von \d+)?`;
const SCORE = new RegExp(`(${NUMBER})(${SCALE})`, 'g');
const SCORE_ONCE = new RegExp(`(${NUMBER})(${SCALE})`);
const NAMED = new RegExp(
  String.raw`\b(?:score|rating|grade)\s*(?:is|of|=|:)*\s*(${NUMBER}${SCALE})`,
  'gi'
);

function asFraction(match: RegExpExecArray | null): number | null {
  if (!match) {
    return null;
  }
  const value = Number(match[1].replace(',', '.').replace('−', '-'));
  const scale = match[2].includes('%')
    ? 100
    : Number(/\d+/.exec(match[2])?.[0] ?? 10);
  return toFraction(value, scale, match[2].trim() !== '');
}

/** `value` of `scale`; null where it cannot be one. */
export function toFraction(
  value: number,
  scale = 10,
  scaleTold = false
): number | null {
  if (!Number.isFinite(value) || value < 0 || value > scale || scale <= 0) {
    return null;
  }
  // 0.8 on a scale to 10 is more likely a fraction of 1: nobody can know.
  return value > 0 && value < 1 && !scaleTold ? null : value / scale;
}
