/** @jest-environment node */
import { createParser } from '../../parse';
import { readProse } from '../proseParser';

const TEXT = '## Method\n\nWe measured 12 rows.\n\n- a\n- b';

it.each([
  ['Here is the introduction:'],
  ['Here’s a revised version of the cell:'],
  ['Sure! Here is the text you asked for:'],
  ['Certainly.'],
  ['**Below is the rewritten text:**'],
  ['Hier ist der Text:'],
  ['Voici le texte :']
])('leaves out what introduces a text: %s', said => {
  const { prose, thoughts } = readProse(`${said}\n\n${TEXT}`);
  expect(prose).toBe(TEXT);
  expect(thoughts).toBe(said.replace(/\*/g, ''));
});

it.each([
  ['Let me know if you would like a shorter one!'],
  ['I hope this helps.'],
  ['Feel free to ask for changes.'],
  ['Would you like me to add a table?'],
  ['(Word count: 9)']
])('leaves out what follows a text: %s', said => {
  expect(readProse(`${TEXT}\n\n${said}`)).toEqual({
    prose: TEXT,
    thoughts: said
  });
  expect(readProse(`${TEXT}\n\n---\n\n${said}`).prose).toBe(TEXT);
});

it('leaves both out around a fence', () => {
  expect(
    readProse(`Here is it:\n\n\`\`\`\n${TEXT}\n\`\`\`\n\nLet me know!`)
  ).toEqual({ prose: TEXT, thoughts: 'Here is it:\n\nLet me know!' });
});

it.each([
  ['Here are the steps:\n\n1. Load\n2. Fit'],
  ['The results are these:\n\n- a'],
  ['Surely the mean is enough.\n\nIt is.'],
  ['# Of course\n\nA text.'],
  ['A text.\n\nI hope for more data.'],
  ['Here is the text:'],
  ['Let me know.']
])('keeps a text that only looks like it: %j', text => {
  expect(readProse(text).prose).toBe(text);
});

it('keeps a line that the text had before', () => {
  const text = 'Here is the plan:\n\n- a\n\nFeel free to run it.';
  expect(readProse(text, text).prose).toBe(text);
  expect(readProse(text).prose).toBe('- a');
});

it('ends with the same text however the answer was cut', () => {
  const said = `Here is the text:\n\n${TEXT}\n\nLet me know if it fits.`;
  const parser = createParser({ language: 'python', kind: 'markdown' });
  let shown = '';
  const take = (delta: ReturnType<typeof parser.push>) => {
    if (delta) {
      shown = (delta.resetCode ? '' : shown) + delta.code;
    }
  };
  [...said].forEach(piece => take(parser.push(piece)));
  const { answer, delta } = parser.end();
  take(delta);
  expect(answer.code).toBe(TEXT);
  expect(shown).toBe(TEXT);
});
