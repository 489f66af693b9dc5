/** @jest-environment node */
import { maskKeys } from '../failures';

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
