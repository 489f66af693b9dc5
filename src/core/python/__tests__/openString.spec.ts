import { openStringAfter } from '../openString';

it.each([
  ['x = """', null, '"""'],
  ["x = '''a", null, "'''"],
  ['x = """a"""', null, null],
  ['# """', null, null],
  ['x = "#" + """', null, '"""'],
  ['x = "\\""  # """', null, null],
  ["it's over", "'''", "'''"],
  ['a """ + b', '"""', null],
  ['\\""" still', '"""', '"""'],
  ['""" + \'\'\'', '"""', "'''"],
  ['x = "unclosed', null, null]
] as const)('after %j with %j open: %j', (line, open, after) => {
  expect(openStringAfter(line, open)).toBe(after);
});
