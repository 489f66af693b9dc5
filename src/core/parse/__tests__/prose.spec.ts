import { parseAnswer } from '../parse';

const read = (text: string) => {
  const { thoughts, code } = parseAnswer(text, {
    kind: 'markdown',
    language: 'python'
  });
  return [thoughts, code];
};

describe('an answer of prose', () => {
  it.each([
    ['a\r\nb', '', 'a\nb'],
    // Thinking.
    ['<think>why</think>\nText', 'why', 'Text'],
    ['why</think>Text', 'why', 'Text'],
    ['<think>never ends', 'never ends', ''],
    ['Use the <think> tag', '', 'Use the <think> tag'],
    // JSON.
    ['{"thoughts": "t", "response": " x "}', 't', 'x'],
    ['See {"response": "x"}', '', 'See {"response": "x"}'],
    // A fence around all of it.
    ['```markdown\nx\n```', '', 'x'],
    ['```\nx\n```', '', 'x'],
    ['```md\nx', '', 'x'],
    ['````md\n```py\nx\n```\ny\n````', '', '```py\nx\n```\ny'],
    ['```\na\n```\nb\n```\nc\n```', '', '```\na\n```\nb\n```\nc\n```'],
    ['```python\nx\n```', '', '```python\nx\n```'],
    ['before\n```\nx\n```', '', 'before\n```\nx\n```'],
    // An introduction.
    ['Sure!\n\nA text.', 'Sure!', 'A text.'],
    ['Here is the text:\n\n```md\nx\n```', 'Here is the text:', 'x'],
    ['Here is what we know.\n\nMore.', '', 'Here is what we know.\n\nMore.'],
    ['Here is the text:', '', 'Here is the text:'],
    // A closing remark.
    [
      'A text.\n\nLet me know if it fits!',
      'Let me know if it fits!',
      'A text.'
    ],
    ['Let me know.', '', 'Let me know.']
  ])('%j', (text, thoughts, prose) => {
    expect(read(text)).toEqual([thoughts, prose]);
  });
});
