/** @jest-environment node */
import fc from 'fast-check';
import { TextTable } from '../textTable';

const text = fc.oneof(
  fc.string(),
  fc.constantFrom('a', 'b', 'c').map(char => char.repeat(300)),
  fc.string({ minLength: 200, maxLength: 260 })
);

const value = fc.letrec(tie => ({
  any: fc.oneof(
    { maxDepth: 4 },
    text,
    fc.integer(),
    fc.constant(null),
    fc.array(tie('any'), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom('x', '2', '1', 'text'), tie('any'))
  )
})).any;

it('gives back what was stored, whatever repeats', () => {
  fc.assert(
    fc.property(fc.array(value, { maxLength: 6 }), values => {
      const writing = new TextTable();
      const lines = values.map(one => writing.stringify(one));
      const reading = new TextTable();
      expect(lines.map(line => reading.parse(line))).toEqual(
        values.map(one => JSON.parse(JSON.stringify(one)) as unknown)
      );
    })
  );
});

it('stores a long text once, and a copy adds nothing to its original', () => {
  const long = 'x'.repeat(300);
  const table = new TextTable();
  expect(table.stringify([long, long])).toBe(`["${long}",{"$text":0}]`);
  const copy = new TextTable(table);
  expect(copy.stringify(long)).toBe('{"$text":0}');
  copy.stringify('y'.repeat(300));
  expect(table.stringify('y'.repeat(300))).toBe(`"${'y'.repeat(300)}"`);
  expect(() => new TextTable().parse('{"$text":0}')).toThrow(RangeError);
});
