import { AnswerParser } from '../../parse/parse';
import {
  frameOf,
  textInPlace,
  withoutPart,
  withPart,
  type Part
} from '../part';
import { replacement } from '../replacement';

const CELL = [
  'import re', // 1
  '', // 2
  'class Reader:', // 3
  '    """Reads."""', // 4
  '', // 5
  '    def read(self, text):', // 6
  '        return text', // 7
  '', // 8
  '    def close(self):  # kept ', // 9
  '        pass', // 10
  '', // 11
  'reader = Reader()  # one of them' // 12
].join('\n');
const METHOD = { first: 6, last: 7 };

/** The cell that an answer makes. */
function cell(answer: string, part: Part = METHOD, source = CELL): string {
  const frame = frameOf(source, part);
  const text = replacement(frame, answer, 'python');
  return text === '' ? withoutPart(frame) : withPart(frame, text);
}

function withLines(part: Part, lines: readonly string[]): string {
  const all = CELL.split('\n');
  all.splice(part.first - 1, part.last - part.first + 1, ...lines);
  return all.join('\n');
}

const NEW = ['    def read(self, text):', '        return text.strip()'];
const EXPECTED = withLines(METHOD, NEW);

describe('an answer with the part alone', () => {
  it('is taken as it is where it has the depth of the part', () => {
    expect(cell(NEW.join('\n'))).toBe(EXPECTED);
  });

  it('is moved to the depth of the part', () => {
    expect(cell('def read(self, text):\n    return text.strip()')).toBe(
      EXPECTED
    );
    expect(
      cell('      def read(self, text):\n          return text.strip()')
    ).toBe(EXPECTED);
  });

  it('may leave out the blanks of its first line', () => {
    expect(cell('def read(self, text):\n        return text.strip()')).toBe(
      EXPECTED
    );
    expect(cell('if text:\n    pass')).toBe(
      withLines(METHOD, ['    if text:', '        pass'])
    );
    expect(
      cell('@staticmethod\n    def read(text):\n        return text')
    ).toBe(
      withLines(METHOD, [
        '    @staticmethod',
        '    def read(text):',
        '        return text'
      ])
    );
  });

  it('keeps the blanks inside of strings, but moves docstrings', () => {
    const answer = [
      'def read(self, text):',
      '    """Read.',
      '',
      '    Twice.',
      '    """',
      '    return """',
      'at the margin',
      '  """ + text'
    ].join('\n');
    expect(cell(answer)).toBe(
      withLines(METHOD, [
        '    def read(self, text):',
        '        """Read.',
        '',
        '        Twice.',
        '        """',
        '        return """',
        'at the margin',
        '  """ + text'
      ])
    );
  });

  it('may be longer than the part and define more', () => {
    const lines = ['    n = 0', '', ...NEW];
    expect(cell(lines.join('\n'))).toBe(withLines(METHOD, lines));
  });
});

describe('an answer with more than the part', () => {
  it('is read as the whole cell', () => {
    expect(cell(EXPECTED)).toBe(EXPECTED);
  });

  it('changes nothing outside of the part', () => {
    const rewritten = EXPECTED.replace('import re', 'import re, os')
      .replace('  # kept ', '')
      .replace('# one of them', '');
    expect(cell(rewritten)).toBe(EXPECTED);
  });

  it('is read as the class around the part', () => {
    const lines = EXPECTED.split('\n').slice(2, 10);
    expect(cell(lines.join('\n'))).toBe(EXPECTED);
    expect(cell(['@dataclass', ...lines].join('\n'))).toBe(EXPECTED);
  });

  it('is read as the head of the class and the part', () => {
    expect(cell(['class Reader:', ...NEW].join('\n'))).toBe(EXPECTED);
  });

  it('may repeat the marks of the prompt', () => {
    const marked = [
      '    # --- to replace: start ---',
      ...NEW,
      '    # --- to replace: end ---'
    ];
    expect(cell(marked.join('\n'))).toBe(EXPECTED);
    expect(cell(withLines(METHOD, marked))).toBe(EXPECTED);
  });

  it('may have the lines around the part more than once', () => {
    const source = 'a = 1\nshow(a)\na = 2\nshow(a)\na = 3\nshow(a)';
    const now = source.replace('a = 2', 'a = 5');
    expect(cell(now, { first: 3, last: 3 }, source)).toBe(now);
  });

  it('is the part where it only looks like more', () => {
    const source = 'x = 1\nfor i in y:\n    x += i\nprint(x)';
    expect(cell('x = 1\nx = sum(y)', { first: 1, last: 3 }, source)).toBe(
      'x = 1\nx = sum(y)\nprint(x)'
    );
  });
});

it('reads the same cell from every way to write an answer', () => {
  const frame = frameOf(CELL, METHOD);
  const read = (text: string, chunk: number) => {
    const parser = new AnswerParser({
      language: 'python',
      kind: 'code',
      frame,
      previous: CELL
    });
    let shown = '';
    const show = (delta: ReturnType<typeof parser.push>) => {
      if (delta) {
        shown = delta.reset ? delta.code : shown + delta.code;
      }
    };
    for (let i = 0; i < text.length; i += chunk) {
      show(parser.push(text.slice(i, i + chunk)));
    }
    const { answer, delta } = parser.end();
    show(delta);
    expect(shown).toBe(answer.code);
    return answer.code;
  };
  const block = (code: string) => `I try.\n\n\`\`\`python\n${code}\n\`\`\`\n`;
  const ways = [
    block(NEW.join('\n')),
    block(NEW.join('\n')).replace(/\n/g, '\r\n'),
    block('def read(self, text):\n    return text.strip()'),
    block(EXPECTED),
    JSON.stringify({ thoughts: 'I try.', code: NEW.join('\n') }),
    '```diff\n@@ -6,1 +6,1 @@\n-        return text\n+        return text.strip()\n```'
  ];
  for (const way of ways) {
    for (const chunk of [1, 7, 1000]) {
      expect(read(way, chunk)).toBe(EXPECTED);
    }
  }
  expect(read('I do not know.', 5)).toBe('');
});

describe('an answer that deletes the lines', () => {
  const WITHOUT = withLines(METHOD, []);
  const parsed = (text: string, source = CELL, part = METHOD) => {
    const frame = frameOf(source, part);
    const parser = new AnswerParser({
      language: 'python',
      kind: 'code',
      frame
    });
    parser.push(text);
    return parser.end().answer.code;
  };

  it('is an empty block', () => {
    expect(parsed('Gone.\n\n```python\n```\n')).toBe(WITHOUT);
    expect(parsed('Gone.\n\n```python\n\n```')).toBe(WITHOUT);
    expect(parsed('There is nothing to do.')).toBe('');
  });

  it('has nothing between the marks of the prompt', () => {
    const marked =
      '    # --- to replace: start ---\n    # --- to replace: end ---';
    expect(parsed(`\`\`\`python\n${marked}\n\`\`\`\n`)).toBe(WITHOUT);
  });

  it('is seen as a part without text in later prompts', () => {
    expect(textInPlace(frameOf(CELL, METHOD), WITHOUT)).toBe('');
    const last = frameOf('a = 1\nb = 2', { first: 2, last: 2 });
    expect(withoutPart(last)).toBe('a = 1');
    expect(textInPlace(last, 'a = 1')).toBe('');
  });

  it('is no deletion where it repeats one line around the part', () => {
    expect(cell('print(x)', { first: 1, last: 1 }, 'x = 1\nprint(x)')).toBe(
      'print(x)\nprint(x)'
    );
  });
});

describe('a decorated method', () => {
  const source = [
    'class Shop:', // 1
    '    @property', // 2
    '    def price(self):', // 3
    '        return 1', // 4
    '', // 5
    '    @price.setter', // 6
    '    def price(self, value):', // 7
    '        self.value = value', // 8
    '', // 9
    '    @property', // 10
    '    def name(self):', // 11
    '        return "shop"' // 12
  ].join('\n');
  const setter = { first: 6, last: 8 };
  const expected = source.replace('= value', '= abs(value)');
  const lines = (first: number, last: number) =>
    expected
      .split('\n')
      .slice(first - 1, last)
      .join('\n');

  it('is replaced with its decorator, whatever the answer holds of the class', () => {
    expect(cell(lines(6, 8), setter, source)).toBe(expected);
    expect(cell(lines(6, 8).replace(/^ {4}/gm, ''), setter, source)).toBe(
      expected
    );
    expect(cell(expected, setter, source)).toBe(expected);
    expect(cell(lines(1, 1) + '\n' + lines(6, 8), setter, source)).toBe(
      expected
    );
  });

  it('is replaced without its decorator where that is not selected', () => {
    expect(cell(lines(7, 8), { first: 7, last: 8 }, source)).toBe(expected);
    expect(cell(expected, { first: 7, last: 8 }, source)).toBe(expected);
  });
});
