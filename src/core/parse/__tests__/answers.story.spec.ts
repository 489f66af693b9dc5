/** The corpus of answers: a format that a model uses and we misread belongs into `answers.ts`. */
import { createParser, parseAnswer } from '../parse';
import { ANSWERS } from './answers';

describe('an answer', () => {
  it.each(ANSWERS.map(one => [one.name, one] as const))(
    'with %s gives the code that a person would take',
    (_, { answer, code, needs, previous }) => {
      const options = {
        language: 'python',
        kind: 'code',
        needs,
        previous
      } as const;
      expect(parseAnswer(answer, options).code).toBe(code);
      const parser = createParser(options);
      let shown = '';
      for (const delta of [
        ...Array.from(answer, piece => parser.push(piece)),
        parser.end().delta
      ]) {
        shown =
          delta === null
            ? shown
            : (delta.reset || delta.resetCode ? '' : shown) + delta.code;
      }
      expect(shown).toBe(code);
    }
  );
});

describe('an answer in the reasoning channel alone', () => {
  const CODE = 'x = 1';
  const read = (reasoning: string, text = '') => {
    const parser = createParser({ language: 'python', kind: 'code' });
    parser.reason(reasoning);
    if (text !== '') {
      parser.push(text);
    }
    return parser.end().answer;
  };

  it('counts where a block is its end', () => {
    const answer = `I try.\n\n\`\`\`python\n${CODE}\n\`\`\`\n`;
    expect(read(answer)).toMatchObject({ code: CODE, closed: false });
    expect(read(answer, '\n')).toMatchObject({ code: CODE });
  });

  it('does not count where thinking goes on, or an answer follows', () => {
    const draft = `\`\`\`python\n${CODE}\n\`\`\`\n`;
    expect(read(`${draft}Or else:`).code).toBe('');
    expect(read(draft, 'I cannot.').code).toBe('');
  });

  it('holds no objection', () => {
    expect(
      read('```dispute\ncheck: 1\nreason: it is wrong\n```\n')
    ).not.toHaveProperty('dispute');
  });
});
