import { isBlankSource, outline } from '../cell';

const python = (source: string) => outline(source, 'python');

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

it('keeps what a caller sees of functions, and all around them', () => {
  expect(
    python(
      [
        'import re',
        '',
        '@cache',
        'def f(a, b=1) -> int:',
        '    """Add."""',
        '    def inner():',
        '        return 1',
        '    return a - b',
        '',
        'class C:',
        '    """A class."""',
        '    n = 3',
        '    async def g(self): return self.n',
        '',
        'TOP = 2'
      ].join('\n')
    )
  ).toBe(
    [
      'import re',
      '',
      '@cache',
      'def f(a, b=1) -> int:',
      '    """Add."""',
      '',
      'class C:',
      '    """A class."""',
      '    n = 3',
      '    async def g(self): ...',
      '',
      'TOP = 2'
    ].join('\n')
  );
});

it('is empty where nothing is defined, and for other languages', () => {
  expect(python('total = a - b')).toBe('');
  expect(outline('f <- function(x) x', 'r')).toBe('');
});

it('leaves a docstring on the line of the function there', () => {
  expect(python('def f(): "Say."; return 1')).toBe('def f(): "Say."');
});
