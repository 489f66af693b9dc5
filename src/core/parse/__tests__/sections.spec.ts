import { mayBeHeading, sectionMark } from '../sections';

const lines = (text: string) => text.trim().split('\n');

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
