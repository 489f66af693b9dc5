import { cleanCode, jsonAnswer, scan } from '../reading';

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
