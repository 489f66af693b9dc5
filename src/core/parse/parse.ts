/** A model's streaming text to thoughts and candidate. */
import type { IAnswerParser, ParsedAnswer, ParseOptions } from './answer';
import { PartParser } from '../part/partParser';
import { CodeParser } from './codeParser';
import { ProseParser } from './proseParser';

export type { IAnswerParser, ParsedAnswer, ParseOptions } from './answer';
export type { ParseDelta } from './delta';

export function createParser(options: ParseOptions): IAnswerParser {
  const { kind, frame, language } = options;
  const parser =
    kind === 'markdown' ? new ProseParser(options) : new CodeParser(options);
  return frame ? new PartParser(parser, frame, language) : parser;
}

/** Read a whole answer. */
export function parseAnswer(text: string, options: ParseOptions): ParsedAnswer {
  const parser = createParser(options);
  parser.push(text);
  return parser.end().answer;
}
