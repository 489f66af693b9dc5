import fc from 'fast-check';
import { diffLines, StreamingDiff, type DiffLine } from '../lineDiff';

const BEFORE = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].join('\n');

function newCode(lines: readonly DiffLine[]): string {
  return lines
    .filter(line => line.kind !== 'removed')
    .map(line => line.text)
    .join('\n');
}

function oldCode(lines: readonly DiffLine[]): string {
  return lines
    .filter(line => line.kind !== 'added')
    .map(line => line.text)
    .join('\n');
}

function shown(diff: StreamingDiff, code: string): readonly DiffLine[] {
  const { blocks, tail } = diff.update(code);
  return [...blocks.flat(), ...tail];
}

function marks(lines: readonly DiffLine[]): string[] {
  const sign = { same: ' ', added: '+', removed: '-' };
  return lines.map(line => `${sign[line.kind]}${line.text}`);
}

describe('diffLines', () => {
  it('puts a replaced line before the new one', () => {
    expect(marks(diffLines('a\nb\nc', 'a\nB\nc'))).toEqual([
      ' a',
      '-b',
      '+B',
      ' c'
    ]);
  });

  it('accounts for every line where codes differ too much', () => {
    const lines = (name: string) =>
      Array.from({ length: 900 }, (_, i) => `${name}${i}`).join('\n');
    const result = diffLines(lines('a'), lines('b'));
    expect(newCode(result)).toBe(lines('b'));
    expect(oldCode(result)).toBe(lines('a'));
  });
});

describe('StreamingDiff', () => {
  it('does not call removed what the candidate has not reached', () => {
    const diff = new StreamingDiff(BEFORE);
    expect(marks(shown(diff, 'a\nb\n'))).toEqual([' a', ' b']);
  });

  it('shows one removed line for each new line in its place', () => {
    const diff = new StreamingDiff(BEFORE);
    expect(marks(shown(diff, 'a\nB\n'))).toEqual([' a', '-b', '+B']);
  });

  it('shows a partial line as unchanged while it can become so', () => {
    const diff = new StreamingDiff('first line\nsecond line');
    expect(marks(shown(diff, 'first line\nsec'))).toEqual([
      ' first line',
      ' sec'
    ]);
    expect(marks(shown(diff, 'first line\nsecret'))).toEqual([
      ' first line',
      '+secret'
    ]);
  });

  it('starts anew when the code is not an extension of what it was', () => {
    const diff = new StreamingDiff(null);
    shown(diff, 'x = 1\ny = 2\n');
    expect(marks(shown(diff, 'z = 3'))).toEqual([' z = 3']);
  });

  it('never changes a block once it is sealed', () => {
    const lines = Array.from({ length: 400 }, (_, i) => `line ${i}`);
    const edited = lines.map((line, i) => (i % 5 === 0 ? `${line}!` : line));
    const diff = new StreamingDiff(lines.join('\n'));
    let code = '';
    let sealed: readonly (readonly DiffLine[])[] = [];
    for (const line of edited) {
      code += `${line}\n`;
      const { blocks } = diff.update(code);
      sealed.forEach((block, i) => expect(blocks[i]).toBe(block));
      sealed = blocks;
    }
    expect(sealed.length).toBeGreaterThan(5);
  });

  it('shows every written line, and every old line at the end', () => {
    const line = fc.constantFrom('', 'a', 'b', 'c = 1', 'd()', 'return x');
    fc.assert(
      fc.property(
        fc.array(line, { maxLength: 90 }),
        fc.array(line, { maxLength: 90 }),
        fc.integer({ min: 1, max: 40 }),
        (before, after, step) => {
          const code = after.join('\n');
          const diff = new StreamingDiff(before.join('\n'));
          for (let end = 0; end < code.length; end += step) {
            const part = code.slice(0, end);
            expect(newCode(shown(diff, part))).toBe(part.replace(/\n$/, ''));
          }
          const whole = new StreamingDiff(before.join('\n')).finish(code);
          expect(newCode(whole)).toBe(code);
          expect(oldCode(whole)).toBe(before.join('\n'));
        }
      )
    );
  });
});
