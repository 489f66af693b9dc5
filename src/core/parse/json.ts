/** The one place where text of a model is read as JSON. */

export type JsonAnswer = { readonly thoughts: string; readonly code: string };

const CODE_KEYS = ['code', 'response', 'answer', 'solution', 'candidate'];
const THOUGHT_KEYS = ['thoughts', 'thought', 'thinking', 'reasoning'];

/** An object with thoughts and code (or response); null for anything else. */
export function parseJsonAnswer(text: string): JsonAnswer | null {
  const value = parseObject(text);
  if (value === null) {
    return null;
  }
  const code = CODE_KEYS.map(key => value[key]).find(isText);
  if (code === undefined) {
    return null;
  }
  const thoughts = THOUGHT_KEYS.map(key => value[key]).find(
    part => isText(part) || Array.isArray(part)
  );
  return {
    code: code.replace(/\r\n?/g, '\n'),
    thoughts: Array.isArray(thoughts)
      ? thoughts.filter(isText).join('\n')
      : isText(thoughts)
        ? thoughts.replace(/\r\n?/g, '\n')
        : ''
  };
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
      if (
        typeof value === 'object' &&
        value !== null &&
        !Array.isArray(value)
      ) {
        return value as Record<string, unknown>;
      }
    } catch {
      // The next reading is tried.
    }
  }
  return null;
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

/** Line breaks and tabs inside string literals, written as JSON wants them. */
function escapeControls(text: string): string {
  let inString = false;
  let out = '';
  for (let i = 0; i < text.length; i++) {
    const char = text[i];
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
