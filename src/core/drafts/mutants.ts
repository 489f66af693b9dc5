/** Small changes of meaning to a Python source, one each: what a check of any worth fails on. */
import { isString, parseTree } from '../python/syntax';

const SWAPPED: Readonly<Record<string, string>> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '==': '!=',
  '!=': '==',
  '+': '-',
  '-': '+',
  '*': '+',
  '//': '*',
  '+=': '-=',
  '-=': '+=',
  and: 'or',
  or: 'and',
  True: 'False',
  False: 'True',
  min: 'max',
  max: 'min'
};

/** What is changed: not an attribute, and not the `*` of a parameter. */
const CHANGED =
  /^(?:ArithOp|CompareOp|UpdateOp|Boolean|Number|VariableName|and|or)$/;

/** Each with one operator, constant or whole number changed, in the order of the source. */
export function mutantsOf(source: string): readonly string[] {
  const mutants: string[] = [];
  parseTree(source).iterate({
    enter: ({ name, from, to }) => {
      const token = source.slice(from, to);
      const changed = !CHANGED.test(name)
        ? null
        : /^\d+$/.test(token)
          ? String(Number(token) + 1)
          : Object.hasOwn(SWAPPED, token)
            ? SWAPPED[token]
            : null;
      if (changed !== null) {
        mutants.push(source.slice(0, from) + changed + source.slice(to));
      }
      return !isString(name);
    }
  });
  return mutants;
}
