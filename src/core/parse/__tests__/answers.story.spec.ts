/** The corpus of answers: a format that a model uses and we misread belongs into `answers.ts`. */
import { AnswerParser, parseAnswer } from '../parse';
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
      const parser = new AnswerParser(options);
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
