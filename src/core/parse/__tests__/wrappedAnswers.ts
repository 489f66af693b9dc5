/** More of the corpus: answers in wrappers of tools, pages and file formats. */
import type { AnswerCase } from './answers';

const FIB =
  'def fib(n):\n    a, b = 0, 1\n    for _ in range(n):\n        a, b = b, a + b\n    return a';
const DRAFT = 'def fib(n):\n    return 0';
const LINES = FIB.split('\n');

const fenced = (code: string, label = 'python') =>
  `\`\`\`${label}\n${code}\n\`\`\``;
const json = (value: unknown) => JSON.stringify(value);
const indented = (by: string) => LINES.map(line => by + line).join('\n');
const numbered = (mark: (number: number) => string) =>
  fenced(LINES.map((line, i) => mark(i + 1) + line).join('\n'));

/** Name and answer; the code is `fib`, which is asked for. */
const WRAPPERS: readonly (readonly [string, string])[] = [
  ['a file name behind the label', fenced(FIB, 'python fib.py')],
  ['attributes of Pandoc', fenced(FIB, '{.python .numberLines}')],
  ['a label of R Markdown', fenced(FIB, '{python}')],
  ['line numbers', numbered(n => `${n} `)],
  ['line numbers with a bar', numbered(n => `${n} | `.padStart(6))],
  ['line numbers with a colon', numbered(n => `${n}: `)],
  [
    'parameters in tags',
    `<function_calls>\n<invoke name="write_cell">\n<parameter name="code">${FIB}</parameter>\n</invoke>\n</function_calls>`
  ],
  [
    'a function and its parameter in tags',
    `<tool_call>\n<function=write>\n<parameter=code>\n${FIB}\n</parameter>\n</function>\n</tool_call>`
  ],
  ['CDATA', `<answer><![CDATA[\n${FIB}\n]]></answer>`],
  [
    'YAML',
    `thoughts: a loop will do\ncode: |\n${indented('  ')}\nnote: none\n`
  ],
  [
    'YAML in a fence',
    fenced(`thoughts: x\ncode: |\n${indented('  ')}`, 'yaml')
  ],
  ['a list of objects', json([{ thoughts: 'x', code: FIB }])],
  ['an object with source', json({ explanation: 'x', source: FIB })],
  ['an object with python', json({ python: FIB })],
  ['an object with a list of lines', json({ code: LINES })],
  ['an object in an object', json({ result: { code: FIB } })],
  [
    'a comma before the closing brace',
    `{"thoughts": "x", "code": ${json(FIB)},}`
  ],
  [
    'a dict of Python',
    `{'thoughts': 'it is "simple"', 'code': '${FIB.replace(/\n/g, '\\n')}'}`
  ],
  [
    'a list of tool calls',
    json({
      tool_calls: [
        { function: { name: 'run', arguments: json({ code: FIB }) } }
      ]
    })
  ],
  [
    'calls of Mistral',
    `[TOOL_CALLS][{"name": "run", "arguments": ${json({ code: FIB })}}]`
  ],
  ['a magic that writes a file', fenced(`%%writefile fib.py\n${FIB}`)],
  ['a magic that runs another Python', fenced(`%%python3\n${FIB}`)],
  [
    'reStructuredText',
    `This works.\n\n.. code-block:: python\n\n${indented('    ')}\n`
  ],
  [
    'tags of Code Llama',
    `[PYTHON]\n${FIB}\n[/PYTHON]\n[TESTS]\nassert fib(1) == 1\n[/TESTS]`
  ],
  ['a fence behind its lead-in', `Here it is: \`\`\`python\n${FIB}\n\`\`\``],
  [
    'thinking that never ends, and a block at its end',
    `<think>\nI loop.\n\n${fenced(FIB)}`
  ],
  [
    'thinking of Magistral with a draft',
    `[THINK]I loop.\n${fenced(DRAFT)}\n[/THINK]\n${fenced(FIB)}`
  ],
  [
    'thinking of Seed with a draft',
    `<seed:think>I loop.\n${fenced(DRAFT)}\n</seed:think>\n${fenced(FIB)}`
  ],
  [
    'markers of Granite',
    `<|start_of_role|>assistant<|end_of_role|>${fenced(FIB)}<|end_of_text|>`
  ],
  ['markers of filling in', `<fim_middle>${FIB}<|endoftext|>`],
  [
    'colours of a terminal',
    fenced(FIB.replace('def', '\u001b[34mdef\u001b[0m'))
  ],
  ['zero-width spaces', fenced(FIB.replace('def ', 'def \u200b'))],
  ['buttons of a page', fenced(`python\nCopy\nEdit\n${FIB}`, '')],
  [
    'a rule and prose inside of the block',
    fenced(`${FIB}\n---\nThis is O(n).`)
  ],
  ['a boxed listing of LaTeX', `\\begin{verbatim}\n${FIB}\n\\end{verbatim}`],
  ['a tag of a cell', `<cell>\n${FIB}\n</cell>`],
  [
    'an artifact',
    `<antArtifact identifier="fib" type="application/vnd.ant.code" language="python" title="Fib">\n${FIB}\n</antArtifact>`
  ],
  ['attributes of MkDocs', fenced(FIB, 'python title="fib.py" linenums="1"')],
  ['a file name right after the label', fenced(FIB, 'Python:fib.py')],
  ['a longer fence at the end', `\`\`\`python\n${FIB}\n\`\`\`\`\``],
  [
    'code of HTML with line breaks',
    `<code>${FIB.replace(/\n/g, '<br>').replace(/ {4}/g, '&nbsp;&nbsp;&nbsp;&nbsp;')}</code>`
  ],
  [
    'a listing of LaTeX',
    `\\begin{lstlisting}[language=Python]\n${FIB}\n\\end{lstlisting}`
  ],
  ['minted', `\\begin{minted}{python}\n${FIB}\n\\end{minted}`],
  ['Org', `#+BEGIN_SRC python\n${FIB}\n#+END_SRC`],
  ['AsciiDoc', `[source,python]\n----\n${FIB}\n----`],
  ['quotes of a docstring', `"""\n${FIB}\n"""`],
  [
    'an action of ReAct',
    `Thought: I loop.\nAction: python\nAction Input: ${json({ code: FIB })}`
  ],
  [
    'an action of ReAct in a fence, and what it gave',
    `Thought: I loop.\nAction: write\nAction Input:\n${fenced(FIB)}\nObservation: ok`
  ],
  [
    'a call of a code interpreter',
    json({ type: 'code_interpreter_call', input: FIB })
  ],
  [
    'executable code of Gemini',
    json({ executable_code: { language: 'PYTHON', code: FIB } })
  ],
  ['an object with final_code', json({ final_code: FIB })],
  ['a function as text', json({ function: FIB })],
  ['a block as content', json({ role: 'assistant', content: fenced(FIB) })],
  ['an object without its last brace', `{"code": ${json(FIB)}`],
  ['backticks of JavaScript', `{"thoughts": "x", "code": \`${FIB}\`}`],
  ['line breaks within a JSON string', `{"thoughts": "x", "code": "${FIB}"}`],
  [
    'markers of Kimi',
    `<|im_assistant|>assistant<|im_middle|>${fenced(FIB)}<|im_end|>`
  ],
  [
    'a call of Kimi',
    `<|tool_calls_section_begin|><|tool_call_begin|>functions.run:0<|tool_call_argument_begin|>${json({ code: FIB })}<|tool_call_end|><|tool_calls_section_end|>`
  ],
  [
    'a call of DeepSeek',
    `<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>run\n${fenced(json({ code: FIB }), 'json')}<｜tool▁call▁end｜><｜tool▁calls▁end｜>`
  ],
  [
    'a call of GLM',
    `<tool_call>run\n<arg_key>code</arg_key>\n<arg_value>${FIB}</arg_value>\n</tool_call>`
  ],
  ['markers of Phi', `<|assistant|>\n${fenced(FIB)}<|end|>`],
  [
    'markers of Command R',
    `<|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>${fenced(FIB)}<|END_OF_TURN_TOKEN|>`
  ],
  ['a fence without a label behind its lead-in', `So: \`\`\`\n${FIB}\n\`\`\``],
  ['line breaks as two characters each', fenced(FIB.replace(/\n/g, '\\n'))],
  ['a colon of full width', fenced(FIB.replace('(n):', '(n)：'))],
  [
    'a second block with a syntax error',
    `${fenced(FIB)}\nShorter:\n${fenced('def fib(n):\n    return (n')}`
  ],
  [
    'a block left open in the middle of a line',
    `${fenced(FIB)}\nOr:\n\`\`\`python\ndef fib(n):\n    return fib(n -`
  ],
  [
    'a summary that folds',
    `<details><summary>Solution</summary>\n\n${fenced(FIB)}\n\n</details>`
  ]
];

const ADDED = LINES.map(line => `+${line}`).join('\n');

export const WRAPPED: readonly AnswerCase[] = [
  ...WRAPPERS.map(([name, answer]) => ({
    name,
    answer,
    code: FIB,
    needs: ['fib']
  })),
  {
    name: 'a span in a sentence',
    answer: 'Use `fib = lambda n: n if n < 2 else fib(n - 1) + fib(n - 2)`.',
    code: 'fib = lambda n: n if n < 2 else fib(n - 1) + fib(n - 2)',
    needs: ['fib']
  },
  {
    name: 'a diff of a new file',
    answer: fenced(
      `--- /dev/null\n+++ b/fib.py\n@@ -0,0 +1,5 @@\n${ADDED}`,
      'diff'
    ),
    code: FIB,
    previous: 'x = 1'
  },
  {
    name: 'a patch that adds a file',
    answer: `*** Begin Patch\n*** Add File: fib.py\n${ADDED}\n*** End Patch`,
    code: FIB,
    previous: 'x = 1'
  },
  {
    name: 'a diff without the head of its hunk',
    answer: fenced('-    return 0\n+    return n', 'diff'),
    code: 'def fib(n):\n    return n',
    previous: DRAFT
  },
  {
    name: 'a diff without context',
    answer: fenced(
      '--- a\n+++ b\n@@ -2 +2 @@\n-    return 0\n+    return n',
      'diff'
    ),
    code: 'def fib(n):\n    return n',
    previous: DRAFT
  },
  {
    name: 'a patch of a file',
    answer:
      '*** Begin Patch\n*** Update File: cell.py\n@@ def fib(n):\n-    return 0\n+    return n\n*** End Patch',
    code: 'def fib(n):\n    return n',
    previous: DRAFT
  },
  {
    name: 'SEARCH/REPLACE under a file name',
    answer: `cell.py\n${fenced('<<<<<<< SEARCH\n    return 0\n=======\n    return n\n>>>>>>> REPLACE')}`,
    code: 'def fib(n):\n    return n',
    previous: DRAFT
  },
  {
    name: 'a minus sign that is none',
    answer: fenced('def fib(n):\n    return n − 1'),
    code: 'def fib(n):\n    return n - 1'
  },
  {
    name: 'the code before quoted, then one with a syntax error',
    answer: `You had\n${fenced(DRAFT)}\nFixed:\n${fenced('def fib(n):\n    return (n')}`,
    code: 'def fib(n):\n    return (n',
    needs: ['fib'],
    previous: DRAFT
  },
  {
    name: 'two versions without known names, the last with a syntax error',
    answer: `${fenced(FIB)}\nShorter:\n${fenced('def fib(n):\n    return (n')}`,
    code: FIB
  },
  {
    name: 'a magic that is asked for',
    answer: fenced('%%writefile fib.py\nx = 1'),
    code: '%%writefile fib.py\nx = 1'
  }
];
