import { terminalText, visibleLine, visibleText } from '../safeText';

describe('visibleText', () => {
  it.each([
    ['colours', '\u001b[1;31mred\u001b[0m', 'red'],
    ['links', '\u001b]8;;https://x.example\u0007text\u001b]8;;\u0007', 'text'],
    ['8-bit sequences', '\u009b31mred', 'red'],
    ['Windows line ends', 'a\r\nb', 'a\nb']
  ])('drops %s', (_, text, expected) => {
    expect(visibleText(text)).toBe(expected);
  });

  it.each([
    ['an override', 'x\u202Ey', 'x‹U+202E›y'],
    ['an isolate', '\u2066x', '‹U+2066›x'],
    ['a zero width space', 'a\u200bb', 'a‹U+200B›b'],
    ['a tag character', 'a\u{e0041}b', 'a‹U+E0041›b'],
    ['a control', 'a\u0000b', 'a␀b'],
    ['a C1 control', 'a\u0085b', 'a‹U+0085›b']
  ])('makes %s visible', (_, text, expected) => {
    expect(visibleText(text)).toBe(expected);
  });

  it('does not let an unclosed sequence swallow what follows', () => {
    expect(visibleText('a\u001b]0;title and the rest')).toContain(
      'title and the rest'
    );
  });

  it('keeps letters of every script, tabs and newlines', () => {
    const text = 'Ünï\tשלום\n日本 🙂';
    expect(visibleText(text)).toBe(text);
  });
});

it('terminalText keeps what a progress bar showed last', () => {
  expect(terminalText(' 1%\r50%\r100%\ndone\r\n')).toBe('100%\ndone\n');
});

it('visibleLine is one line, cut with a mark', () => {
  expect(visibleLine('a\n\n b')).toBe('a b');
  expect(visibleLine('slug("a,  b")')).toBe('slug("a,  b")');
  expect(visibleLine('x'.repeat(20), 10)).toBe(`${'x'.repeat(10)}…`);
});
