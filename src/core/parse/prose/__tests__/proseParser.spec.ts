import { readProse } from '../proseParser';

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
    // A word is no section.
    ['Response is what we need', '', 'Response is what we need'],
    ['Responses: many', '', 'Responses: many'],
    ['Text\n\nResponse: x', '', 'Text\n\nResponse: x'],
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
    // A byte order mark is a blank to trim().
    ['```md\n\uFEFFx\n```', '', 'x']
  ])('%j', (text, thoughts, prose) => {
    expect(readProse(text)).toEqual({ thoughts, prose });
  });

  it('is no quotation where it is only presented as one', () => {
    const answer =
      'Here is the text:\n\n> A tide.\n>\n> Another.\n\nWould you like more?';
    expect(readProse(answer).prose).toBe('A tide.\n\nAnother.');
    expect(readProse(answer, '> The old tide.').prose).toBe(
      '> A tide.\n>\n> Another.'
    );
    expect(readProse('> A tide.').prose).toBe('> A tide.');
    expect(readProse('Here is the text:\n\n> A tide.\n\nMore.').prose).toBe(
      '> A tide.\n\nMore.'
    );
  });
});
