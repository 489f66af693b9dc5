/** A score out of a sentence: read right, or refused. */

/**
 * A score from 0 to 10, or with its own scale (`8/10`, `80%`, `4 of 5 stars`),
 * as a number in [0, 1]. A number counts where it is named as a score ("Score
 * is 8.", "I give it 8/10") or fills a line. Null for anything that could be
 * misread: negative, above its scale, a range, stars or a fraction without a
 * scale, or two different scores.
 */
export function readScore(text: string): number | null {
  const plain = text.replace(/[*_`"]/g, '');
  const named = [...plain.matchAll(NAMED)];
  const found = new Set(
    (named.length > 0 ? named : [...plain.matchAll(ALONE)]).map(match =>
      asFraction(match.groups ?? {})
    )
  );
  const [score] = found;
  return found.size === 1 ? (score ?? null) : null;
}

const SPACE = String.raw`[ \t]*`;
/** Not `1,000`, which has a thousand or one. */
const NUMBER = String.raw`(?!\d+,\d{3}(?!\d))[-−]?\d+(?:[.,]\d+)?`;
/** `0-10 scale`, `on a scale from 0 to 10`, `(1-10)`. */
const RANGE = (name: string) =>
  String.raw`\(?(?:(?:on )?(?:a )?(?:scale )?(?:from |of )?)(?<${name}From>\d+)${SPACE}(?:-|–|to)${SPACE}(?<${name}To>\d+)(?: scale)?\)?`;
const SCALED = String.raw`(?<value>${NUMBER})${SPACE}(?:(?:\/|out of|of|von)${SPACE}(?<scale>\d+)|(?<percent>%)|(?<stars>(?:stars?\b|★)))?`;
/** Nothing that would make it another number, or a range. */
const END = String.raw`(?![\w.,]*\d)(?![\w%\/★½¼¾⅓⅔+?])(?!${SPACE}(?:-|–|->|→|\/|to\b|or\b|and\b)${SPACE}\d)`;

const NAMED = new RegExp(
  String.raw`\b(?:(?:score|rating|grade)\b(?: is| of)?|(?:give|rate|award)\b[^.\n\d]{0,30}?)${SPACE}[:=]*${SPACE}(?:${RANGE('n')})?${SPACE}[:=]*${SPACE}\[?(?<![\w.,])${SCALED}${END}`,
  'gi'
);
const ALONE = new RegExp(
  String.raw`^${SPACE}(?:${RANGE('b')}${SPACE}:?${SPACE})?(?<![\w.,])${SCALED}${END}(?: stars| points)?${SPACE}(?:${RANGE('a')})?\.?${SPACE}$`,
  'gim'
);

function asFraction(
  groups: Readonly<Record<string, string | undefined>>
): number | null {
  const { value, percent, stars } = groups;
  const from = groups.nFrom ?? groups.bFrom ?? groups.aFrom;
  const named =
    groups.scale ??
    groups.nTo ??
    groups.bTo ??
    groups.aTo ??
    (percent && '100');
  if (value === undefined || (stars && !named) || Number(from ?? 0) > 1) {
    return null;
  }
  return toFraction(
    Number(value.replace(',', '.').replace('−', '-')),
    Number(named ?? 10),
    named !== undefined
  );
}

/** `value` of `scale`; null where it cannot be one. */
export function toFraction(
  value: number,
  scale = 10,
  hasScale = false
): number | null {
  if (!Number.isFinite(value) || value < 0 || value > scale || scale <= 0) {
    return null;
  }
  // 0.8 on a scale to 10 may be a fraction of 1: its meaning is unknown.
  return value > 0 && value < 1 && !hasScale ? null : value / scale;
}
