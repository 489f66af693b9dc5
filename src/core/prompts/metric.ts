/** What a scorer measures, read off its source; nothing else of it is sent. */
import { cutLine } from '../text/cut';
import { formatMetric } from '../domain/metric';
import { parseTree } from '../python/syntax';
import type { VisibleRequest } from '../domain/visible';

const ASSIGNMENT =
  /^(goal|name|unit)[ \t]*(?::[ \t]*\w+[ \t]*)?=[ \t]*(?:"([^"\\]*)"|'([^'\\]*)')$/;
const LIMIT = 60;

/** Empty where nothing is measured. The same words in every attempt, whatever was measured so far. */
export function metricText(request: VisibleRequest): string {
  const { scorer, assertions, language, options, target } = request;
  if (!scorer || language !== 'python') {
    return '';
  }
  const what =
    assertions.length > 0
      ? 'What holds the checks'
      : target.kind === 'code'
        ? 'The cell'
        : 'The text';
  const read = reader(scorer.source);
  const name = read('name', 'score') ?? 'a value of its own';
  const unit = read('unit', '') ?? '';
  const value = options.targetScore;
  return [
    `${what} is measured by a scorer that you do not see: ${name}${unit && ` in ${unit}`}${direction(read('goal', 'max'))}.`,
    ...(value === null
      ? []
      : [`The target is ${formatMetric({ value, unit })}.`])
  ].join(' ');
}

function direction(goal: string | null): string {
  return goal === 'min'
    ? '; less is better'
    : goal === 'max'
      ? '; more is better'
      : '';
}

/** Texts that the source binds: the kernel’s default where it binds none, null where it does so in a way that is not read. */
function reader(source: string) {
  const found = new Map<string, string>();
  for (
    let node = parseTree(source).topNode.firstChild;
    node;
    node = node.nextSibling
  ) {
    const match = ASSIGNMENT.exec(source.slice(node.from, node.to));
    if (match) {
      const [, name = '', quoted, other = ''] = match;
      found.set(name, cutLine((quoted ?? other).trim(), LIMIT));
    }
  }
  return (key: string, otherwise: string): string | null =>
    found.has(key)
      ? found.get(key) || otherwise
      : new RegExp(`\\b${key}\\b[^\\n]*(?<![=!<>])=(?!=)`).test(source)
        ? null
        : otherwise;
}
