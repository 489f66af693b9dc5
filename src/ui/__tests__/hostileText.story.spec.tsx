/** Text of models and kernels is only ever text. */
import { panel, showSession } from './renderPanel';
import { attempt } from './attempts';

describe('text of models and kernels', () => {
  it('cannot reorder or hide a line of code', () => {
    showSession({
      attempts: [attempt(1, { code: 'x = "\u202Eadmin"\u200b' })]
    });
    expect(panel.lines(1)).toEqual([' x = "‹U+202E›admin"‹U+200B›']);
  });
});
