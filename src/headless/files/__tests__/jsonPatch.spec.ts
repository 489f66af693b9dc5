/** @jest-environment node */
import * as fc from 'fast-check';
import { patchJson, sameJson } from '../jsonPatch';
import { parseJson } from '../jsonText';

const json = () =>
  fc.jsonValue({ maxDepth: 4, noUnicodeString: false } as object);

/** JSON of a value in one of many layouts. */
const layouts = fc.constantFrom<(value: unknown) => string>(
  value => JSON.stringify(value),
  value => JSON.stringify(value, null, 1),
  value => `\uFEFF${JSON.stringify(value, null, 4)}\n`,
  value => JSON.stringify(value, null, '\t').replace(/\n/g, '\r\n'),
  value => `\n${JSON.stringify(value, null, 2).replace(/,\n/g, '\n,\n ')}\n\n`
);

const parse = (text: string) =>
  parseJson(text, text.startsWith('\uFEFF') ? 1 : 0);

it('reads what JSON.parse reads', () => {
  fc.assert(
    fc.property(json(), layouts, (value, layout) => {
      const text = layout(value);
      const read = parse(text).value;
      expect(read).toEqual(JSON.parse(text.replace(/^\uFEFF/, '')));
    })
  );
});

it('refuses what JSON.parse refuses', () => {
  fc.assert(
    fc.property(
      json(),
      fc.nat(),
      fc.string({ maxLength: 2 }),
      (value, at, typed) => {
        const whole = JSON.stringify(value);
        const place = at % (whole.length + 1);
        const text = whole.slice(0, place) + typed + whole.slice(place + 1);
        const result = (read: () => unknown) => {
          try {
            return { value: read() };
          } catch {
            return 'refused';
          }
        };
        expect(result(() => parseJson(text).value)).toEqual(
          result(() => JSON.parse(text) as unknown)
        );
      }
    ),
    { numRuns: 500 }
  );
});

it('names the line that is wrong', () => {
  expect(() => parseJson('{\n"a": 1,\n}')).toThrow('line 3');
});

it('gives any value, and keeps the bytes of an equal one', () => {
  fc.assert(
    fc.property(json(), json(), layouts, (value, after, layout) => {
      const text = layout(value);
      const root = parse(text);
      expect(patchJson(text, root, value)).toBe(text);
      const patched = patchJson(text, root, after);
      expect(sameJson(parse(patched).value, after)).toBe(true);
    }),
    { numRuns: 500 }
  );
});

it('keeps the bytes of every part that stays', () => {
  const record = fc.dictionary(fc.string({ maxLength: 3 }), json(), {
    maxKeys: 6
  });
  fc.assert(
    fc.property(record, layouts, json(), (value, layout, added) => {
      const text = layout(value);
      const root = parse(text);
      const [first, ...others] = Object.keys(value);
      const after = {
        ...value,
        ...(first === undefined ? {} : { [first]: [added] }),
        'a new key': added
      };
      const patched = patchJson(text, root, after);
      expect(sameJson(parse(patched).value, after)).toBe(true);
      for (const { key, start, value: node } of root.members ?? []) {
        if (others.includes(key)) {
          expect(patched).toContain(text.slice(start, node.end));
        }
      }
    })
  );
});

it.each([
  [
    '{"a": 1.0, "b": 12345678901234567890, "c": NaN}',
    { a: 1, b: Number('12345678901234567890'), c: NaN, d: [] },
    '{"a": 1.0, "b": 12345678901234567890, "c": NaN, "d": []}'
  ],
  [
    '{"b":"\\u00e9\\/","c":1}',
    { a: 'ü', b: 'é/', c: 2 },
    '{"a":"\\u00fc","b":"\\u00e9\\/","c":2}'
  ],
  [
    '{\r\n\t"z": [],\r\n\t"a": -Infinity\r\n}',
    { z: [1], a: -Infinity, b: 2 },
    '{\r\n\t"z": [\r\n\t\t1\r\n\t],\r\n\t"a": -Infinity,\r\n\t"b": 2\r\n}'
  ],
  [
    '{\n "s": [\n  "one\\n",\n  "tw\\u006f\\n",\n  "three"\n ]\n}',
    { s: ['new\n', 'two\n', 'three'] },
    '{\n "s": [\n  "new\\n",\n  "tw\\u006f\\n",\n  "three"\n ]\n}'
  ],
  ['[1, 2, 3]', [0, 1, 2, 3], '[0, 1, 2, 3]'],
  ['[1, 2, 3]', [1], '[1]'],
  ['[1]', [1, 2], '[1, 2]'],
  [
    '{"a": {"b": 1e3}}',
    { a: { b: 1000, c: { d: 'x' } } },
    '{"a": {"b": 1e3, "c": {"d": "x"}}}'
  ],
  ['{"a": 1, "a": 2}', { a: 3 }, '{"a": 1, "a": 3}'],
  [
    '{\n  "a": {}\n}',
    { a: { b: undefined, c: ['x'] } },
    '{\n  "a": {\n    "c": [\n      "x"\n    ]\n  }\n}'
  ]
])('writes into %s in its own layout', (text, after, expected) => {
  expect(patchJson(text, parseJson(text), after)).toBe(expected);
});
