/** @jest-environment node */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const SOURCE = join(__dirname, '..', '..');

const product = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
  .filter(path => /\.tsx?$/.test(path) && !/__tests__|^testing/.test(path))
  .map(path => ({ path, text: readFileSync(join(SOURCE, path), 'utf8') }));

/** How often each word occurs in the product. */
const words = new Map<string, number>();
for (const { text } of product) {
  for (const [word] of text.matchAll(/[\w$]+/g)) {
    words.set(word, (words.get(word) ?? 0) + 1);
  }
}

it.each(['core', 'models'])('every export of %s is used', room => {
  const unused = product
    .filter(({ path }) => path.startsWith(room))
    .flatMap(({ path, text }) =>
      [
        ...text.matchAll(
          /^export (?:async )?(?:const|function\*?|class|type|interface) (\w+)/gm
        )
      ].map(([, name]) => ({ path, name }))
    )
    .filter(({ name }) => words.get(name) === 1);
  expect(unused).toEqual([]);
});
