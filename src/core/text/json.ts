/** The one place where text of a model is read as JSON. */

const CODE_KEYS = ['code', 'response', 'answer', 'solution'];
const THOUGHT_KEYS = ['thoughts', 'reasoning'];

/** Thoughts and code (or response) of an object; null for anything else. */
export function parseJsonAnswer(
  text: string
): { readonly thoughts: string; readonly code: string } | null {
  const value = parseObject(text) ?? {};
  const read = (keys: readonly string[]) =>
    keys.map(key => value[key]).find(part => typeof part === 'string');
  const feeds = (part: string) => part.replace(/\r\n?/g, '\n');
  const code = read(CODE_KEYS);
  return code === undefined
    ? null
    : { code: feeds(code), thoughts: feeds(read(THOUGHT_KEYS) ?? '') };
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
      if (Object(value) === value && !Array.isArray(value)) {
        return value as Readonly<Record<string, unknown>>;
      }
    } catch {
      // The next reading is tried.
    }
  }
  return null;
}

const ESCAPED: Readonly<Record<string, string>> = {
  '\n': '\\n',
  '\t': '\\t',
  '\r': ''
};

/** Line breaks and tabs inside string literals, written as JSON wants them. */
function escapeControls(text: string): string {
  return text.replace(/"(?:\\.|[^"\\])*"/gs, literal =>
    literal.replace(/[^ -\uffff]/g, control => ESCAPED[control] ?? ' ')
  );
}
