import { isBlankSource } from '../blank';

describe('isBlankSource', () => {
  it.each([
    ['# to do\n\n"""What it is."""', 'python', true],
    ['"a", f(1)', 'python', false],
    ['f(1), "a"', 'python', false],
    ['# to do\n\n', 'r', true],
    ['# to do\nx <- 1', 'r', false]
  ])('%j in %s: %s', (source, language, isBlank) => {
    expect(isBlankSource(source, language)).toBe(isBlank);
  });

  it('reads many blank lines at once', () => {
    expect(isBlankSource(`${'\n'.repeat(100)}x <- 1`, 'r')).toBe(false);
  });
});
