/** Small changes of meaning to a Python source, one each: what a check of any worth fails on. */

/** Comments, strings and operators that look like others are stepped over. */
const TOKEN =
  /#[^\n]*|"""[^]*?"""|'''[^]*?'''|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|[A-Za-z_][\w.]*|\d+(?:\.\d+)?|->|:=|\*\*|\/\/|<<|>>|[-+*/<>=!%]=|[-+*/<>%]/g;

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

/** Each with one operator, constant or whole number changed, in the order of the source. */
export function mutantsOf(source: string): readonly string[] {
  const mutants: string[] = [];
  for (const { 0: token, index } of source.matchAll(TOKEN)) {
    const changed = /^\d+$/.test(token)
      ? String(Number(token) + 1)
      : Object.hasOwn(SWAPPED, token)
        ? SWAPPED[token]
        : null;
    if (changed !== null) {
      mutants.push(
        source.slice(0, index) + changed + source.slice(index + token.length)
      );
    }
  }
  return mutants;
}
