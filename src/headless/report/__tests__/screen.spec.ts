/** @jest-environment node */
import { createScreen, jsonText, withoutCommands } from '../screen';
import { printable } from '../text';

describe('screen', () => {
  function screenOn(
    isTTY: boolean,
    environment: Record<string, string> = {},
    columns = 80
  ) {
    let written = '';
    const stream = {
      isTTY,
      columns,
      write: (text: string) => (written += text)
    };
    return { screen: createScreen(stream, environment), read: () => written };
  }

  describe('a terminal', () => {
    it('replaces one status by the next and by nothing', () => {
      const { screen, read } = screenOn(true);
      screen.status('one');
      screen.status('two');
      screen.status('');
      screen.line('end');
      expect(read()).toBe('one\r\u001b[Ktwo\r\u001b[Kend\n');
    });

    it.each([
      [{}, true],
      [{ NO_COLOR: '1' }, false],
      [{ TERM: 'dumb' }, false]
    ])('with %j has colours: %s', (environment, colours) => {
      const { screen } = screenOn(true, environment);
      expect(screen.paint('good', 'x') !== 'x').toBe(colours);
    });

    it('is steered by no text, and keeps its own colours', () => {
      const { screen, read } = screenOn(true);
      const evil = 'a\u001b]0;title\u0007\u001b[2J\r\u001b[Kpassed';
      screen.status(evil);
      screen.line(screen.paint('good', evil));
      expect(read()).toBe('apassed\r\u001b[K\u001b[32mapassed\u001b[39m\n');
    });
  });

  it('shows no status in a log', () => {
    const { screen, read } = screenOn(false);
    screen.status('working');
    screen.line('next');
    expect(read()).toBe('next\n');
  });

  function written(text: string): string {
    let all = '';
    withoutCommands({ write: piece => (all += piece) }).write(text);
    return all;
  }

  /** As the runner reads: lines without white space around, the older form anywhere. */
  function isCommand(text: string): boolean {
    return text
      .split(/\r\n|\r|\n/)
      .some(line => line.trim().startsWith('::') || line.includes('##['));
  }

  const HOSTILE = [
    '::error::x\n',
    'a\n  ::add-mask::x',
    'a\r::error::x',
    '\u0085\u00a0\u3000::error::x',
    ':::error::x',
    '::::',
    'text ##[add-mask]x',
    '###[group]',
    '##[##[a]'
  ];

  test.each(HOSTILE)('%j is no command', text => {
    expect(isCommand(text.replace(/\u0085/g, ''))).toBe(true);
    expect(isCommand(written(text).replace(/\u0085/g, ''))).toBe(false);
  });

  test.each(['a::b\n', 'x = y[::2]\n', '## [a] #[b]\n', 'n.ipynb: passed\n'])(
    'other text stays as it is: %j',
    text => {
      expect(written(text)).toBe(text);
    }
  );

  test('JSON without a command is the same data', () => {
    const data = { text: 'a\n::error::x ##[add-mask]x ###[a]' };
    expect(isCommand(jsonText(data, 1))).toBe(false);
    expect(JSON.parse(jsonText(data, 1))).toEqual(data);
  });
});

describe('text', () => {
  describe('printable', () => {
    it.each([
      ['plain\n\ttext äöü 日本', 'plain\n\ttext äöü 日本'],
      ['\u001b[31mred\u001b[0m', 'red'],
      ['\u001b[2J\u001b[1;1Hgone', 'gone'],
      ['\u001b]0;title\u0007text', 'text'],
      ['\u001b]8;;http://x\u001b\\link\u001b]8;;\u001b\\', 'link'],
      ['one\r\ntwo\rthree', 'one\ntwothree'],
      ['a\u202eb\u2066c', 'abc'],
      ['bell\u0007 back\b csi\u009b31m', 'bell back csi31m']
    ])('%j', (text, expected) => {
      expect(printable(text)).toBe(expected);
    });
  });
});
