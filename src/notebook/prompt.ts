/** The prompt of a target: the first of the places where one can be written. */
import type { SyntaxNode } from '@lezer/common';
import { languageOf } from '../core/languages/list';
import type { PromptOrigin, Target } from '../core/domain/request';
import { cellAt, type NotebookCell } from './structure/cells';
import { parseMagicCell } from './magicCell';
import { isForeignMagic } from '../core/python/magics';
import { parsePython } from '../core/python/syntax';
import { promptCellOf } from './structure/structure';

export type FoundPrompt = {
  readonly prompt: string;
  readonly origin: PromptOrigin;
};

/** Comment lines for tools, without a meaning for the reader. */
const TOOL_COMMENT =
  /^(!|%%|-\*-|type:|noqa|pylint:|fmt:|ruff:|flake8:|mypy:|pyright:|\+|#*\s*(YOUR CODE HERE|(BEGIN|END) (SOLUTION|HIDDEN TESTS))|[-=#*~\s]*$)/i;

/** Text under `%%refine`, the panel's box, the leading comment or docstring, the markdown right above; trimmed. */
export function findPrompt(
  cells: readonly NotebookCell[],
  target: Target,
  language: string,
  panelPrompt: string
): FoundPrompt {
  const cell = cellAt(cells, target.index);
  const magic = promptCellOf(cells, cell);
  const above = cells[target.index - 1];
  const isCode = target.kind === 'code';
  const candidates: readonly (readonly [PromptOrigin, () => string])[] = [
    [
      'magic',
      () =>
        magic === null ? '' : parseMagicCell(cellAt(cells, magic).source).prompt
    ],
    ['panel', () => panelPrompt],
    ['comment', () => (isCode ? leadingComment(cell.source, language) : '')],
    [
      'docstring',
      () =>
        isCode && language === 'python' ? leadingDocstring(cell.source) : ''
    ],
    [
      'markdown',
      () => (isCode && above?.type === 'markdown' ? above.source : '')
    ]
  ];
  for (const [origin, read] of candidates) {
    const prompt = read().trim();
    if (prompt) {
      return { prompt, origin };
    }
  }
  return { prompt: '', origin: 'none' };
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
  const first = /Definition$/.test(definition?.name ?? '')
    ? firstStatement(definition!.getChild('Body'))
    : node;
  const string =
    first?.name === 'ExpressionStatement' ? first.getChild('String') : null;
  return string ? unquote(text.slice(string.from, string.to)) : '';
}

function firstStatement(body: SyntaxNode | null): SyntaxNode | null {
  let node = body?.firstChild ?? null;
  while (node && !/Statement$|Definition$/.test(node.name)) {
    node = node.nextSibling;
  }
  return node;
}

/** Content of a string literal, its lines brought to the same margin. */
function unquote(literal: string): string {
  const [, body = ''] =
    /^[a-zA-Z]*(?:"""([\s\S]*)"""|'''([\s\S]*)'''|"([\s\S]*)"|'([\s\S]*)')$/
      .exec(literal)
      ?.filter((part, index) => index === 0 || part !== undefined) ?? [];
  const [first = '', ...rest] = body.split('\n');
  const margins = rest
    .filter(line => line.trim())
    .map(line => line.length - line.trimStart().length);
  const margin = margins.length > 0 ? Math.min(...margins) : 0;
  return [first.trim(), ...rest.map(line => line.slice(margin))].join('\n');
}
