/** @jest-environment node */
import { stripAnsi } from '../ansi';

describe('stripAnsi', () => {
  it.each([
    ['\x1b[0;31mKeyError\x1b[0m', 'KeyError'],
    ['\x1b[38;5;241m12\x1b[39m', '12'],
    ['\x1b]8;;https://example.org\x07link\x1b]8;;\x07', 'link'],
    ['\x1b[2K\x1b[1Gdone', 'done'],
    ['array[0] [1m', 'array[0] [1m']
  ])('%j', (text, plain) => {
    expect(stripAnsi(text)).toBe(plain);
  });
});
