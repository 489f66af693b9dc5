import { sourceToRun } from '../executor';
import { makeRequest } from '../../__tests__/requests';

const TEXT = 'Costs $5, $(rm) `x` #{exit} @{y} \\$z';

function prose(language: string, candidate = TEXT): string | null {
  const request = makeRequest();
  return sourceToRun(
    { ...request, language, target: { ...request.target, kind: 'markdown' } },
    candidate
  );
}

it.each([
  ['julia', /(?<!\\)((?:\\\\)*)\\(\$)/g, /(?<!\\)(?:\\\\)*\$/],
  ['ruby', /(?<!\\)((?:\\\\)*)\\(#)/g, /(?<!\\)(?:\\\\)*#/]
])('%s interpolates nothing of a text', (language, own, interpolates) => {
  const literal = prose(language)!.replace('response = ', '');
  expect(literal).not.toMatch(interpolates);
  expect(JSON.parse(literal.replace(own, (_, before, c) => before + c))).toBe(
    TEXT
  );
});

it('leaves nothing that an unknown language could run', () => {
  const source = prose('tcl')!;
  expect(source).not.toMatch(/[$#@`{}[\]()]/);
  expect(JSON.parse(source.replace('response = ', ''))).toBe(TEXT);
});

it('replaces half of a surrogate pair, in prose and code', () => {
  expect(prose('python', 'a\ud83d')).toBe('response = "a\ufffd"');
  expect(sourceToRun(makeRequest(), 'x = "\ude00\ud83d\ude00"')).toBe(
    'x = "\ufffd\ud83d\ude00"'
  );
});
