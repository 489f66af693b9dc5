import { HeldScreen } from '../heldScreen';
import { createScreen } from '../screen';

function held() {
  const written: string[] = [];
  const stream = { write: (text: string) => written.push(text) };
  return { screen: new HeldScreen(createScreen(stream, {})), written };
}

it('keeps lines and parts of lines until they are let out', () => {
  const { screen, written } = held();
  screen.line('one');
  screen.part('tw');
  screen.part('o\nthree');
  screen.status('waiting');
  screen.line('four');
  screen.part('five');
  expect(written).toEqual([]);
  screen.release();
  expect(written.join('')).toBe('one\ntwo\nthree\nfour\nfive\n');
  screen.release();
  expect(written.join('')).toBe('one\ntwo\nthree\nfour\nfive\n');
});
