/**
 * A Python string literal in ASCII that evaluates to `text`.
 *
 * JSON's escapes are Python's as well, except for characters beyond U+FFFF:
 * JSON writes a surrogate pair, Python needs `\UXXXXXXXX`.
 */
export function pythonLiteral(text: string): string {
  return JSON.stringify(text).replace(/[^ -~]/gu, character => {
    const code = character.codePointAt(0)!;
    return code > 0xffff
      ? `\\U${code.toString(16).padStart(8, '0')}`
      : `\\u${code.toString(16).padStart(4, '0')}`;
  });
}
