/** The one place where text of a model is read as JSON. */

export type JsonAnswer = { readonly thoughts: string; readonly code: string };

const CODE_KEYS = [
  'code',
  'response',
  'answer',
  'solution',
  'candidate',
  'source',
  'python',
  'cell',
  'final_code',
  'python_code',
  'source_code',
  'implementation'
];
/** Keys of a whole answer, which counts where it holds a block. */
const ANSWER_KEYS = ['content', 'text'];
const THOUGHT_KEYS = ['thoughts', 'thought', 'thinking', 'reasoning'];

/** Thoughts and code (or response) of an object; null for anything else. */
export function parseJsonAnswer(text: string): JsonAnswer | null {
  // The last brace may be missing.
  const value = parseObject(text) ?? parseObject(`${text.trim()}}`);
  if (value === null) {
    return null;
  }
  const code =
    CODE_KEYS.map(key => textOf(value[key])).find(isText) ??
    ANSWER_KEYS.map(key => value[key]).find(isAnswer);
  if (code === undefined) {
    return null;
  }
  const thoughts = THOUGHT_KEYS.map(key => value[key]).find(
    part => isText(part) || Array.isArray(part)
  );
  return {
    code: withLineFeeds(code),
    thoughts: Array.isArray(thoughts)
      ? thoughts.filter(isText).join('\n')
      : isText(thoughts)
        ? withLineFeeds(thoughts)
        : ''
  };
}

/** A text, or the lines of one. */
function textOf(value: unknown): unknown {
  return Array.isArray(value) && value.length > 0 && value.every(isText)
    ? value.map(line => line.replace(/\n$/, '')).join('\n')
    : value;
}

function withLineFeeds(text: string): string {
  return text.replace(/\r\n?/g, '\n');
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * The JSON object that `text` is, or that starts at its first `{`. Line breaks
 * and tabs inside strings, which models often do not escape, are read as meant.
 */
export function parseObject(
  text: string
): Readonly<Record<string, unknown>> | null {
  const start = text.indexOf('{');
  const end = text.lastIndexOf('}');
  if (start < 0 || end < start) {
    return null;
  }
  const whole = text.slice(start, end + 1);
  for (const source of [whole, escapeControls(whole)]) {
    try {
      const value: unknown = JSON.parse(source);
      if (isObject(value)) {
        return value;
      }
    } catch {
      // The next reading is tried.
    }
  }
  return null;
}

function isAnswer(value: unknown): value is string {
  return isText(value) && /^\s*(?:`{3,}|~{3,})/m.test(value);
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

/** Line breaks and tabs inside string literals, written as JSON wants them. */
function escapeControls(text: string): string {
  let inString = false;
  let out = '';
  for (let i = 0; i < text.length; i++) {
    const char = text.charAt(i);
    if (inString && char === '\\') {
      out += char + (text[++i] ?? '');
      continue;
    }
    if (char === '"') {
      inString = !inString;
    }
    out +=
      !inString || char >= ' '
        ? char
        : char === '\n'
          ? '\\n'
          : char === '\t'
            ? '\\t'
            : char === '\r'
              ? ''
              : ' ';
  }
  return out;
}
