/** What a scanned answer means once it is whole. */
import { joinThoughts, withoutMark, type ParsedAnswer } from './answer';
import { parseJsonAnswer } from './json';
import { codeRegion } from './looks';
import { AnswerScanner, type ProseLine } from './scanner';

/** Read text that is known not to be one JSON object. */
export function scan(
  text: string,
  language: string,
  plainFences = false
): ParsedAnswer {
  const scanner = new AnswerScanner({ language, plainFences });
  for (const line of text.replace(/\n$/, '').split('\n')) {
    scanner.feed(line.replace(/\r$/, ''));
  }
  return finish(scanner, text, language);
}

/** What the scanner's findings mean once the answer is whole. */
export function finish(
  scanner: AnswerScanner,
  text: string,
  language: string
): ParsedAnswer {
  const { fence } = scanner;
  if (fence?.doubtful) {
    return scan(text, language, true);
  }
  if (fence && !fence.aside && scanner.holdsCode(fence)) {
    return answer(scanner.thoughts, fence.text.replace(/`{3,}\s*$/, ''), false);
  }
  if (scanner.candidate !== null) {
    return answer(scanner.thoughts, scanner.candidate, true);
  }
  const jsonTexts = [...scanner.jsonBlocks].reverse();
  const prose = scanner.prose.map(line => line.text);
  const brace = prose.findIndex(line => line.trimStart().startsWith('{'));
  if (brace >= 0) {
    jsonTexts.push(prose.slice(brace).join('\n'));
  }
  for (const jsonText of jsonTexts) {
    const found = jsonAnswer(jsonText, language);
    if (found) {
      return {
        ...found,
        thoughts: joinThoughts(scanner.thinking, found.thoughts)
      };
    }
  }
  return (
    bareAnswer(scanner, language) ??
    (scanner.example !== null
      ? answer(scanner.thoughts, scanner.example, true)
      : null) ??
    nestedAnswer(scanner, language) ??
    answer(scanner.thoughts, '', false)
  );
}

/** Code without a fence: in the Response section if there is one, else anywhere. */
function bareAnswer(
  scanner: AnswerScanner,
  language: string
): ParsedAnswer | null {
  if (scanner.fenced) {
    return null;
  }
  const response = scanner.prose.filter(line => line.section === 'response');
  const lines: readonly ProseLine[] =
    response.length > 0
      ? response
      : scanner.prose.filter(line => line.section === 'none');
  const texts = lines.map(line => line.text);
  const region = codeRegion(texts, language);
  if (!region) {
    return null;
  }
  const code = new Set(lines.slice(region.start, region.end));
  const rest = scanner.prose.filter(line => !code.has(line));
  return answer(
    joinThoughts(
      scanner.thinking,
      rest
        .map(line => line.text)
        .join('\n')
        .replace(/\n{3,}/g, '\n\n')
    ),
    texts.slice(region.start, region.end).join('\n'),
    false
  );
}

/** The whole answer was wrapped into a markdown fence. */
function nestedAnswer(
  scanner: AnswerScanner,
  language: string
): ParsedAnswer | null {
  for (const block of [...scanner.proseBlocks].reverse()) {
    const inner = scan(block, language);
    if (inner.code !== '') {
      return inner;
    }
  }
  return null;
}

export function jsonAnswer(
  text: string,
  language: string
): ParsedAnswer | null {
  const found = parseJsonAnswer(text);
  if (!found) {
    return null;
  }
  const inner = /^\s*(?:`{3,}|~{3,})/m.test(found.code)
    ? scan(found.code, language).code
    : '';
  return answer(found.thoughts, inner === '' ? found.code : inner, false);
}

function answer(thoughts: string, code: string, closed: boolean): ParsedAnswer {
  return { thoughts: thoughts.trim(), code: cleanCode(code), closed };
}

/** Code as it goes into a cell: no `%%refine` line, no byte order mark, no blank lines around it. */
export function cleanCode(code: string): string {
  return withoutMark(code)
    .replace(/^%%refine\b.*(?:\n|$)/gm, '')
    .replace(/^(?:[ \t]*\n)+/, '')
    .trimEnd();
}
