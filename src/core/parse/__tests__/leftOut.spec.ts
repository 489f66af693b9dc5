import { makeRequest } from '../../__tests__/requests';
import { keepsExamples, namesToKeep } from '../leftOut';
import { parseAnswer } from '../parse';

const CELL = `# Fix add: it subtracts.
import math

RATE = 0.2

def helper_one(x):
    return x + 1

def helper_two(x):
    return math.sqrt(x)

def add(a, b):
    return a - b

def mul(a, b):
    return a * b`;
const ADD = 'def add(a, b):\n    return a + b';
const FIXED = CELL.replace('a - b', 'a + b');

const STACK = `class Stack:
    """A stack."""

    limit = 10

    def __init__(self):
        self.items = []

    def push(self, item):
        self.items.insert(0, item)

    def pop(self):
        return self.items.pop()`;

function requestOf(source: string, prompt = 'Fix add: it subtracts.') {
  const request = makeRequest();
  return { ...request, prompt, target: { ...request.target, source } };
}

/** The code that an answer means for a cell. */
function read(answer: string, cell = CELL, { prompt = '' } = {}) {
  return parseAnswer(answer, {
    language: 'python',
    kind: 'code',
    previous: cell,
    keeps: {
      cell,
      names: namesToKeep(requestOf(cell, prompt)),
      examples: keepsExamples(requestOf(cell, prompt))
    }
  });
}

function fenced(code: string): string {
  return `\`\`\`python\n${code}\n\`\`\``;
}

describe('an answer that says the rest stays', () => {
  it.each([
    ['# ... existing code ...', '# ... rest of the code remains the same ...'],
    ['# rest unchanged', ''],
    ['# (same as before)', ''],
    ['...', '...'],
    ['# [other functions stay the same]', ''],
    ['# Existing imports and helpers here', '# (rest of the cell omitted)'],
    ['', '# … (unchanged)']
  ])('is put into the cell: %s', (above, below) => {
    const { code, kept } = read(fenced(`${above}\n\n${ADD}\n\n${below}`));
    expect(code).toBe(FIXED);
    expect(kept).toEqual(
      expect.arrayContaining([
        'math',
        'RATE',
        'helper_one',
        'helper_two',
        'mul'
      ])
    );
  });

  it('keeps statements where it marks them', () => {
    const cell =
      'import csv\nrows = load()\nrows = clean(rows)\nprint(rows)\ntotal = 1';
    const { code } = read(
      fenced('import csv\n# ... existing code ...\ntotal = len(rows)'),
      cell
    );
    expect(code).toBe(cell.replace('total = 1', 'total = len(rows)'));
  });

  it('keeps the members of a class', () => {
    const { code, kept } = read(
      fenced(
        'class Stack:\n    # ... existing methods ...\n\n    def push(self, item):\n        self.items.append(item)\n\n    # rest unchanged'
      ),
      STACK
    );
    expect(code).toBe(STACK.replace('insert(0, item)', 'append(item)'));
    expect(kept).toContain('Stack.pop');
  });

  it('keeps a function that is written as three dots', () => {
    const { code } = read(fenced(`${ADD}\n\ndef mul(a, b):\n    ...`), CELL);
    expect(code).toContain('return a * b');
  });

  it('keeps a function whose body is a comment', () => {
    const { code } = read(
      fenced(`${ADD}\n\ndef mul(a, b):\n    # same as before`)
    );
    expect(code).toContain('return a * b');
  });

  it('leaves out what the task asks to remove', () => {
    const options = { prompt: 'Fix add and remove helper_one.' };
    const { code } = read(fenced(`# existing code\n${ADD}`), CELL, options);
    expect(code).not.toContain('helper_one');
    expect(code).toContain('helper_two');
  });
});

describe('an answer with a hole in a function', () => {
  it('is no candidate', () => {
    const { gap } = read(
      fenced('def add(a, b):\n    # ... existing checks ...\n    return a + b')
    );
    expect(gap).toBe('# ... existing checks ...');
  });

  it('may comment on what it does', () => {
    const { gap } = read(
      fenced(
        `${CELL}\n\ndef f(row):\n    # keep the other fields (as before)\n    return row`
      )
    );
    expect(gap).toBeUndefined();
  });
});

describe('an answer that says nothing of the rest', () => {
  it('gets what it left out', () => {
    const { code, kept } = read(fenced(ADD));
    expect(code).toBe(FIXED);
    expect(kept).toEqual(['math', 'RATE', 'helper_one', 'helper_two', 'mul']);
    expect(read(fenced(FIXED)).kept).toBeUndefined();
  });

  it('gets the members of a class', () => {
    const code = 'class Stack:\n    def push(self, item):\n        pass';
    expect(read(fenced(code), STACK).kept).toEqual([
      'Stack.limit',
      'Stack.__init__',
      'Stack.pop'
    ]);
  });

  it.each([
    ['Rename helper_one to increment.', 'helper_one'],
    ['Remove the unused imports.', 'math'],
    ['Write add without RATE.', 'RATE']
  ])('may follow the task: %s', (prompt, name) => {
    expect(namesToKeep(requestOf(CELL, prompt))).not.toContain(name);
  });

  it('may replace variables, and fill what was empty', () => {
    const cell =
      'squares = []\ncount = 0\nfor x in data:\n    squares.append(x * x)\n    count += 1\nresult = None';
    const code = 'result = [x * x for x in data]';
    expect(read(fenced(code), cell).code).toBe(code);
  });

  it('is complete with comments that repeat the words', () => {
    const code = `${FIXED}\n\n# same as above\ndef sub(a, b):\n    return a - b`;
    expect(read(fenced(code)).code).toBe(code);
  });
});

describe('examples in docstrings', () => {
  const cell = `def chunks(items):
    """Lists.

    >>> chunks([])
    []
    """
    pass

class A:
    def f(self):
        """>>> A().f()
        1
        """
        ...`;
  const answer = fenced(
    'def chunks(items):\n  """Lists."""\n  return []\n\nclass A:\n    def f(self):\n        return 1'
  );

  it('are put back where an answer loses them', () => {
    const { code, kept } = read(answer, cell);
    expect(code).toBe(
      'def chunks(items):\n  """Lists.\n\n  >>> chunks([])\n  []\n  """\n  return []\n\nclass A:\n    def f(self):\n        """>>> A().f()\n        1\n        """\n        return 1'
    );
    expect(kept).toEqual(['the examples of chunks', 'the examples of A.f']);
  });

  it('are put back as they are, with lines that look like magics', () => {
    const asking =
      'def f():\n    """Is it?\n    !ls, %time x\n    >>> f()\n    1\n    """\n    ...';
    const { code } = read(fenced('def f():\n    return 1'), asking);
    expect(code).toBe(asking.replace('...', 'return 1'));
  });

  it('are put back where it changes what they give', () => {
    const wrong = cell
      .replace('    []', '    [1]')
      .replace('pass', '...  # done');
    expect(read(fenced(wrong), cell).code).toContain('>>> chunks([])\n    []');
  });

  it('are not where it has them all, or is asked to remove them', () => {
    const whole = fenced(cell.replace('pass', 'return []'));
    expect(read(whole, cell).kept).toBeUndefined();
    expect(
      read(answer, cell, { prompt: 'Drop the doctests.' }).kept
    ).toBeUndefined();
  });
});
