/** @jest-environment node */
import type { NotebookCell } from '../cells';
import { notebookStructure } from '../structure';
import { code, markdown, raw } from '../../__tests__/notebookFixture';

const ASSERT = { tags: ['refine-assert'] };
const ONLY_TAGGED = { refine: { onlyTagged: true } };
const SCORER = { tags: ['refine-scorer'] };
const HOLDOUT = { tags: ['refine-holdout'] };
const LOCKED = { nbgrader: { locked: true, grade: false, solution: false } };
const READ_ONLY = { editable: false };
const SOLUTION = { nbgrader: { solution: true } };
const GRADED = { nbgrader: { grade: true, solution: false, locked: true } };

/** `check>target role` for every check, with ids instead of positions. */
function places(
  cells: readonly NotebookCell[],
  language = 'python'
): readonly string[] {
  return [...notebookStructure(cells, language)]
    .sort(([a], [b]) => a - b)
    .map(([index, place]) => {
      const target = place.target === null ? 'none' : cells[place.target].id;
      return `${cells[index].id}>${target} ${place.role}`;
    });
}

describe('which cell checks which', () => {
  it.each<[string, readonly NotebookCell[], readonly string[]]>([
    [
      'an unmarked assertion right below',
      [code('t', 'def f(): pass'), code('a', 'assert f() is None')],
      ['a>t assertion']
    ],
    [
      'a run of them, that ends with the first other code cell',
      [
        code('t', 'def f(): pass'),
        code('a', 'n = 1\nassert f() is None'),
        code('b', 'assert f() != n'),
        code('w', 'plot(f())'),
        code('c', 'assert f()')
      ],
      ['a>t assertion', 'b>t assertion', 'c>w assertion']
    ],
    [
      'text between target and assertions',
      [
        code('t', 'x = 1'),
        markdown('m', 'Check:'),
        raw('r', ''),
        code('a', 'assert x')
      ],
      ['a>t assertion']
    ],
    [
      'an empty target below another cell',
      [code('i', 'import math'), code('t', ''), code('a', 'assert f()')],
      ['a>t assertion']
    ],
    [
      'a last statement that does not check',
      [code('t', 'x = 1'), code('a', 'assert x\nprint(x)')],
      []
    ],
    [
      'a marked assertion, in addition to unmarked ones around it',
      [
        code('t', 'x = 1'),
        code('u', 'assert x'),
        code('a', 'assert x > 0', ASSERT),
        code('v', 'assert x < 2')
      ],
      ['u>t assertion', 'a>t assertion', 'v>t assertion']
    ],
    [
      'only marked ones where the target wants it so',
      [
        code('t', 'x = 1', ONLY_TAGGED),
        code('u', 'assert x'),
        code('a', 'assert x > 0', ASSERT),
        code('w', 'y = x'),
        code('b', 'assert y')
      ],
      ['a>t assertion', 'b>w assertion']
    ],
    [
      'nbgrader: what is graded is all that checks',
      [
        code('t', 'def f(): pass', { nbgrader: { solution: true } }),
        code('u', 'assert f()'),
        code('a', 'assert f()', GRADED)
      ],
      ['a>t assertion']
    ],
    [
      'a tag on a test of nbgrader: the tag decides',
      [
        code('t', 'def f(): pass'),
        code('u', 'assert f()'),
        code('a', 'assert f()', { ...GRADED, tags: ['refine-holdout'] })
      ],
      ['u>t assertion', 'a>t holdout']
    ],
    [
      'prose: a marked assertion adds to the unmarked one',
      [
        markdown('m', 'Text'),
        code('u', 'assert response'),
        code('a', 'assert len(response) < 9', ASSERT)
      ],
      ['u>m assertion', 'a>m assertion']
    ],
    [
      'a hold-out, which leaves unmarked assertions what they are',
      [
        code('t', 'def f(): pass'),
        code('a', 'assert f()'),
        code('h', 'assert f(2)', HOLDOUT)
      ],
      ['a>t assertion', 'h>t holdout']
    ],
    [
      'a hold-out between unmarked assertions',
      [
        code('t', 'x = 1'),
        code('h', 'assert x', HOLDOUT),
        code('a', 'assert x > 0')
      ],
      ['h>t holdout', 'a>t assertion']
    ],
    [
      'both tags: the hold-out reveals less',
      [
        code('t', 'x = 1'),
        code('h', 'assert x', { tags: ['refine-assert', 'refine-holdout'] })
      ],
      ['h>t holdout']
    ],
    [
      'work that ends with an assertion and whose result is checked below',
      [
        code('i', 'import pandas'),
        code('t', 'clean = df.dropna()\nassert len(clean)'),
        code('a', 'assert clean.shape == (3, 2)', ASSERT)
      ],
      ['a>t assertion']
    ],
    [
      'a marked check far below, over locked cells and checks',
      [
        code('t', 'x = 1'),
        code('l', 'y = 2', { nbgrader: { locked: true } }),
        code('s', 'def score(ns): return 1', { tags: ['refine-scorer'] }),
        markdown('m', 'text'),
        code('a', 'assert x', ASSERT)
      ],
      ['l>t assertion', 's>t scorer', 'a>t assertion']
    ],
    [
      'an empty cell below nbgrader’s solution, which is no solution',
      [
        code('i', 'import math'),
        code('t', 'def f(): pass', SOLUTION),
        code('e', ''),
        code('n', '# mine'),
        code('a', 'assert f()', GRADED),
        code('u', '', SOLUTION),
        code('b', 'assert g()', GRADED)
      ],
      ['a>t assertion', 'b>u assertion']
    ],
    [
      'a link to another target',
      [
        code('t', 'x = 1'),
        code('u', 'y = 1'),
        code('a', 'assert x', {
          tags: ['refine-assert'],
          refine: { target: 't' }
        })
      ],
      ['a>t assertion']
    ],
    [
      'a link to a cell that is gone',
      [
        code('t', 'x = 1'),
        code('a', 'assert x', { ...ASSERT, refine: { target: 'gone' } })
      ],
      ['a>t assertion']
    ],
    [
      'nbgrader: tests are assertions of the solution above',
      [
        code('t', 'def f(): pass', { nbgrader: { solution: true } }),
        code('a', 'assert f()', GRADED)
      ],
      ['a>t assertion']
    ],
    [
      'nbgrader: a graded solution is no check',
      [
        code('t', 'x = 1'),
        code('s', 'assert x', { nbgrader: { grade: true, solution: true } })
      ],
      ['s>t assertion']
    ],
    [
      'nothing above',
      [markdown('m', 'text'), code('a', 'assert x', ASSERT)],
      ['a>none assertion']
    ],
    [
      'assertions at the top check what stands there first',
      [code('t', 'assert x'), code('a', 'assert y')],
      ['a>t assertion']
    ],
    [
      'a linked target between',
      [
        code('t', 'x = 1'),
        code('p', '%%refine\nsort'),
        code('u', 'assert x', { refine: { promptCell: 'p' } }),
        code('a', 'assert y', ASSERT)
      ],
      ['a>u assertion']
    ],
    [
      'an unlinked %%refine cell ends a run',
      [code('t', 'x = 1'), code('p', '%%refine\nsort'), code('a', 'assert x')],
      []
    ],
    [
      'prose: assertions that read response',
      [
        code('i', 'import re'),
        markdown('m', 'Text'),
        code('a', 'assert len(response) < 100')
      ],
      ['a>m assertion']
    ],
    ...['ns["response"]', "ns.get('response')", 'response'].map(
      (read): [string, readonly NotebookCell[], readonly string[]] => [
        `prose: a scorer that reads ${read}`,
        [
          code('i', 'import re'),
          markdown('m', 'Text'),
          code('s', `def score(ns):\n    return len(${read})`, SCORER)
        ],
        ['s>m scorer']
      ]
    ),
    [
      'a key of that name elsewhere is no prose',
      [
        code('t', 'answer = {"response": 1}'),
        markdown('m', 'Text'),
        code('a', 'assert answer["response"] == 1')
      ],
      ['a>t assertion']
    ],
    [
      'response that the notebook itself binds is no prose',
      [
        markdown('m', 'Text'),
        code('t', 'response = get()'),
        code('a', 'assert response.ok')
      ],
      ['a>t assertion']
    ],
    [
      'a locked helper between nbgrader’s solution and test runs with the test',
      [
        code('t', 'def f(): pass', SOLUTION),
        code('l', 'def check(g): assert g()', LOCKED),
        code('a', 'check(f)', GRADED),
        code('k', 'def other(): pass', LOCKED)
      ],
      ['l>t assertion', 'a>t assertion']
    ],
    [
      'a locked helper belongs to the nearest target above',
      [
        code('t', 'x = 1'),
        code('l', 'def same(a): assert a', READ_ONLY),
        markdown('m', 'text'),
        code('a', 'same(x)\nassert x == 1'),
        code('u', 'y = 1'),
        code('k', 'limit = 3', READ_ONLY),
        code('s', 'slow()', { ...READ_ONLY, tags: ['refine-skip'] }),
        code('b', 'assert y < limit')
      ],
      ['l>t assertion', 'a>t assertion', 'k>u assertion', 'b>u assertion']
    ],
    [
      'a target that is read-only, below a cell that is not',
      [
        code('i', 'import math'),
        code('t', 'def f(): pass', READ_ONLY),
        code('a', 'assert f()')
      ],
      ['a>t assertion']
    ],
    [
      'a marked check of a read-only target',
      [
        code('i', 'import math'),
        code('t', 'def f(): pass', { ...SOLUTION, ...READ_ONLY }),
        code('a', 'assert f()', GRADED)
      ],
      ['a>t assertion']
    ],
    [
      'a notebook that is read-only as a whole',
      [
        code('i', 'import math', READ_ONLY),
        code('t', 'def f(): pass', READ_ONLY),
        code('a', 'assert f()', READ_ONLY),
        code('u', 'def g(): pass', READ_ONLY),
        code('b', 'assert g()', READ_ONLY)
      ],
      ['a>t assertion', 'b>u assertion']
    ],
    [
      'locked assertions check what is above',
      [code('t', 'x = 1'), code('a', 'assert x', READ_ONLY)],
      ['a>t assertion']
    ],
    [
      'other calls in a check',
      [
        code('t', '@cache\ndef f(n): return n'),
        code('a', 'f.cache_clear()\nassert f(1)'),
        code('b', 'os.makedirs(d)\nassert f(2)')
      ],
      ['a>t assertion', 'b>t assertion']
    ],
    [
      'marked markdown is no check',
      [code('t', 'x = 1'), markdown('m', 'text', ASSERT)],
      []
    ]
  ])('%s', (_, cells, expected) => {
    expect(places(cells)).toEqual(expected);
  });

  it('reads checks of other languages', () => {
    const cells = [
      code('t', 'f <- function(n) n'),
      code('a', 'stopifnot(f(1) == 1)')
    ];
    expect(places(cells, 'r')).toEqual(['a>t assertion']);
    expect(places(cells, 'python')).toEqual([]);
  });
});
