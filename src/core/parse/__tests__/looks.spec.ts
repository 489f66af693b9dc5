import { codeRegion, isCodeBlock, isCodeLine, isSession } from '../looks';

const lines = (text: string) => text.trim().split('\n');

describe('a line of Python', () => {
  it.each(
    lines(`
def f(x):
def  f (x):
async def f():
class A:
class A (B) :
import a.b as c, d as e
import  numpy  as  np
from a.b import c
for x in [y]:
async for x in [y]:
if x:
if x: return
if x:  # why
elif x:
while x:
with open(p):
async with s:
except:
except ValueError:
match x:
case 1:
try:
else :
finally:
@cache
@lru_cache(maxsize=1)
assert x
return x
raise E
del x
global x
nonlocal x
yield x
await x
lambda x: x
x = 1
x=1
a.b = 1
x[0] = 1
x[0][1] = 2
a, b = 1, 2
x: int = 1
x: dict[str, int | None] = 1
x += 1
x **= 2
x //= 2
x >>= 2
x <<= 2
print("x")
a.b(c)
%matplotlib inline
%%time
`)
  )('%s', line => {
    expect(isCodeLine(line, 'python')).toBe(true);
    expect(isCodeLine(`  ${line} `, 'python')).toBe(true);
  });

  it.each(
    lines(`
This is an answer.
x == 1
x =
define it
So def f(x):
class of numbers:
my class A:
import this module
We import a
from the list import a
from a import
for x:
else nothing
try it:
then try:
@ home
@cache is nice
assert
return
asserts x
I return x
% of it
5%x
x (that is, y)
it is f(x)
- x = 1
if you call it with zero it gives one:
for each of the numbers in it:
return it to the caller.
`)
  )('not: %s', line => {
    expect(isCodeLine(line, 'python')).toBe(false);
  });

  it('is a sentence from four words and a closing sign on', () => {
    expect(isCodeLine('return of the king.', 'python')).toBe(false);
    expect(isCodeLine('return of the king', 'python')).toBe(true);
    expect(isCodeLine('return the king.', 'python')).toBe(true);
    expect(isCodeLine('return [a for a in b].', 'python')).toBe(true);
  });
});

describe('a line of another language', () => {
  it.each(
    lines(`
x <- 1
x <<- 1
x = 1
x := 1
x$y <- 1
x[1][2] <- 2
.x <- 1
function(x) x
library(dplyr)
require x
using X
import x
include x
const x
let x
var x
fn x
struct X
begin
for x
while x
if x
return x
dplyr::filter(x)
}
)
]
`)
  )('%s', line => {
    expect(isCodeLine(line, 'r')).toBe(true);
  });

  it.each(
    lines(`
x == 1
x <-
The end
so x <- 1
functional x
we return x
so f(x)
def f
a }
let us look at it now.
`)
  )('not: %s', line => {
    expect(isCodeLine(line, 'r')).toBe(false);
  });
});

describe('code without a fence', () => {
  it.each([
    ['nothing but text', 'Here it is.\nDone.', null],
    ['between text', 'Here:\nx = 1\nThat is it', [1, 2]],
    ['after an indented line', '  y = 1\nx = 2', [1, 2]],
    ['over blank lines, not those at its end', 'x = 1\n\ny = 2\n\n', [0, 3]],
    ['over indented text', 'f(\n  any words here', [0, 2]],
    ['over a closing bracket', 'f(\n)', [0, 2]],
    ['over a comment', 'x = 1\n# any words', [0, 2]],
    ['over a string', 's = """\nany words\nmore words\n"""\nBye now', [0, 4]],
    ['to a word of its own', 'x = 1\npass', [0, 2]],
    ['to a word with a comment', 'x = 1\nreturn # why', [0, 2]],
    ['not to a word that goes on', 'x = 1\npass on', [0, 1]],
    ['not to a bracket within a line', 'x = 1\nso it is (here)', [0, 1]],
    ['over lines of blanks only', 'x = 1\n \ny = 2\n  ', [0, 3]],
    ['to a word with a long comment', 'x = 1\npass  # that is all', [0, 2]],
    ['not to the start of a word', 'x = 1\nendings', [0, 1]],
    ['not to a word within a line', 'x = 1\nlet us pass', [0, 1]],
    ['not to text after it', 'x = 1\na b\nc d\ne f', [0, 1]],
    ['over one line of text in four', 'x = 1\na b\ny = 2\nz = 3', [0, 4]],
    ['not over one line of text in three', 'x = 1\na b\ny = 2', null],
    ['all text between counts', 'x = 1\ny = 2\nz = 3\na b\nc d\ny = 2', null]
  ])('%s', (_, text, expected) => {
    expect(codeRegion(text.split('\n'), 'python')).toEqual(
      expected && { start: expected[0], end: expected[1] }
    );
  });

  it.each(['pass', 'break', 'continue', 'return', 'end', '}', ']', ')'])(
    'ends with %s',
    last => {
      expect(codeRegion(['x = 1', last], 'python')).toEqual({
        start: 0,
        end: 2
      });
    }
  );

  it.each([
    'for x in xs:',
    'for x in xs: ',
    'while x is not None:',
    'if x not in seen:',
    'with open(p) as f:'
  ])('begins with %s where an indented line follows', first => {
    const region = (...rest: string[]) =>
      codeRegion([first, ...rest], 'python');
    expect(region('    x = 1')).toEqual({ start: 0, end: 2 });
    expect(region('    x = 1', 'y = 2')).toEqual({ start: 0, end: 3 });
    expect(region('')).toBeNull();
    expect(region('  ')).toBeNull();
    expect(region()).toBeNull();
    expect(region('x = 1')).toEqual({ start: 1, end: 2 });
  });

  it('does not begin with a sentence before indented text', () => {
    expect(codeRegion(['Look at this:', '    x = 1'], 'python')).toBeNull();
    expect(
      codeRegion(['return it to the caller.', '    x = 1'], 'python')
    ).toBeNull();
  });

  it('reads quotes as Python’s in Python only', () => {
    const text = ['x = f("""', 'any words here'];
    expect(codeRegion(text, 'python')).toEqual({ start: 0, end: 2 });
    expect(codeRegion(text, 'r')).toEqual({ start: 0, end: 1 });
  });
});

describe('a block without a label', () => {
  it.each([
    'x = 1',
    'words\nx = 1',
    '# a comment\nwords',
    '  # a comment\nwords',
    'words\n% x',
    '\n\nx = 1',
    'pip = 3',
    'x = ">>> "',
    'x = "$ ls"',
    'uvx(1)'
  ])('%j is code', code => {
    expect(isCodeBlock(code, 'python')).toBe(true);
  });

  it.each([
    '',
    ' \n ',
    '55',
    'words # no comment',
    '>>> x = 1',
    '  >>> x = 1',
    'In [12]: x = 1',
    '$ f(x)\nx = 1',
    '# pip install x\nx = 1',
    '#apt install x\nx = 1',
    '# conda install x\nx = 1',
    '  pip install x\nx = 1',
    ...lines(
      'sudo\npip\npip3\nconda\nmamba\nnpm\napt\napt-get\nbrew\ncd\nls\nmkdir\ngit\ncurl\nwget\nuv\npython\npython3'
    ).map(word => `${word}  ./x\nx = 1`)
  ])('%j is none', code => {
    expect(isCodeBlock(code, 'python')).toBe(false);
  });

  it.each([
    ['>>> f(1)', true],
    ['\n >>> f(1)', true],
    ['>>>f(1)', false],
    ['In [1]: x', true],
    ['In []: x', false],
    ['In [1] x', false],
    ['x\n>>> f(1)', false]
  ])('%j is a session: %s', (code, expected) => {
    expect(isSession(code)).toBe(expected);
  });
});
