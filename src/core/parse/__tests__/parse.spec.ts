import fc from 'fast-check';
import { AnswerParser, parseAnswer, type ParsedAnswer } from '../parse';
import { fenceKind } from '../blocks';
import { ANSWERS } from './answers';

const PYTHON = { language: 'python', kind: 'code' } as const;
const FIB = 'def fibonacci(n):\n    return n';

function parse(text: string): ParsedAnswer {
  return parseAnswer(text, PYTHON);
}

/** Feed in the given pieces; what the deltas add up to, and what was closed on the way. */
function stream(
  pieces: readonly string[],
  options: { language: string; kind: 'code' | 'markdown' } = PYTHON
) {
  const parser = new AnswerParser(options);
  const shown = { thoughts: '', code: '' };
  const closed: boolean[] = [];
  const apply = (delta: ReturnType<typeof parser.push>) => {
    if (delta) {
      shown.thoughts = (delta.reset ? '' : shown.thoughts) + delta.thoughts;
      shown.code = (delta.reset ? '' : shown.code) + delta.code;
    }
  };
  for (const piece of pieces) {
    apply(parser.push(piece));
    if (parser.isComplete !== (closed.at(-1) ?? false)) {
      closed.push(parser.isComplete);
    }
  }
  const { answer, delta } = parser.end();
  apply(delta);
  return { answer, shown, closed };
}

describe('fenced blocks', () => {
  it.each([
    'python',
    'py',
    'ipython',
    'ipython3',
    'Python',
    'python3',
    '',
    '{python}',
    '{.python}',
    'python title="a.py"',
    'python:main.py'
  ])('takes a block labelled %j', label => {
    expect(
      parse(`Because.\n\n\`\`\`${label}\n${FIB}\n\`\`\`\nDone.\n`)
    ).toEqual({
      thoughts: 'Because.\n\nDone.',
      code: FIB,
      closed: true
    });
  });

  it.each([
    'bash',
    'sh',
    'shell',
    'console',
    'text',
    'json',
    'output',
    'toml',
    'example',
    'python example'
  ])('leaves a block labelled %j alone', label => {
    const other = `\`\`\`${label}\nx = 1\n\`\`\``;
    expect(parse(other).code).toBe('');
    const answer = parse(`\`\`\`python\n${FIB}\n\`\`\`\n${other}\n`);
    expect(answer.code).toBe(FIB);
    expect(answer.thoughts).toContain('x = 1');
  });

  it('takes a block that is offered as the answer', () => {
    for (const before of [
      'You can use the following code:',
      'This returns the sum:',
      'Here is an example implementation:'
    ]) {
      const text = `\`\`\`python\na = 1\n\`\`\`\n${before}\n\`\`\`python\n${FIB}\n\`\`\``;
      expect(parse(text).code).toBe(FIB);
    }
  });

  it('takes the longest block of a language without names', () => {
    const code = 'double <- function(x) {\n  2 * x\n}';
    const text = `\`\`\`r\n${code}\n\`\`\`\nUse it:\n\`\`\`r\ndouble(2)\n\`\`\``;
    const r = { kind: 'code', language: 'r' } as const;
    expect(parseAnswer(text, r).code).toBe(code);
  });

  it('reads four ticks around three', () => {
    const code = `text = """\n\`\`\`python\nx\n\`\`\`\n"""`;
    expect(parse(`\`\`\`\`python\n${code}\n\`\`\`\`\n`)).toMatchObject({
      code,
      closed: true
    });
  });

  it('reads a fence that is not closed', () => {
    expect(parse(`Why.\n\`\`\`python\n${FIB}`)).toEqual({
      thoughts: 'Why.',
      code: FIB,
      closed: false
    });
    expect(parse(`\`\`\`python\n${FIB}\`\`\``).code).toBe(FIB);
  });

  it('does not take an unclosed block of output', () => {
    expect(
      parse(`\`\`\`python\n${FIB}\n\`\`\`\nIt prints\n\`\`\`\n1 1 2`).code
    ).toBe(FIB);
    expect(parse('```\n1 1 2').code).toBe('');
  });

  it('takes away %%refine lines and blank lines around the code', () => {
    expect(
      parse('```python\n%%refine max-attempts=3\n\nx = 1\n\n\n```').code
    ).toBe('x = 1');
  });
});

describe('thinking', () => {
  it.each(['<think>', '<thinking>', '<seed:think>', '[THINK]', '◁think▷'])(
    'leaves %s out of the candidate and shows it',
    tag => {
      const end = tag[0] + '/' + tag.slice(1);
      const answer = parse(
        `${tag}\nMaybe\n\`\`\`python\nx = 0\n\`\`\`\n${end}\nSo:\n\`\`\`python\nx = 1\n\`\`\``
      );
      expect(answer.code).toBe('x = 1');
      expect(answer.thoughts).toMatch(/^Maybe[\s\S]*So:$/);
    }
  );

  it('has no candidate while thinking never ends', () => {
    expect(parse('<think>\n```python\nx = 0\n```\nor').code).toBe('');
  });

  it('leaves a tag inside code alone', () => {
    expect(parse('```python\nx = """\n<think>\n"""\n```').code).toBe(
      'x = """\n<think>\n"""'
    );
  });

  it('puts a separate reasoning channel before the rest', () => {
    const parser = new AnswerParser(PYTHON);
    parser.reason('Let me ');
    parser.reason('see.');
    parser.push('So:\n```python\nx = 1\n```');
    expect(parser.end().answer).toEqual({
      thoughts: 'Let me see.\n\nSo:',
      code: 'x = 1',
      closed: true
    });
  });
});

describe('one JSON object', () => {
  it.each(['code', 'response'])('reads thoughts and %s', key => {
    expect(parse(JSON.stringify({ thoughts: 'loop', [key]: FIB }))).toEqual({
      thoughts: 'loop',
      code: FIB,
      closed: false
    });
  });

  it('reads it from a json fence, with raw line breaks', () => {
    const json = JSON.stringify({ thoughts: 'loop', code: FIB }, null, 2);
    expect(parse('```json\n' + json + '\n```').code).toBe(FIB);
    expect(parse('Here it is:\n' + json + '\n').code).toBe(FIB);
    expect(parse(`{"thoughts": "loop", "code": "${FIB}"}`).code).toBe(FIB);
  });

  it('reads text that only begins like JSON as text', () => {
    expect(parse('{not json}\n```python\nx = 1\n```').code).toBe('x = 1');
  });
});

describe('bare code', () => {
  it.each([
    'I cannot help with that.',
    'Use a loop for this, then return the result of it.',
    'For each number in the list we add it: simple.',
    'The function (see above) is right already.',
    '',
    '   \n\n'
  ])('finds none in %j', text => {
    expect(parse(text).code).toBe('');
  });
});

describe('streaming', () => {
  it('reports a closed block, and voids it when another starts', () => {
    const { closed } = stream([
      '```python\nx = 1\n```\n',
      'Better:\n```python\n',
      'x = 2\n',
      '```',
      '\n'
    ]);
    expect(closed).toEqual([true, false, true]);
  });

  const piece = fc.constantFrom(
    '```python\n',
    '```py\n',
    '```\n',
    '````python\n',
    '````\n',
    '```bash\n',
    '```json\n',
    '```markdown\n',
    '   ```python\n',
    '   ```\n',
    'x = 1\n',
    '    return n\n',
    'def f(n):\n',
    '"""\n',
    "'''doc'''\n",
    '# comment\n',
    'Some words of prose that are long enough to show.\n',
    'Example usage:\n',
    'Thoughts:\n',
    'Response:\n',
    '<think>\n',
    '</think>\n',
    '<response>',
    '</response>\n',
    '{"thoughts": "a", ',
    '"code": "x = 2"}\n',
    '\n',
    '\r\n',
    '%%refine\n',
    'print(1)',
    '`',
    '~~~\n',
    '>>> x\n',
    '- item\n',
    '🐍 = "é"\n'
  );

  it.each(['code', 'markdown'] as const)(
    'gives the same however a %s answer is cut',
    kind => {
      const options = { language: 'python', kind };
      fc.assert(
        fc.property(
          fc.array(piece, { maxLength: 14 }),
          fc.array(fc.nat(200), { maxLength: 12 }),
          (pieces, cuts) => {
            const text = pieces.join('');
            const whole = parseAnswer(text, options);
            const at = [
              ...new Set(cuts.map(cut => cut % (text.length + 1)))
            ].sort((a, b) => a - b);
            const parts = [0, ...at].map((from, i) =>
              text.slice(from, at[i] ?? text.length)
            );
            const pieced = stream(parts, options);
            expect(pieced.answer).toEqual(whole);
            expect(pieced.shown).toEqual({
              thoughts: whole.thoughts,
              code: whole.code
            });
            expect(stream([...text], options).answer).toEqual(whole);
          }
        ),
        { numRuns: 1500 }
      );
    }
  );

  it('never drops a labelled block that is closed and last', () => {
    const line = fc.constantFrom(
      'x = 1',
      '    y = 2',
      '# c',
      '',
      'z = "`"',
      'print("a")'
    );
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 6 }),
        fc.array(line, { minLength: 1, maxLength: 6 }),
        (before, lines) => {
          const code = ['first = 0', ...lines].join('\n').trimEnd();
          const prefix = before.filter(p => !/[`~"<{']/.test(p)).join('');
          const text = `${prefix}\nThis is it.\n\`\`\`python\n${code}\n\`\`\`\n`;
          expect(parse(text)).toMatchObject({ code, closed: true });
        }
      )
    );
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
});

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

// The corpus: a format that a model uses and we misread belongs into `answers.ts`.
describe('an answer', () => {
  it.each(ANSWERS.map(one => [one.name, one] as const))(
    'with %s gives the code that a person would take',
    (_, { answer, code, needs, previous }) => {
      const options = {
        language: 'python',
        kind: 'code',
        needs,
        previous
      } as const;
      expect(parseAnswer(answer, options).code).toBe(code);
      const parser = new AnswerParser(options);
      let shown = '';
      for (const delta of [
        ...Array.from(answer, piece => parser.push(piece)),
        parser.end().delta
      ]) {
        shown =
          delta === null ? shown : (delta.reset ? '' : shown) + delta.code;
      }
      expect(shown).toBe(code);
    }
  );
});
