/** The prompt of a target: the first of the places where one can be written. */
import { languageOf } from '../core/languages/list';
import type { PromptOrigin, Target } from '../core/domain/request';
import { dedented } from '../core/part/replacement';
import { cellAt, type NotebookCell } from './structure/cells';
import { parseMagicCell } from './magicCell';
import { topLevel } from '../core/python/checks';
import { isForeignMagic } from '../core/python/magics';
import { parsePython } from '../core/python/syntax';
import { onlySetsUp } from './python/analysis';
import { promptCellOf } from './structure/structure';

export type FoundPrompt = {
  readonly prompt: string;
  readonly origin: PromptOrigin;
  /** Ids of the cells that hold it: a `%%refine` cell, or texts. */
  readonly cellIds: readonly string[];
};

/** Characters of a prompt from the notebook. */
const LONGEST = 12_000;
/** Comment lines for tools, without a meaning for the reader. */
const TOOL_COMMENT =
  /^(!|%%|-\*-|type:|noqa|pylint:|fmt:|ruff:|flake8:|mypy:|pyright:|\+|#*\s*(YOUR CODE HERE|(BEGIN|END) (SOLUTION|HIDDEN TESTS))|[-=#*~\s]*$)/i;
/** An item of a table of contents; an anchor. */
const CONTENTS_LINE =
  /^\s*(?:(?:[-*+]|\d+\.)\s*\[[^\]]*\]\(#[^)]*\)|<a\b[^>]*>\s*<\/a>)\s*$/;
const HEADING = /^\s*#{1,6}(?:\s|$)/;

/**
 * Text under `%%refine`, else the panel's box, else what the notebook says: all
 * texts above the target up to the code cell before it, and the comment or
 * docstring that the target starts with. Trimmed.
 */
export function findPrompt(
  cells: readonly NotebookCell[],
  target: Target,
  language: string,
  panelPrompt: string
): FoundPrompt {
  const magic = promptCellOf(cells, cellAt(cells, target.index));
  const magicCell = magic === null ? null : cellAt(cells, magic);
  const commanded = magicCell ? parseMagicCell(magicCell.source).prompt : '';
  if (magicCell && commanded.trim()) {
    return {
      prompt: commanded.trim(),
      origin: 'magic',
      cellIds: [magicCell.id]
    };
  }
  if (panelPrompt.trim() || target.kind !== 'code') {
    const prompt = panelPrompt.trim();
    return { prompt, origin: prompt ? 'panel' : 'none', cellIds: [] };
  }
  const text = textAbove(cells, target.index, language);
  const comment = leadingComment(target.source, language).trim();
  const own =
    comment || (language === 'python' ? leadingDocstring(target.source) : '');
  const prompt = [text.prompt, own].filter(Boolean).join('\n\n');
  const origin = text.prompt
    ? 'markdown'
    : comment
      ? 'comment'
      : own
        ? 'docstring'
        : 'none';
  return { prompt: shortened(prompt), origin, cellIds: text.cellIds };
}

/** The texts above a target that say what to do, without headings that stand alone and tables of contents. */
function textAbove(
  cells: readonly NotebookCell[],
  target: number,
  language: string
): { readonly prompt: string; readonly cellIds: readonly string[] } {
  const texts: NotebookCell[] = [];
  for (let index = target - 1; index >= 0; index--) {
    const cell = cellAt(cells, index);
    if (cell.type === 'markdown') {
      texts.unshift(cell);
    } else if (
      cell.type === 'code' &&
      // The text above imports is about what follows.
      !(texts.every(isHeading) && onlySetsUp(cell.source, language))
    ) {
      break;
    }
  }
  const telling = texts.filter(
    cell => !isHeading(cell) && withoutContents(cell) !== ''
  );
  const chosen = telling.length > 0 ? telling : texts.slice(-1);
  return {
    prompt: chosen.map(withoutContents).join('\n\n'),
    cellIds: chosen.map(({ id }) => id)
  };
}

function isHeading({ source }: NotebookCell): boolean {
  return source
    .split('\n')
    .every(line => line.trim() === '' || HEADING.test(line));
}

/** The text without a table of contents; empty where nothing but its heading is left. */
function withoutContents({ source }: NotebookCell): string {
  const text = source
    .split('\n')
    .filter(line => !CONTENTS_LINE.test(line))
    .join('\n')
    .trim();
  return /^#*\s*(table of )?contents:?$/i.test(text) ? '' : text;
}

/** The end of a prompt that is too long: it stands nearest to the target. */
function shortened(prompt: string): string {
  const start = prompt.length - LONGEST;
  return start <= 0
    ? prompt
    : `…${prompt.slice(Math.max(start, prompt.indexOf('\n', start)))}`;
}

/** The comment lines at the start of the source, without their marks. */
export function leadingComment(source: string, language: string): string {
  const { comment: mark } = languageOf(language);
  return promptLines(source, language)
    .map(line => uncommented(line, mark))
    .join('\n');
}

function uncommented(line: string, mark: string): string {
  return line.slice(mark.length).replace(/^'?\s?/, '');
}

/** The same with their marks. */
export function promptLines(
  source: string,
  language: string
): readonly string[] {
  if (isForeignMagic(source)) {
    return [];
  }
  const { comment: mark } = languageOf(language);
  const found: string[] = [];
  for (const line of source.split('\n')) {
    const text = line.trim();
    if (text.startsWith(mark)) {
      if (!TOOL_COMMENT.test(uncommented(text, mark))) {
        found.push(text);
      }
    } else if (text && !(found.length === 0 && text.startsWith('%%'))) {
      break;
    }
  }
  return found;
}

/** The docstring of the cell, or of its first function or class after the imports. */
export function leadingDocstring(source: string): string {
  const { root, text } = parsePython(source);
  let node = root.firstChild;
  while (node && /^(Comment|ImportStatement)$/.test(node.name)) {
    node = node.nextSibling;
  }
  const definition =
    node?.name === 'DecoratedStatement' ? node.lastChild : node;
  // A half-written definition has no body.
  const body = definition?.getChild('Body');
  const first = body ? topLevel(body)[0] : node;
  const string =
    first?.name === 'ExpressionStatement' ? first.getChild('String') : null;
  return string ? unquote(text.slice(string.from, string.to)).trim() : '';
}

/** Content of a string literal, its lines brought to the same margin. */
function unquote(literal: string): string {
  const [, body = ''] =
    /^[a-zA-Z]*(?:"""([\s\S]*)"""|'''([\s\S]*)'''|"([\s\S]*)"|'([\s\S]*)')$/
      .exec(literal)
      ?.filter((part, index) => index === 0 || part !== undefined) ?? [];
  const [first = '', ...rest] = body.split('\n');
  return [first.trim(), dedented(rest.join('\n'))].join('\n');
}
