/** Python versions of a target that do nothing: what a check of any worth fails on. */
import type { Target } from '../domain/request';

/** Callable all of them: that a name is bound and callable is no check of what it does. */
const VALUES = ['lambda *args, **kwargs: None', 'lambda *args, **kwargs: 0'];

/** Sources that bind each name to a useless value; for prose, empty phrases. */
export function stubs(
  names: readonly string[],
  kind: Target['kind']
): readonly string[] {
  return kind === 'markdown'
    ? ['response = ""', 'response = "x"']
    : VALUES.map(value => names.map(name => `${name} = ${value}`).join('\n'));
}

/** Names that a source plainly defines at its top level. */
export function definedNames(source: string): Set<string> {
  const pattern =
    /^(?:(?:async\s+)?def|class)\s+(\w+)|^(\w+)\s*(?::[^=\n]+)?=(?!=)/gm;
  return new Set(
    [...source.matchAll(pattern)].map(
      ([, defined, bound = '']) => defined ?? bound
    )
  );
}
