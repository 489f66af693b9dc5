/** Which live variables a request describes. */
import { analyse } from '../python/analysis';
import type { NotebookCell } from './cells';
import type { TargetPlan } from '../plan';
import { hiddenData, namesOnlyInHoldouts } from './hidden';
import { perNotebook } from './perNotebook';
import { isBuiltin } from '../../core/python/names';
import { placeholders } from '../../core/python/placeholders';

const MOST_NAMES = 200;
/** What IPython binds beside the user's names. */
const OWN_NAMES = ['In', 'Out', 'get_ipython', 'exit', 'quit'];
/** One-letter words of a prompt are articles and counters, unless they are marked as code. */
const WORD = /[^\W\d]\w+/gu;
const MARKED_WORD = /`([^`\n]+)`/g;

/**
 * Identifiers that the prompt, the target or its assertions name, what is
 * written as code first; never a name that only hold-outs bind, nor hidden data. The kernel leaves out those
 * it does not know.
 */
export function namesToInspect(
  plan: TargetPlan,
  cells: readonly NotebookCell[],
  language: string
): readonly string[] {
  const { prompt, target, assertions } = plan;
  const inCode = [target, ...assertions].flatMap(({ source }) =>
    language === 'python' ? [...analyse(source, language).reads] : words(source)
  );
  const names = new Set([...markedNames(prompt), ...inCode, ...words(prompt)]);
  const hidden = namesOnlyInHoldouts(cells, language);
  [...OWN_NAMES, ...hiddenData(cells), ...hidden].forEach(name =>
    names.delete(name)
  );
  return [...names].slice(0, MOST_NAMES);
}

/** Words of a prompt that may be names. */
export function namesInPrompt(prompt: string): readonly string[] {
  return [...markedNames(prompt), ...words(prompt)];
}

/** Names in the code that a prompt quotes with backticks. */
function markedNames(prompt: string): readonly string[] {
  return [...prompt.matchAll(MARKED_WORD)].flatMap(
    ([, code = '']) => code.match(/[^\W\d]\w*/gu) ?? []
  );
}

function words(text: string): readonly string[] {
  return text.match(WORD) ?? [];
}

/** What binds names that no analysis sees. */
const UNSEEN =
  /\bimport\s*\*|^\s*[%!]|=\s*[%!]|\b(?:exec|globals|vars|locals|get_ipython)\s*\(/m;

/** `bound`: by name, ids of the code cells that bind it; `*` for those that may bind names unseen. `imported`: what is a module's. */
const binders = perNotebook((cells, language) => {
  const bound = new Map<string, string[]>();
  const imported = new Set<string>();
  for (const { id, type, source } of cells) {
    const { binds, imports } = analyse(type === 'code' ? source : '', language);
    const unseen = type === 'code' && UNSEEN.test(source) ? ['*'] : [];
    for (const name of [...binds, ...unseen]) {
      bound.set(name, [...(bound.get(name) ?? []), id]);
    }
    imports.forEach(name => imported.add(name));
  }
  return { bound, imported };
});

/**
 * Names that the checks read. `ownNames`: no cell but the target binds them; where another
 * cell may bind names unseen, only those that the target's source binds now. A name that is
 * all that the checks read is what the target changes: `df`, to which it adds a column. `askedNames`:
 * the prompt asks for them, or the target leaves them to be written. What it defines in
 * full is no request: the same source gets the same verdict as an attempt and as what the cell holds.
 *
 * @param checks - sources of assertions, hold-outs and scorer.
 */
export function resultNames(
  cells: readonly NotebookCell[],
  { target, prompt }: Pick<TargetPlan, 'target' | 'prompt'>,
  checks: readonly { readonly source: string }[],
  language: string
) {
  const { cellId, source } = target;
  const { bound, imported } = binders(cells, language);
  const isElsewhere = (name: string) =>
    (bound.get(name) ?? []).some(id => id !== cellId);
  const isOwn = isElsewhere('*')
    ? (name: string) => analyse(source, language).binds.has(name)
    : () => true;
  const open = language === 'python' ? placeholders(source) : [];
  const facts = checks.map(check => analyse(check.source, language));
  const reads = new Set(facts.flatMap(fact => [...fact.reads]));
  const subjects = [...reads].filter(
    name =>
      !isBuiltin(name) &&
      !imported.has(name) &&
      !facts.some(({ binds }) => binds.has(name))
  );
  return {
    ownNames: [...reads].filter(name =>
      isElsewhere(name)
        ? subjects.length === 1 && subjects[0] === name
        : isOwn(name)
    ),
    askedNames: [...reads].filter(
      name => open.includes(name) || isAskedFor(name, prompt)
    )
  };
}

const ASKING =
  'def|class|function|method|named|called|define|defines|implement|write|create';

/** `write a function median`, `` `median(values)` ``; not `assert isclose(x, 3)`. */
function isAskedFor(name: string, prompt: string): boolean {
  const wanted = new RegExp(
    `\\b(?:${ASKING})\\s+(?:(?:an?|the|your|own)\\s+)*(?:(?:function|class)\\s+)?${name}(?!\\.?[\\p{L}\\p{N}_])|` +
      `\`${name}(?:\\([^\`]*\\))?\``,
    'iu'
  );
  return wanted.test(prompt);
}
