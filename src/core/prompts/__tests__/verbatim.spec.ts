import { verbatimAnswer } from '../verbatim';

const CODE = 'def f(n):\n    return n';
const FENCED = `Thoughts: ok\n\n\`\`\`python\n${CODE}\n\`\`\``;

describe('an answer in the model’s own words', () => {
  it('is the answer as it came', () => {
    expect(verbatimAnswer(`${FENCED}\n`, CODE)).toBe(FENCED);
    expect(verbatimAnswer(FENCED.replace(/\n/g, '\r\n'), CODE)).toBe(FENCED);
    const json = JSON.stringify({ code: CODE });
    expect(verbatimAnswer(json, CODE)).toBe(json);
  });

  it('has no thinking', () => {
    expect(verbatimAnswer(`<think>\nHm.\n</think>\n${FENCED}`, CODE)).toBe(
      FENCED
    );
    expect(verbatimAnswer(`Hm.\n</think>\n${FENCED}`, CODE)).toBe(FENCED);
  });

  it.each([
    ['spells out no candidate', 'Line 2 becomes `return 2`.'],
    ['is empty', ' \n'],
    ['holds marks of a chat template', `<|channel|>final\n${FENCED}`],
    ['is far longer', `${'word '.repeat(1000)}${FENCED}`]
  ])('is none where it %s', (_, text) => {
    expect(verbatimAnswer(text, CODE)).toBeNull();
  });

  it('without a candidate is cut in its middle', () => {
    expect(verbatimAnswer('I cannot.', '')).toBe('I cannot.');
    const long = verbatimAnswer('x'.repeat(9000), '') ?? '';
    expect(long.length).toBeLessThanOrEqual(2000);
    expect(long).toContain('7000 characters left out');
  });
});
