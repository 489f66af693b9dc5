/** @jest-environment node */
import type { PromptOrigin } from '../../core/domain/request';
import { acceptedSource } from '../acceptedSource';

function accepted(
  source: string,
  code: string,
  promptOrigin: PromptOrigin = 'comment',
  language = 'python'
): string {
  const target = { cellId: 'a', index: 0, kind: 'code', source } as const;
  return acceptedSource({ target, promptOrigin, language }, code);
}

it.each([
  ['is put above the code', '# a sum\n', 'x = 1', '# a sum\nx = 1'],
  [
    'has all its lines',
    '# a sum\n#\n# of two\ny = 2',
    'x = 1',
    '# a sum\n# of two\nx = 1'
  ],
  ['is not repeated', '# a sum', '# a sum\nx = 1', '# a sum\nx = 1'],
  [
    'is not repeated where it stands further down',
    '# a sum',
    'import os\n# a sum\nx = 1',
    'import os\n# a sum\nx = 1'
  ],
  [
    'is below a cell magic',
    '%%time\n# a sum',
    '%%time\nx = 1',
    '%%time\n# a sum\nx = 1'
  ],
  ['leaves remarks for tools out', '# noqa\n# a sum', 'x', '# a sum\nx']
])('the comment with the prompt %s', (_, source, code, expected) => {
  expect(accepted(source, code)).toBe(expected);
});

it('leaves code alone whose prompt is no comment', () => {
  expect(accepted('# a sum', 'x = 1', 'panel')).toBe('x = 1');
  expect(accepted('# a sum', 'x = 1', 'docstring')).toBe('x = 1');
  expect(accepted('# a sum', '')).toBe('');
});

it('knows the comments of other languages', () => {
  expect(accepted('// a sum', 'let x = 1', 'comment', 'javascript')).toBe(
    '// a sum\nlet x = 1'
  );
});
