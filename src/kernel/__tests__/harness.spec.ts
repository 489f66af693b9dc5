/** @jest-environment node */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { pythonLiteral } from '../harness';

describe('pythonLiteral', () => {
  it.each([
    'plain',
    'quotes \' " and \\ backslash\\n',
    'lines\n\r\t\b\f\0',
    'ümlaut – \u2028 \u007f \uffff',
    '𝛑 and 🐍',
    'lone \ud800 surrogate'
  ])('is what Python reads back: %j', text => {
    const literal = pythonLiteral(text);
    expect(literal).toMatch(/^[ -~]*$/);
    const read = execFileSync(
      join(__dirname, '../../../.venv/bin/python'),
      ['-c', `import json; print(json.dumps(${literal}))`],
      { encoding: 'utf8' }
    );
    expect(JSON.parse(read)).toBe(text);
  });
});
