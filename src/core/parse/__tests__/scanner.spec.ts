/** What a user sees while an answer streams, line by line. */
import { createParser, parseAnswer } from '../parse';
import { AnswerScanner } from '../scanner';

type View = {
  readonly thoughts: string;
  readonly code: string;
  readonly closed: string | null;
};

function viewer(language: string) {
  const parser = createParser({ language, kind: 'code' });
  let [thoughts, code] = ['', ''];
  const show = (delta: ReturnType<typeof parser.push>) => {
    if (delta) {
      thoughts = (delta.reset ? '' : thoughts) + delta.thoughts;
      code = (delta.reset || delta.resetCode ? '' : code) + delta.code;
    }
  };
  return {
    push(text: string): View {
      show(parser.push(text));
      return { thoughts, code, closed: parser.closed };
    },
    end() {
      const { answer, delta } = parser.end();
      show(delta);
      expect({ thoughts, code }).toEqual({
        thoughts: answer.thoughts,
        code: answer.code
      });
      return answer;
    }
  };
}

/** What is seen after `text`, however it was cut into pieces. */
function seen(text: string, language = 'python'): View {
  const [whole, single] = [viewer(language), viewer(language)];
  const view = whole.push(text);
  const last = [...text].map(char => single.push(char)).at(-1);
  expect(last).toEqual(view);
  expect(single.end()).toEqual(whole.end());
  return view;
}

const read = (text: string, language = 'python') =>
  parseAnswer(text, { language, kind: 'code' });

const ONE = '```python\nx = 1\n```\n';

describe('the preview of code', () => {
  it.each([
    ['a block that is open', '```python\nx = 1\n', 'x = 1'],
    ['one without a label', '```\nx = 1\n', 'x = 1'],
    ['the last block that closed', ONE, 'x = 1'],
    ['the block after it', `${ONE}\`\`\`python\ny = 2\n`, 'y = 2'],
    ['not one of output after it', `${ONE}\`\`\`\ny = 2\n`, 'x = 1'],
    ['not an example after it', `${ONE}Usage:\n\n\`\`\`python\ny\n`, 'x = 1'],
    ['not what is labelled otherwise', '```json\n{"a": 1}\n', ''],
    ['nor a shell’s', '```bash\nx=1\n', ''],
    [
      'an answer that begins like code',
      'import re\n\nx = 1\nwords\n',
      'import re\n\nx = 1\nwords'
    ],
    ['code after blank lines', '\n \nx = 1\n', 'x = 1'],
    ['not a line of code after prose', 'Use this:\nx = 1\n', ''],
    ['not a line of code after a block', '```bash\nls\n```\nx = 1\n', ''],
    ['a response after prose', 'A loop.\nResponse:\nx = 1\n', 'x = 1'],
    ['not the thoughts after prose', 'A loop.\nThoughts:\nx = 1\n', ''],
    ['not prose', 'A loop.\n', '']
  ])('is %s', (_, text, code) => {
    expect(seen(text).code).toBe(code);
  });

  it('is prose where a block follows what looked like code', () => {
    expect(seen('x = 1\n\n```python\ny = 2\n')).toEqual({
      thoughts: 'x = 1',
      code: 'y = 2',
      closed: null
    });
    expect(read('x = 1\n\n\n```python\ny = 2\n```\nDone.').thoughts).toBe(
      'x = 1\nDone.'
    );
  });

  it('takes a block for closed once nothing supersedes it', () => {
    expect(seen('```python\nx = 1\n').closed).toBeNull();
    expect(seen(ONE).closed).toBe('x = 1');
    expect(seen(`${ONE}\`\`\`\n1\n`).closed).toBe('x = 1');
    expect(seen(`${ONE}\`\`\`python\n`).closed).toBeNull();
    expect(seen(`${ONE}\`\`\`\ny = 2\n\`\`\`\n`).closed).toBe('y = 2');
  });
});

describe('thoughts before their line has ended', () => {
  const early = (partial: string, before = '') => {
    const view = viewer('python');
    const { thoughts } = view.push(before);
    return view.push(partial).thoughts.slice(thoughts.length).trimStart();
  };
  const words = 'The sum is wrong, as it s'; // 25 characters

  it('shows a line that is long enough to be prose', () => {
    expect(early(words)).toBe(words);
    expect(early(words.slice(0, 24))).toBe('');
    expect(early(`      ${words.slice(0, 24)}`)).toBe('');
    expect(early(`      ${words}`)).toBe(words);
  });

  it.each([...'`~<{#*_>+-4'])('waits with a line that begins with %s', char => {
    expect(early(`${char} ${words}`, 'Hm.\n')).toBe('');
    expect(early(`  ${char} ${words}`, 'Hm.\n')).toBe('');
    if (char !== '<') {
      expect(early(`${words} ${char}`, 'Hm.\n')).toBe(`${words} ${char}`);
    }
  });

  it('waits with what may be a heading, or code', () => {
    expect(early('Response to what you asked for')).toBe('');
    expect(early('values = [n * n for n in numbers')).toBe('');
  });

  it('shows no line in a block or after what looked like code', () => {
    expect(early(`    ${words}`, '```bash\n')).toBe('');
    expect(early(words, 'import re\n')).toBe('');
  });

  it('shows thinking at once, whatever it looks like', () => {
    for (const partial of ['x', '```', 'x = 1', '# So']) {
      expect(early(partial, '<think>\nHm.\n')).toBe(partial);
    }
  });
});

describe('thinking', () => {
  it.each(['think', 'thinking', 'reasoning', 'THINK'])('reads <%s>', tag => {
    expect(read(`  <${tag}>\nx = 0\n</${tag}>\n${ONE}So.`)).toEqual({
      thoughts: 'x = 0\nSo.',
      code: 'x = 1',
      closed: true
    });
  });

  it.each([
    ['<think>\na\n</think>\nb', 'a\nb'],
    ['<think>\na</think>b', 'a\nb'],
    ['<think>\na</think>   b', 'a\nb'],
    ['<think>\na</think>   \nb', 'a\nb'],
    ['<think>   \na\n</think>\nb', 'a\nb'],
    ['<think>a\nb</think>', 'a\nb'],
    ['<think>a</think><think>b</think>c', 'a\nb\nc']
  ])('leaves the tags of %j out, and no blank lines for them', (text, all) => {
    expect(read(text)).toEqual({ thoughts: all, code: '', closed: false });
    expect(seen(`${text}\n`).thoughts).toBe(all);
  });

  it.each(['x = 1', '{"code": "x = 1"}'])('stands before a bare %s', code => {
    expect(read(`<think>a\nb</think>\n${code}`)).toEqual({
      thoughts: 'a\nb',
      code: 'x = 1',
      closed: false
    });
  });

  it('leaves a tag within a sentence alone', () => {
    expect(read(`a <think> b\n${ONE}`)).toEqual({
      thoughts: 'a <think> b',
      code: 'x = 1',
      closed: true
    });
    expect(read(`${ONE}One may write </think> there.`).code).toBe('x = 1');
  });

  it.each([
    '</think>No.',
    '  </think> No.',
    '</think>\nNo.',
    'hm</think>\nNo.',
    'hm</think>  \nNo.'
  ])('takes back all that came before %j', end => {
    for (const before of [
      'x = 0\n',
      'It may be\nx = 0\n',
      ONE,
      `For example:\n${ONE}`,
      '```json\n{"code": "x = 0"}\n```\n',
      `\`\`\`\`markdown\n${ONE}\`\`\`\`\n`
    ]) {
      expect(read(before).code).not.toBe('');
      const { thoughts, code } = read(before + end);
      expect(code).toBe('');
      expect(thoughts).toMatch(/No\.$/);
    }
  });

  it('shows as thoughts what was taken back', () => {
    expect(read(`Hm.\n${ONE}So it is\n</think>\nNo.`).thoughts).toBe(
      'Hm.\nSo it is\nx = 1\n\nNo.'
    );
    expect(read('x = 0\n\n</think>\nNo.').thoughts).toBe('x = 0\n\nNo.');
  });

  it('begins anew after it', () => {
    const before = `Hm.\n\`\`\`bash\nls\n\`\`\`\n</think>\n`;
    expect(seen(`${before}x = 1\n`)).toMatchObject({ code: 'x = 1' });
    expect(read(`${before}x = 1\n`)).toEqual({
      thoughts: 'Hm.\n```bash\nls\n```',
      code: 'x = 1',
      closed: false
    });
  });

  it('does not go on with a section or an example that it began', () => {
    expect(read('Thoughts: hm\n</think>\nx = 1').code).toBe('x = 1');
    expect(seen(`Example usage:\n</think>\n${ONE}`).closed).toBe('x = 1');
  });
});

describe('blocks that are no candidate', () => {
  it.each([
    ['blank', '```python\n   \n```\n'],
    ['a session', '```python\n>>> f(1)\n1\n```\n'],
    ['output', '```\n3 4\n```\n'],
    ['labelled otherwise', '```text\nx = 2\n```\n'],
    ['json', '```json\nx = 2\n```\n']
  ])('keep the one before: %s', (_, block) => {
    expect(read(ONE + block)).toEqual({
      thoughts: block.trim(),
      code: 'x = 1',
      closed: true
    });
    expect(seen(ONE + block).closed).toBe('x = 1');
  });

  it('are shown with their first line, without its indentation', () => {
    expect(
      read(`A list:\n- a\n  \`\`\`bash\n  ls\n    b\n  \`\`\`\n`).thoughts
    ).toBe('A list:\n- a\n```bash\nls\n  b\n```');
    expect(read('~~~~text\na\n~~~~\nb').thoughts).toBe('~~~~text\na\n~~~~\nb');
  });

  it('are shown once when they stand on one line', () => {
    expect(read('First:\n```bash ls```\nThen.').thoughts).toBe(
      'First:\n```bash\nls\n```\nThen.'
    );
  });

  it('are kept for a later look', () => {
    const scanner = new AnswerScanner({ language: 'python' });
    const found = () => [
      scanner.jsonBlocks,
      scanner.proseBlocks,
      scanner.prose
    ];
    expect(found()).toEqual([[], [], []]);
    const text =
      'a\n```json\n{}\n```\n```md\nb\n```\n```text\nc\n```\n```markdown\nd\n```';
    text.split('\n').forEach(line => scanner.feed(line));
    expect(found()).toEqual([
      ['{}\n'],
      ['b\n', 'd\n'],
      [{ text: 'a', section: 'none' }]
    ]);
  });

  it('hold an announcement no longer than for themselves', () => {
    expect(seen(`Example output:\n\`\`\`text\n1\n\`\`\`\n${ONE}`).closed).toBe(
      'x = 1'
    );
    expect(seen(`Example usage:\n${ONE}`).closed).toBeNull();
    expect(seen(`Example usage:\n\n\n${ONE}`).closed).toBeNull();
    expect(seen(`Example usage:\nResponse:\n${ONE}`).closed).toBe('x = 1');
  });

  it('are examples; the last is taken when nothing else is there', () => {
    const example = 'For example:\n```python\ny = 2\n```\n';
    expect(read(`For example:\n${ONE}${example}`)).toEqual({
      thoughts:
        'For example:\n```python\nx = 1\n```\nFor example:\n```python\ny = 2\n```',
      code: 'y = 2',
      closed: true
    });
    expect(read(example + ONE).code).toBe('x = 1');
  });
});

describe('where a block ends', () => {
  it('is not inside a string, in Python', () => {
    const text = '```python\nx = """\n```\n';
    expect(seen(text)).toEqual({
      thoughts: '',
      code: 'x = """\n```',
      closed: null
    });
    expect(seen(`${text}"""\n\`\`\`\n`).closed).toBe('x = """\n```\n"""');
    expect(read('```python\nx = """\n```python\ny\n"""\n```').code).toBe(
      'x = """\n```python\ny\n"""'
    );
  });

  it('is at the first fence in another language or block', () => {
    expect(seen('```r\nx <- """\n```\n', 'r').closed).toBe('x <- """');
    expect(seen(`\`\`\`bash\necho """\n\`\`\`\n${ONE}`).closed).toBe('x = 1');
  });

  it('is where a new one begins, unless it holds no code', () => {
    expect(seen(`\`\`\`python\ny = 2\n${ONE}`).closed).toBe('x = 1');
    expect(read(`\`\`\`\ny = 2\n${ONE}`)).toEqual({
      thoughts: '',
      code: 'x = 1',
      closed: true
    });
    expect(seen('```text\n```python\nx = 1\n```\n')).toEqual({
      thoughts: '```text\n```python\nx = 1\n```',
      code: '',
      closed: null
    });
  });

  it('is on its line', () => {
    expect(seen('```python x = 1```\n').closed).toBe('x = 1');
    expect(seen('Usage:\n```python x = 1```\n').closed).toBeNull();
  });
});

describe('sections', () => {
  const sections = (text: string) => {
    const scanner = new AnswerScanner({ language: 'python' });
    text.split('\n').forEach(line => scanner.feed(line));
    return scanner.prose.map(line => [line.text, line.section]);
  };

  it('hold what stands between their marks', () => {
    expect(sections('a\nThoughts: b\nResponse:\nc')).toEqual([
      ['a', 'none'],
      ['b', 'thoughts'],
      ['c', 'response']
    ]);
    expect(
      sections('<thoughts>a</thoughts>b\n<code>\nc\n</code>\n  </code>d')
    ).toEqual([
      ['a', 'thoughts'],
      ['b', 'none'],
      ['c', 'response'],
      ['d', 'none']
    ]);
  });

  it('show what they hold, and no blank line for their marks', () => {
    expect(read('<thoughts>\na\n</thoughts>\nb').thoughts).toBe('a\nb');
    expect(read('<thoughts>\na </thoughts>  b').thoughts).toBe('a \nb');
  });
});
