/** Which of the blocks of an answer are the cell: chosen by the names that they define. */
import { namesOfCell } from '../python/names';
import { parsePython } from '../python/syntax';
import { recent } from '../text/recent';

export type CodeBlock = {
  readonly text: string;
  /** Introduced as an example. */
  readonly announced: boolean;
};

/**
 * The code of a cell out of an answer's blocks; null without a block.
 *
 * @param needs - names that the cell is there to define: the last block that defines one
 * counts. Blocks that define what these read (a helper, imports) come along, in their order.
 * Without any, the last block counts that no sentence announces as an example and that does
 * more than to use what a block before it defines.
 */
export function chooseBlocks(
  blocks: readonly CodeBlock[],
  language: string,
  needs: readonly string[]
): string | null {
  const last = blocks.filter(block => !block.announced).at(-1) ?? blocks.at(-1);
  if (!last || language !== 'python') {
    return last?.text ?? null;
  }
  const known = blocks.map(block => ({
    ...block,
    ...namesOf(block.text)
  }));
  const chosen = new Set<(typeof known)[number]>();
  for (const name of needs) {
    const found =
      known.filter(b => !b.announced && b.binds.has(name)).at(-1) ??
      known.filter(b => b.binds.has(name)).at(-1);
    if (found) {
      chosen.add(found);
    }
  }
  if (chosen.size === 0) {
    const main = known
      .filter(
        (block, index) =>
          !block.announced && !isUsage(block, known.slice(0, index))
      )
      .at(-1);
    if (!main) {
      return last.text;
    }
    chosen.add(main);
  }
  const bound = new Set([...chosen].flatMap(block => [...block.binds]));
  // A helper that is added here is visited in its turn, for what it reads.
  for (const { reads } of chosen) {
    for (const name of reads) {
      const helper = known
        .filter(
          block =>
            !block.announced &&
            block.binds.has(name) &&
            ![...block.defines].some(defined => bound.has(defined))
        )
        .at(-1);
      if (helper && !bound.has(name)) {
        chosen.add(helper);
        helper.binds.forEach(one => bound.add(one));
      }
    }
  }
  return known
    .filter(block => chosen.has(block))
    .map(block => block.text.trimEnd())
    .join('\n\n\n');
}

/** Whether `code` binds all of the names; asked of Python alone. */
export function bindsAll(
  code: string,
  language: string,
  names: readonly string[]
): boolean {
  if (names.length === 0 || language !== 'python') {
    return true;
  }
  const { binds } = namesOfCell(code);
  return names.every(name => binds.has(name));
}

const namesOf = recent((text): Names => {
  const parsed = parsePython(text);
  const { reads, binds } = namesOfCell(text);
  return { reads, binds, defines: definitions(parsed.root, parsed.text) };
});

type Names = {
  readonly reads: ReadonlySet<string>;
  readonly binds: ReadonlySet<string>;
  readonly defines: ReadonlySet<string>;
};

/** It defines no function or class, and reads one that a block before it defines. */
function isUsage(block: Names, before: readonly Names[]): boolean {
  return (
    block.defines.size === 0 &&
    before.some(({ defines }) =>
      [...defines].some(name => block.reads.has(name))
    )
  );
}

/** Functions and classes at the top of a module. */
function definitions(
  root: ReturnType<typeof parsePython>['root'],
  text: string
): ReadonlySet<string> {
  const found = new Set<string>();
  for (let node = root.firstChild; node; node = node.nextSibling) {
    const inner = node.name === 'DecoratedStatement' ? node.lastChild : node;
    const name = inner?.getChild('VariableName');
    if (inner && name && /^(?:Function|Class)Definition$/.test(inner.name)) {
      found.add(text.slice(name.from, name.to));
    }
  }
  return found;
}
