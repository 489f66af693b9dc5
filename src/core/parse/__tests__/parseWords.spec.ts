/** What single lines, labels and headings of an answer are taken for. */
import { announcesExample, fenceKind } from '../info';
import { codeRegion, isCodeBlock, isCodeLine, isSession } from '../looks';
import { readProse } from '../prose';
import { cleanCode, jsonAnswer, scan } from '../reading';
import { mayBeHeading, sectionMark } from '../sections';

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

describe('the label of a fence', () => {
  it.each([
    ['python', 'python python3 py py3 ipython ipython3 sage PYTHON'],
    ['r', 'r R ir rscript rlang {r} {.r}'],
    ['julia', 'julia jl'],
    ['javascript', 'javascript js node ecmascript'],
    ['typescript', 'typescript ts'],
    ['c++', 'c++ cpp cxx'],
    ['rust', 'rust rs'],
    ['bash', 'bash sh shell'],
    ['haskell', 'haskell']
  ])('is that of %s: %s', (language, labels) => {
    for (const label of labels.split(' ')) {
      expect([label, fenceKind(label, language)]).toEqual([label, 'candidate']);
      expect(fenceKind(label, 'scala')).toBe('other');
    }
  });

  it.each([
    ...['code', 'cell', 'jupyter', 'notebook', 'solution', 'tool_code'].map(
      label => [label, 'unlabelled']
    ),
    ['', 'unlabelled'],
    ['  ', 'unlabelled'],
    ['{}', 'unlabelled'],
    ['.', 'unlabelled'],
    ['title="a.py"', 'unlabelled'],
    ['python title="a.py"', 'candidate'],
    ['python,linenos', 'candidate'],
    ['{python}{numbers}', 'candidate'],
    ['python;linenos', 'candidate'],
    ['python:main.py', 'candidate'],
    ['{.python .numbers}', 'candidate'],
    [' python', 'candidate'],
    ['main.python', 'other'],
    ['python example', 'other'],
    ['example', 'other'],
    ['examples', 'other'],
    ['text python', 'other'],
    ['json', 'json'],
    ['json5', 'other'],
    ['markdown', 'prose'],
    ['md', 'prose'],
    ['text', 'other']
  ])('%j says %s', (label, expected) => {
    expect(fenceKind(label, 'python')).toBe(expected);
  });
});

describe('the line before a fence', () => {
  it.each(
    lines(`
Example usage:
example use
sample output
Samples  outputs
Example run
Examples inputs
Example calls
Example session
Usage:
The output
Outputs:
It prints:
Example:
Examples :
For example:
for instance,
You can now use it
you could call the function
you may test them
you might run the cell
You can try this
You can check the code
You can verify the class
You can use the method
To test it:
to try this
to run it
to verify it
to check it
How to use f
how to run
how to call
how to test
`)
  )('announces an example: %s', line => {
    expect(announcesExample(line)).toBe(true);
  });

  it.each(
    lines(`
Here is the code:
The output is sorted by name
Usage of memory is low
For example, zero gives one
For instance zero
An example: zero gives one
You can see it
You now can call it
You can use the list
To do it:
to test a
How to think
counterexample use
blueprints
exampleusage
`)
  )('announces none: %s', line => {
    expect(announcesExample(line)).toBe(false);
  });
});

describe('a section', () => {
  const enter = (section: string, rest: string) => ({
    type: 'enter',
    section,
    rest
  });

  it.each([
    ['<thoughts>why', enter('thoughts', 'why')],
    ['<Thought>', enter('thoughts', '')],
    ['  <response>x', enter('response', 'x')],
    ['<answer>', enter('response', '')],
    ['<code>', enter('response', '')],
    ['<solution>', enter('response', '')],
    ['Thoughts: why', enter('thoughts', 'why')],
    ['thought : why', enter('thoughts', 'why')],
    ['Response: x', enter('response', 'x')],
    ['Answer:', enter('response', '')],
    ['Code:', enter('response', '')],
    ['**Answer:** x', enter('response', 'x')],
    ['**Answer**: x', enter('response', 'x')],
    ['__Answer__: x', enter('response', 'x')],
    ['## Answer: x', enter('response', 'x')],
    ['#Answer', enter('response', '')],
    ['  ## Solution', enter('response', '')],
    ['###### Response', enter('response', '')],
    ['**Code**', enter('response', '')],
    ['__Code__', enter('response', '')],
    ['**Thoughts**', enter('thoughts', '')]
  ])('begins with %j', (line, expected) => {
    expect(sectionMark(line)).toEqual(expected);
  });

  it.each([
    ['</answer>', '', ''],
    ['x</thoughts>  y', 'x', 'y'],
    ['x </Code>', 'x ', ''],
    ['a</response>b</response>c', 'a', 'b</response>c'],
    ['</solution>', '', '']
  ])('ends with %j', (line, before, rest) => {
    expect(sectionMark(line)).toEqual({ type: 'leave', before, rest });
  });

  it.each(
    lines(`
any words
a <answer>
<answers>
Answer: 42
Answer
Solution
Response
Response is x
Answers:
## Solution of it
## My solution
**Answer** is x
the response: x
####### Response
`)
  )('does not begin with %j', line => {
    expect(sectionMark(line)).toBeNull();
  });

  it.each([
    ['Response', true],
    ['## Code', true],
    ['  **Answer', true],
    ['Thought', true],
    ['The code', false],
    ['Res', false],
    ['', false]
  ])('may still start with %j: %s', (partial, expected) => {
    expect(mayBeHeading(partial)).toBe(expected);
  });
});

describe('an answer of prose', () => {
  it.each([
    // Thinking.
    ['plain', '', 'plain'],
    ['a\r\nb\rc', '', 'a\nb\nc'],
    ['<think>why</think>\nText', 'why', 'Text'],
    ['why</think>Text', 'why', 'Text'],
    ['why</Thinking>Text', 'why', 'Text'],
    ['<thinking>a\n</thinking>x\n<reasoning>b</reasoning>y', 'a\nb', 'x\ny'],
    ['a</think>\n<think>b</think>\nText', 'ab', 'Text'],
    ['<think>never ends', 'never ends', ''],
    ['Text\n  <think>never ends', 'never ends', 'Text'],
    ['Use the <think> tag', '', 'Use the <think> tag'],
    // JSON.
    ['{"thoughts": "t", "response": " x "}', 't', 'x'],
    ['\n {"response": "x"}', '', 'x'],
    ['<think>w</think>{"thoughts": "t", "response": "x"}', 'w\n\nt', 'x'],
    ['{"a": 1}', '', '{"a": 1}'],
    ['See {"response": "x"}', '', 'See {"response": "x"}'],
    // Sections.
    ['Response: hi', '', 'hi'],
    ['\n## Response\n\nhi', '', 'hi'],
    ['**Response:** hi', '', 'hi'],
    ['__Response__ hi', '', 'hi'],
    ['<answer>hi</answer>', '', 'hi'],
    ['<Response>hi</Response>', '', 'hi'],
    ['Response is what we need', '', 'Response is what we need'],
    ['Responses: many', '', 'Responses: many'],
    ['Text\n\nResponse: x', '', 'Text\n\nResponse: x'],
    ['Thoughts: a\nResponse: b\nc', 'a', 'b\nc'],
    ['Thoughts: a\nResponse\nb', 'a', 'b'],
    ['Thoughts: a\nThoughts: b\nResponse: c', 'a\nThoughts: b', 'c'],
    [
      'Thought:\na\nResponse is near\n**Response**\nb',
      'a\nResponse is near',
      'b'
    ],
    ['<thoughts>a</thoughts>\n<response>b</response>', 'a', 'b'],
    ['Thoughts: only', 'only', ''],
    ['<thought>only</thought>', 'only', ''],
    ['<think>w</think>Thoughts: a\nResponse: b', 'w\n\na', 'b'],
    // A fence around all of it.
    ['```markdown\nx\n```', '', 'x'],
    ['```md \nx\n```\n', '', 'x'],
    ['```MD\nx\n```', '', 'x'],
    ['```\nx\n```', '', 'x'],
    ['~~~\nx\n~~~', '', 'x'],
    ['````\n```py\nx\n```\n````', '', '```py\nx\n```'],
    ['```md\nx', '', 'x'],
    ['```\nx', '', '```\nx'],
    ['```\nmarkdown', '', '```\nmarkdown'],
    ['```\n\nx\n\n```', '', 'x'],
    ['Thoughts: a\nResponse \nb', 'a', 'b'],
    ['Thoughts:\nResponse: b', '', 'b'],
    ['```python\nx\n```', '', '```python\nx\n```'],
    ['```\nx\n```\nafter', '', '```\nx\n```\nafter'],
    ['before\n```\nx\n```', '', 'before\n```\nx\n```'],
    ['```\na\n```\nb\n```\nc\n```', '', '```\na\n```\nb\n```\nc\n```'],
    ['```md\na\n```\nb\n```\nc\n```', '', 'a\n```\nb\n```\nc'],
    ['``\nx\n``', '', '``\nx\n``'],
    // A labelled one with words around it.
    [
      '```markdown\n# T\n\nx\n```\n\nI kept it short.',
      'I kept it short.',
      '# T\n\nx'
    ],
    ['~~~md\nx\n~~~\nDone.', 'Done.', 'x'],
    ['```md\nx\n````\nDone.', 'Done.', 'x'],
    ['```md\nx\n   ``` \nDone.', 'Done.', 'x'],
    ['````md\nx\n```\ny\n````\nDone.', 'Done.', 'x\n```\ny'],
    ['~~~md\nx\n```\ny\n~~~\nDone.', 'Done.', 'x\n```\ny'],
    ['```md\n```py\nx\n```\ny\n```\nDone.', 'Done.', '```py\nx\n```\ny'],
    ['```md\n```py\nx\n```\ny', '', '```py\nx\n```\ny'],
    ['```md\na\n```\nb\n```', '', 'a\n```\nb\n```'],
    ['```md\na\n    ```\nb', '', 'a\n    ```\nb'],
    ['```md\na ```\nb', '', 'a ```\nb'],
    ['Here is the text:\n\n```markdown\nx\n```', 'Here is the text:', 'x'],
    ['Sure!\n```md\nx\n```\nDone.', 'Sure!\n\nDone.', 'x'],
    ['Of course.\n~~~Markdown \nx', 'Of course.', 'x'],
    ['Write:\n```md\nx\n```', '', 'Write:\n```md\nx\n```'],
    ['Here it is\n```md\nx\n```', '', 'Here it is\n```md\nx\n```'],
    ['Heretics:\n```md\nx\n```', '', 'Heretics:\n```md\nx\n```'],
    ['Here:\n```\nx\n```', '', 'Here:\n```\nx\n```'],
    ['Here:\n```mdx\nx\n```', '', 'Here:\n```mdx\nx\n```'],
    ['Here:\nand\n```md\nx\n```', '', 'Here:\nand\n```md\nx\n```'],
    ['Thoughts: a\nResponse:\n```md\nx\n```\nDone.', 'a\n\nDone.', 'x'],
    // A byte order mark is a blank to trim().
    ['```md\n\uFEFFx\n```', '', 'x']
  ])('%j', (text, thoughts, prose) => {
    expect(readProse(text)).toEqual({ thoughts, prose });
  });
});

describe('a whole answer', () => {
  it.each([
    ['%%refine do it\n\n  \nx = 1\n\n', 'x = 1'],
    ['x = 1\n%%refine', 'x = 1'],
    ['%%refined\nx', '%%refined\nx'],
    [' %%refine\nx', ' %%refine\nx'],
    ['\n\t\n  x = 1', '  x = 1'],
    ['\uFEFF\n  x = 1', '  x = 1'],
    ['\uFEFF%%refine do it\nx = 1', 'x = 1'],
    ['x = "\uFEFF"', 'x = "\uFEFF"'],
    ['x\n\n\ny', 'x\n\n\ny']
  ])('%j goes into a cell as %j', (code, expected) => {
    expect(cleanCode(code)).toBe(expected);
  });

  it.each([
    [{ code: 'x = 1', thoughts: ' t ' }, 't', 'x = 1'],
    [{ code: '```python\nx = 1\n```' }, '', 'x = 1'],
    [{ code: 'So:\n  ~~~python\nx = 1\n~~~' }, '', 'x = 1'],
    [{ code: 's = "```"' }, '', 's = "```"'],
    [{ code: '```text\nx\n```' }, '', '```text\nx\n```']
  ])('as JSON: %j', (value, thoughts, code) => {
    expect(jsonAnswer(JSON.stringify(value), { language: 'python' })).toEqual({
      thoughts,
      code,
      closed: false
    });
  });

  it('as JSON of something else is none', () => {
    expect(jsonAnswer('{"x": 1}', { language: 'python' })).toBeNull();
  });

  const block = (label: string, text: string) =>
    `\`\`\`${label}\n${text}\n\`\`\`\n`;

  it.each([
    [
      'a block, CRLF',
      'Why.\r\n```python\r\nx = 1\r\n```\r\n',
      'Why.',
      'x = 1',
      true
    ],
    ['a block left open', 'Why.\n```python\nx = 1', 'Why.', 'x = 1', false],
    ['ticks at the end of the code', '```python\nx = 1```', '', 'x = 1', false],
    ['no code at all', 'I cannot.', 'I cannot.', '', false],
    [
      'the last of two JSON blocks',
      block('json', '{"code": "a = 1"}') + block('json', '{"code": "b = 2"}'),
      '',
      'b = 2',
      false
    ],
    [
      'the JSON block that holds code',
      block('json', '{"code": "a = 1"}') + block('json', '{"x": 2}'),
      '',
      'a = 1',
      false
    ],
    [
      'JSON after text and thinking',
      '<think>w</think>\nHere:\n  {"thoughts": "t",\n"code": "a = 1"}',
      'w\n\nt',
      'a = 1',
      false
    ],
    [
      'bare code between text',
      'Here it is.\n\n\nx = 1\n\n\nThat is all there is.',
      'Here it is.\n\nThat is all there is.',
      'x = 1',
      false
    ],
    [
      'a bare loop',
      'Here it is.\n\nfor row in rows:\n    print(row)',
      'Here it is.',
      'for row in rows:\n    print(row)',
      false
    ],
    [
      'bare code of the response only',
      'Thoughts: first\ny = 2\nResponse:\nx = 1',
      'first\ny = 2',
      'x = 1',
      false
    ],
    [
      'no bare code beside a block',
      block('text', '55') + 'x = 1',
      null,
      '',
      false
    ],
    [
      'an example where there is nothing else',
      `Example usage:\n${block('python', 'f(1)')}`,
      null,
      'f(1)',
      true
    ],
    [
      'the last text block that holds code',
      `\`\`\`\`markdown\n${block('python', 'a = 1')}\`\`\`\`\n\`\`\`\`markdown\n${block('python', 'b = 2')}\`\`\`\`\n\`\`\`\`markdown\nwords\n\`\`\`\`\n`,
      null,
      'b = 2',
      true
    ]
  ])('holds %s', (_, text, thoughts, code, closed) => {
    const read = scan(text, { language: 'python' });
    expect(read).toMatchObject({ code, closed });
    if (thoughts !== null) {
      expect(read.thoughts).toBe(thoughts);
    }
  });
});
