import { createParser } from '../../parse/parse';
import { frameOf, withPart, type Part } from '../part';
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
  return withPart(frame, replacement(frame, answer, 'python'));
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
    const parser = createParser({
      language: 'python',
      kind: 'code',
      frame,
      previous: CELL
    });
    let shown = '';
    const show = (delta: ReturnType<typeof parser.push>) => {
      if (delta) {
        shown =
          delta.reset || delta.resetCode ? delta.code : shown + delta.code;
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
    `<<<<<<< SEARCH\n        return text\n=======\n        return text.strip()\n>>>>>>> REPLACE`
  ];
  for (const way of ways) {
    for (const chunk of [1, 7, 1000]) {
      expect(read(way, chunk)).toBe(EXPECTED);
    }
  }
  expect(read('I do not know.', 5)).toBe('');
});
