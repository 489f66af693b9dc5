import { isBlankSource } from '../blank';

it.each([
  '',
  ' \n\t\n',
  '# a\n# b',
  '"""Doc."""',
  "'''Doc\nmore\n'''\n# c",
  '"doc"',
  'r"""Doc."""',
  '%%refine max-attempts=2\n# x',
  '"""a\n\nb"""  # c'
])('nothing to run in %j', source =>
  expect(isBlankSource(source, 'python')).toBe(true)
);

it.each([
  'x',
  '"""Doc."""\nx = 1',
  '"a" + f()',
  '"""a""".strip()',
  '"""a\nb""".strip()',
  '# c\nx',
  '%matplotlib inline',
  'pass'
])('something to run in %j', source =>
  expect(isBlankSource(source, 'python')).toBe(false)
);

it('knows comments, but no docstrings, of other languages', () => {
  expect(isBlankSource('# a\n', 'r')).toBe(true);
  expect(isBlankSource('"a"\n', 'r')).toBe(false);
});
