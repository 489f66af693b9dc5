import { cutLine, cutMiddle } from '../cut';

it('a text is kept up to its limit, and cut visibly above it', () => {
  expect(cutMiddle('a'.repeat(50), 50)).toBe('a'.repeat(50));
  const text = 'a'.repeat(100) + 'b'.repeat(100);
  const cut = cutMiddle(text, 100);
  expect(cut).toMatch(/^a+\n… 100 characters left out …\nb+$/);
  expect(cut).toHaveLength(100);
});

it('a limit with no room but for the mark leaves the mark', () => {
  expect(cutMiddle('a'.repeat(100), 10)).toBe('\n… 90 characters left out …\n');
});

it('a line is one line, with an ellipsis when cut', () => {
  expect(cutLine(' a\n  b ', 3)).toBe('a b');
  expect(cutLine('abcdef', 4)).toBe('abc…');
  expect(cutLine('ab cdef', 4)).toBe('ab…');
});
