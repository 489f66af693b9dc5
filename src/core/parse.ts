/** A model's streaming text to thoughts and candidate. */
import type { IAnswerParser, ParsedAnswer, ParseOptions } from './parse/answer';
import { CodeParser } from './parse/codeParser';
import { ProseParser } from './parse/proseParser';

export type {
  IAnswerParser,
  OpenBlock,
  ParsedAnswer,
  ParseOptions
} from './parse/answer';
export type { ParseDelta } from './parse/delta';

export function createParser(options: ParseOptions): IAnswerParser {
  return options.kind === 'markdown'
    ? new ProseParser()
    : new CodeParser(options.language);
}

/** Read a whole answer. */
export function parseAnswer(text: string, options: ParseOptions): ParsedAnswer {
  const parser = createParser(options);
  parser.push(text);
  return parser.end().answer;
}
