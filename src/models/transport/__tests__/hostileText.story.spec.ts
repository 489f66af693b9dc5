/** Patterns that read a provider's text: long hostile texts take no time. */
import { refused } from '../../call/chatModel';
import {
  fromErrorObject,
  fromStatus,
  quote,
  readError,
  safeCause,
  maskKeys
} from '../failures';

const SIZE = 200_000;
const fill = (piece: string) =>
  piece.repeat(Math.ceil(SIZE / piece.length)).slice(0, SIZE);

/** Each makes one of the patterns start, or continue, as often as it can. */
const TEXTS: Readonly<Record<string, string>> = {
  'starts of tokens': fill('-eyJaaaaaaaa'),
  'tokens with one dot': fill('eyJaaaaaaaa.a-'),
  'starts of keys': fill('sk-a '),
  'starts of Google keys': fill('AIza '),
  'fields without a value': fill('api key" '),
  'a field before blanks': `token${fill(' ')}`,
  bearers: fill('bearer basic '),
  blanks: fill(' '),
  'lines and tabs': fill('\n\t'),
  digits: fill('9'),
  'a page before its tag': `${fill(' ')}<x`
};

const where = {
  host: 'h',
  model: 'm',
  secrets: ['a-secret-of-16ch']
} as const;

const READERS: Readonly<Record<string, (text: string) => unknown>> = {
  maskKeys: text => maskKeys(text, where.secrets),
  quote: text => quote(where, text),
  refused: text => refused(where, 'refusal', text),
  safeCause: text => safeCause(new Error(text), where.secrets),
  'readError, all fields': text =>
    readError({ error: { message: text, code: text, param: text } }),
  'fromStatus, text': text => fromStatus(where, 400, text),
  'fromStatus, object': text =>
    fromStatus(
      where,
      429,
      JSON.stringify({ error: { message: text, code: 'rate-limited' } })
    ),
  fromErrorObject: text =>
    fromErrorObject(where, { error: { message: text, code: 'other' } })
};

describe.each(Object.entries(READERS))('%s', (_, read) => {
  it.each(Object.entries(TEXTS))('reads %s at once', (_name, text) => {
    const start = performance.now();
    read(text);
    expect(performance.now() - start).toBeLessThan(2000);
  });
});

describe('A long message', () => {
  it('is cut before patterns search it', () => {
    const found = readError({
      error: { message: fill('x'), code: fill('c'), param: fill('p') }
    });
    expect(found).toEqual({
      message: 'x'.repeat(4000),
      code: 'c'.repeat(200),
      param: 'p'.repeat(200),
      status: null,
      retryAfterMs: null
    });
    expect(maskKeys(fill('x'))).toHaveLength(8000);
  });

  it('shows no part of a secret at the cut', () => {
    const [secret] = where.secrets;
    const text = `${'x '.repeat(3996)}${secret}`;
    expect(maskKeys(text, where.secrets)).not.toContain(secret.slice(0, 6));
  });
});

describe('maskKeys', () => {
  it.each([
    'sk-proj-abcDEF0123456789_-x',
    'sk-12345***6789',
    'gsk_abcdefghijk',
    'hf_abcdefghijk',
    'AIzaSyA-1234567890abc',
    'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc-DEF_123'
  ])('takes out %s', key => {
    expect(maskKeys(`bad key ${key}, sorry`)).toBe('bad key [key], sorry');
  });

  it.each([
    ['Authorization: Bearer abcdef123456', 'Authorization: Bearer [key]'],
    ['{"api_key": "0123456789abc"}', '{"api_key": "[key]"}'],
    ['token=0123456789abc&x=1', 'token=[key]&x=1']
  ])('takes the value out of %s', (text, masked) => {
    expect(maskKeys(text)).toBe(masked);
  });

  it('takes out a known key of any form, wherever it stands', () => {
    expect(maskKeys('xx1234-abcd-plainxx', ['1234-abcd-plain'])).toBe(
      'xx[key]xx'
    );
  });

  it.each([
    'The model gpt-4o does not exist.',
    'maximum context length is 4096 tokens. You requested 5000 tokens: please reduce',
    'the token ollama is fine'
  ])('leaves other text alone: %s', text => {
    expect(maskKeys(text, ['ollama'])).toBe(text);
  });
});
