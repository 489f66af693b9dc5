/** @jest-environment node */
import type { NotebookCell } from '../structure/cells';
import { leadingComment, leadingDocstring } from '../prompt';
import { planTarget } from '../plan';
import { code, markdown } from './notebookFixture';

function prompt(
  cells: readonly NotebookCell[],
  index: number,
  panelPrompt = ''
): readonly [string, string] {
  const { id: cellId, type, source } = cells[index];
  const kind = type === 'markdown' ? 'markdown' : 'code';
  const target = { cellId, index, kind, source } as const;
  const plan = planTarget(cells, target, 'python', { panelPrompt });
  return [plan.promptOrigin, plan.prompt];
}

describe('where the prompt comes from', () => {
  const all = [
    code('p', '%%refine --max-attempts 2\nfrom the magic'),
    markdown('m', 'from the markdown'),
    code('t', '# from the comment\n"""from the docstring"""', {
      refine: { promptCell: 'p' }
    })
  ];
  const without = (...parts: string[]) =>
    all.map(cell => ({
      ...cell,
      source: parts.reduce((text, part) => text.replace(part, ''), cell.source)
    }));

  it.each<[string, readonly NotebookCell[], string, string, string]>([
    ['magic', all, 'from the box', 'magic', 'from the magic'],
    [
      'panel',
      without('from the magic'),
      ' from the box ',
      'panel',
      'from the box'
    ],
    [
      'comment',
      without('from the magic', 'from the markdown'),
      '',
      'comment',
      'from the comment'
    ],
    [
      'docstring',
      without('from the magic', 'from the markdown', '# from the comment'),
      '',
      'docstring',
      'from the docstring'
    ],
    [
      'markdown',
      without(
        'from the magic',
        '# from the comment',
        '"""from the docstring"""'
      ),
      '',
      'markdown',
      'from the markdown'
    ],
    [
      'nothing',
      [code('x', ''), code('y', ''), code('t', 'x = 1')],
      '',
      'none',
      ''
    ]
  ])('%s', (_, cells, box, origin, text) => {
    expect(prompt(cells, 2, box)).toEqual([origin, text]);
  });

  it('is not the markdown above another code cell, nor that above prose', () => {
    expect(
      prompt([markdown('m', 'A'), code('x', 'y = 1'), code('t', '')], 2)
    ).toEqual(['none', '']);
    expect(prompt([markdown('m', 'A'), markdown('t', 'B')], 1)).toEqual([
      'none',
      ''
    ]);
  });

  it('is all texts above, without headings alone and contents', () => {
    const cells = [
      code('x', 'y = 1'),
      markdown('h', '# Challenge'),
      markdown(
        'p',
        '## Problem: Compress a string.\n\n* [Code](#Code)\n* [Unit Test](#Unit-Test)'
      ),
      markdown('c', '## Constraints\n\n* ASCII only'),
      markdown('k', '## Code'),
      code('t', '"""In place."""')
    ];
    expect(prompt(cells, 5)).toEqual([
      'markdown',
      '## Problem: Compress a string.\n\n## Constraints\n\n* ASCII only\n\nIn place.'
    ]);
  });

  it('is a heading where nothing else stands there', () => {
    const cells = [markdown('h', '### Sort the rows'), code('t', '')];
    expect(prompt(cells, 1)).toEqual(['markdown', '### Sort the rows']);
  });

  it('is above imports that stand between', () => {
    const cells = [
      markdown('m', 'Sort.'),
      markdown('h', '## Code'),
      code('i', '%run ../stack/stack.py\nimport math'),
      code('t', 'def f(): ...')
    ];
    expect(prompt(cells, 3)).toEqual(['markdown', 'Sort.']);
  });

  it('is cut at its start where it is too long', () => {
    const lines = Array.from({ length: 3000 }, (_, n) => `line ${n}`);
    const [, text] = prompt(
      [markdown('m', lines.join('\n')), code('t', '')],
      1
    );
    expect(text.length).toBeLessThanOrEqual(12_001);
    expect(text.startsWith('…\nline ')).toBe(true);
    expect(text.endsWith('line 2999')).toBe(true);
  });
});

describe('leadingComment', () => {
  it.each([
    ['# Sort\n#  the list\nx = 1', 'Sort\n the list'],
    ['\n\n# Sort', 'Sort'],
    ['#Sort', 'Sort'],
    ['x = 1\n# later', ''],
    ['%%time\n# Sort', 'Sort'],
    ['%%bash\n# Sort', ''],
    [
      '#!/usr/bin/env python\n# -*- coding: utf-8 -*-\n# type: ignore\n# Sort',
      'Sort'
    ],
    ['# YOUR CODE HERE\nraise NotImplementedError()', ''],
    ['### BEGIN SOLUTION\nx = 1\n### END SOLUTION', ''],
    ['# ------\n# Sort\n# ======', 'Sort'],
    ['', '']
  ])('%j', (source, text) => {
    expect(leadingComment(source, 'python')).toBe(text);
  });

  it('knows the mark of other languages', () => {
    expect(leadingComment("#' Sort\nf <- 1", 'r')).toBe('Sort');
    expect(leadingComment('// Sort\nx', 'javascript')).toBe('Sort');
  });
});

describe('leadingDocstring', () => {
  it.each([
    ['"""Sort."""\nx = 1', 'Sort.'],
    [
      'def f(n):\n    """Sort.\n\n    All of it.\n      Yes.\n    """\n    pass',
      'Sort.\n\nAll of it.\n  Yes.'
    ],
    ["import re\n@cache\ndef f(n):\n    r'''Sort.'''", 'Sort.'],
    ['class C:\n    "Sort."\n    x = 1', 'Sort.'],
    ['def f(n): return "Sort."', ''],
    ['def f(n:', ''],
    ['x = """Sort."""', ''],
    ['x = 1\n"""Sort."""', ''],
    ['f"""{x}"""', ''],
    ['', '']
  ])('%j', (source, text) => {
    expect(leadingDocstring(source)).toBe(text);
  });
});

it('a text has the prompt of a %%refine cell right above it', () => {
  const cells = [
    code('p', '%%refine --max-attempts 2\nWrite the introduction.'),
    markdown('t', 'Old text.'),
    markdown('u', 'Another.')
  ];
  expect(prompt(cells, 1)).toEqual(['magic', 'Write the introduction.']);
  expect(prompt(cells, 2)).toEqual(['none', '']);
  const linked = [
    ...cells,
    code('c', 'x = 1', { refine: { promptCell: 'p' } })
  ];
  expect(prompt(linked, 1)).toEqual(['none', '']);
});
