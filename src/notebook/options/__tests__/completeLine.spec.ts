/** @jest-environment node */
import { notebookOptionNames } from '../../../core/settings';
import { completeLine } from '../completeLine';

/** Labels at the mark `|`, and what they replace. */
function at(marked: string) {
  const offset = marked.indexOf('|');
  const source = marked.replace('|', '');
  const found = completeLine(source, offset);
  return found
    ? {
        typed: source.slice(found.start, found.end),
        labels: found.items.map(({ label }) => label)
      }
    : null;
}

describe('a %%refine line', () => {
  it('offers every option that a notebook may set, with its meaning', () => {
    expect(at('%%refine |')?.labels).toHaveLength(notebookOptionNames.length);
    const [option] = completeLine('%%refine --max-a', 16)?.items ?? [];
    expect(option?.documentation).toMatch(
      /^Maximum number of attempts.* \[5\]$/
    );
  });

  it.each([
    ['%%refine --max-a|', 'max-a', ['max-attempts']],
    ['\n%%refine --pat|', 'pat', ['patience']],
    ['%%refine --max-attempts 3 --max-|', 'max-', ['max-tokens', 'max-cost']],
    ['%%refine --patience=3 --pat|', 'pat', []],
    ['%%refine --workflow s|', 's', ['standard', 'self-refine', 'scored']],
    ['%%refine --workflow=ex|', 'ex', ['execution']],
    ['%%refine --workflow self|', 'self', ['self-refine']],
    ['%%refine --evaluators assertions,j|', 'j', ['judge']],
    ['%%refine --max-attempts |', '', []],
    ['%%refine sort the l|ist', 'l', []]
  ])('%s', (marked, typed, labels) => {
    expect(at(marked)).toEqual({ typed, labels });
  });
});

it('writes the dashes where there are none', () => {
  expect(at('%%refine -|')).toEqual(
    expect.objectContaining({
      typed: '-',
      labels: expect.arrayContaining(['--workflow'])
    })
  );
});

it('offers stop after %refine', () => {
  expect(at('%refine s|')).toEqual({ typed: 's', labels: ['stop'] });
  expect(at('x = 1\n%refine |')?.labels).toEqual(['stop']);
});

it.each(['%%refine\nanswer --m|', 'x = "--m|"', '%%refine|', '%%time --m|'])(
  'offers nothing in %s',
  marked => {
    expect(at(marked)).toBeNull();
  }
);
