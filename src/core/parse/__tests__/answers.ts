/** Answers of models as they come, each with the code that a person would take from it. */

export type AnswerCase = {
  readonly name: string;
  readonly answer: string;
  readonly code: string;
  readonly needs?: readonly string[];
  readonly previous?: string;
};

const FIB =
  'def fib(n):\n    a, b = 0, 1\n    for _ in range(n):\n        a, b = b, a + b\n    return a';
const USE = 'for i in range(10):\n    print(fib(i))';
const NEEDS = ['fib'];

const fenced = (code: string, label = 'python') =>
  `\`\`\`${label}\n${code}\n\`\`\``;
const json = (value: unknown) => JSON.stringify(value);

/** A block that uses the solution comes after it, whatever the sentence before it says, in any language. */
const leadIns = [
  '### Example',
  'Try it:',
  'Usage',
  'Beispiel:',
  '例:',
  ''
].flatMap((lead): AnswerCase[] => [
  {
    name: `a block of calls after ${json(lead)}`,
    answer: `${fenced(FIB)}\n\n${lead}\n\n${fenced(USE)}`,
    code: FIB,
    needs: NEEDS
  },
  {
    name: `the same without known names, after ${json(lead)}`,
    answer: `Here:\n${fenced(FIB)}\n${lead}\n${fenced('result = fib(10)\nprint(result)')}\n`,
    code: FIB
  }
]);

const HELPER =
  'def is_prime(n):\n    return n > 1 and all(n % d for d in range(2, n))';
const MAIN = 'def primes(n):\n    return [k for k in range(n) if is_prime(k)]';
const IMPORTS = 'import math\nfrom collections import Counter';
const WITH_IMPORTS = 'def f(xs):\n    return math.sqrt(len(Counter(xs)))';

const blocks: readonly AnswerCase[] = [
  {
    name: 'a helper in one block, the function in the next',
    answer: `First a helper:\n${fenced(HELPER)}\nThen:\n${fenced(MAIN)}`,
    code: `${HELPER}\n\n\n${MAIN}`,
    needs: ['primes']
  },
  {
    name: 'imports, a function and its use',
    answer: `${fenced(IMPORTS)}\n\n${fenced(WITH_IMPORTS)}\nThen\n${fenced('print(f([1, 2]))')}`,
    code: `${IMPORTS}\n\n\n${WITH_IMPORTS}`,
    needs: ['f']
  },
  {
    name: 'two functions that are both asked for',
    answer: `${fenced('def f(x):\n    return x')}\nand\n${fenced('def g(x):\n    return -x')}`,
    code: 'def f(x):\n    return x\n\n\ndef g(x):\n    return -x',
    needs: ['f', 'g']
  },
  {
    name: 'a better version after a first one',
    answer: `${fenced('def f(x):\n    return 1')}\nBetter:\n${fenced('def f(x):\n    return x')}`,
    code: 'def f(x):\n    return x',
    needs: ['f']
  },
  {
    name: 'tests after the solution',
    answer: `${fenced(FIB)}\n${fenced('def test_fib():\n    assert fib(3) == 2')}`,
    code: FIB,
    needs: NEEDS
  },
  {
    name: 'asserts after the solution',
    answer: `${fenced(FIB)}\nChecks:\n${fenced('assert fib(3) == 2\nassert fib(4) == 3')}`,
    code: FIB
  },
  {
    name: 'an alternative that lacks the name',
    answer: `${fenced(FIB)}\nAn alternative with numpy:\n${fenced('import numpy as np\ndef fib_matrix(n):\n    return np.eye(n)')}`,
    code: FIB,
    needs: NEEDS
  },
  {
    name: 'the old code quoted first',
    answer: `Your code was\n${fenced('def fib(n):\n    return n')}\nThe bug is in the return. Fixed:\n${fenced(FIB)}`,
    code: FIB,
    needs: NEEDS
  },
  {
    name: 'an unlabelled block after output',
    answer: `${fenced('Traceback (most recent call last)', '')}\nFixed:\n${fenced(FIB, '')}`,
    code: FIB,
    needs: NEEDS
  },
  {
    name: 'a shell command before',
    answer: `${fenced('pip install numpy', 'bash')}\n${fenced(FIB)}`,
    code: FIB,
    needs: NEEDS
  },
  {
    name: 'a constant that the function reads',
    answer: `${fenced('LIMIT = 10')}\n${fenced('def f(x):\n    return min(x, LIMIT)')}`,
    code: 'LIMIT = 10\n\n\ndef f(x):\n    return min(x, LIMIT)',
    needs: ['f']
  },
  {
    name: 'a block left open after the solution',
    answer: `${fenced(FIB)}\nTry:\n\`\`\`python\nprint(fib(1))`,
    code: FIB,
    needs: NEEDS
  }
];

const envelopes: readonly AnswerCase[] = [
  {
    name: 'an object with code',
    answer: json({ thoughts: 'Easy.', code: FIB }),
    code: FIB
  },
  {
    name: 'an object with a fence in its code',
    answer: json({ code: fenced(FIB) }),
    code: FIB
  },
  {
    name: 'an object in a fence',
    answer: fenced(json({ thoughts: 'a', response: FIB }), 'json'),
    code: FIB
  },
  {
    name: 'a thinking tag before',
    answer: `<think>${fenced('x = 1')}</think>\n${fenced(FIB)}`,
    code: FIB
  },
  {
    name: 'an end of thinking without its start',
    answer: `Hm, ${'`fib`'} it is.</think>\n${fenced(FIB)}`,
    code: FIB
  }
];

const repairs: readonly AnswerCase[] = [
  {
    name: 'a solution with a transcript as its example',
    answer: `${fenced(FIB)}\n${fenced('>>> fib(3)\n2')}`,
    code: FIB
  },
  { name: 'bare code', answer: FIB, code: FIB },
  {
    name: 'bare code after a sentence',
    answer: `Here is the function:\n\n${FIB}`,
    code: FIB
  },
  {
    name: 'bare code before a sentence',
    answer: `${FIB}\n\nThis runs in linear time.`,
    code: FIB
  },
  {
    name: 'a bare loop, whose first line reads like a sentence',
    answer:
      'Here it is:\n\nfor word in the_words:\n    print(word)\n\nDone, I hope.',
    code: 'for word in the_words:\n    print(word)'
  },
  {
    name: 'the label alone on the first line',
    answer: `python\n${FIB}`,
    code: FIB
  },
  {
    name: 'the label in a block without one',
    answer: fenced(`python\n${FIB}`, ''),
    code: FIB
  },
  {
    name: 'a list item with a block',
    answer: `1. Write it:\n\n   ${fenced(FIB).replace(/\n/g, '\n   ')}\n2. Done.`,
    code: FIB
  },
  { name: 'tildes', answer: `~~~python\n${FIB}\n~~~`, code: FIB },
  { name: 'CRLF', answer: fenced(FIB).replace(/\n/g, '\r\n'), code: FIB },
  { name: 'a byte order mark', answer: `\ufeff${fenced(FIB)}`, code: FIB },
  {
    name: 'a magic that is no Python',
    answer: fenced('%matplotlib inline\nimport math\n!ls'),
    code: '%matplotlib inline\nimport math\n!ls'
  },
  {
    name: 'ticks in a docstring',
    answer: fenced(
      'def f():\n    """\n    ```\n    f()\n    ```\n    """\n    return 1'
    ),
    code: 'def f():\n    """\n    ```\n    f()\n    ```\n    """\n    return 1'
  }
];

const OLD = 'def f(x):\n    y = x + 1\n    return y\n\ndef g(x):\n    return x';
const NEW = 'def f(x):\n    y = x + 2\n    return y\n\ndef g(x):\n    return x';
const changes: readonly AnswerCase[] = [
  {
    name: 'a unified diff',
    answer: fenced(
      '--- a/cell.py\n+++ b/cell.py\n@@ -1,3 +1,3 @@\n def f(x):\n-    y = x + 1\n+    y = x + 2\n     return y',
      'diff'
    ),
    code: NEW,
    previous: OLD
  },
  {
    name: 'a diff with wrong line numbers',
    answer: fenced(
      '@@ -10,3 +12,3 @@\n def f(x):\n-    y = x + 1\n+    y = x + 2\n     return y',
      'diff'
    ),
    code: NEW,
    previous: OLD
  },
  {
    name: 'a diff and the whole program',
    answer: `${fenced('@@ -9,1 +9,1 @@\n-    not there\n+    neither', 'diff')}\nThe whole cell:\n${fenced(NEW)}`,
    code: NEW,
    previous: OLD
  }
];

export const ANSWERS: readonly AnswerCase[] = [
  ...leadIns,
  ...blocks,
  ...envelopes,
  ...repairs,
  ...changes
];
