/** The prompt of a target: the first of the places where one can be written. */
import { languageOf } from '../core/languages/list';
import type { RefineRequest, Target } from '../core/domain/request';
import { dedented } from '../core/part/replacement';
import { cellAt, type NotebookCell } from './structure/cells';
import { topLevel } from '../core/python/checks';
import {
  isForeignMagic,
  parsePython,
  undecorated
} from '../core/python/syntax';
import { onlySetsUp } from './python/analysis';

export type FoundPrompt = Pick<RefineRequest, 'prompt' | 'promptOrigin'> & {
  /** Ids of the cells that hold it: a `%%refine` cell, or texts. */
  readonly promptCells: readonly string[];
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
 * The panel's box, else what the notebook says: all texts above the target up to the
 * code cell before it, and the comment or docstring that the target starts with.
 */
export function findPrompt(
  cells: readonly NotebookCell[],
  target: Target,
  language: string,
  panelPrompt: string
): FoundPrompt {
  if (panelPrompt.trim() || target.kind !== 'code') {
    const prompt = panelPrompt.trim();
    const promptOrigin = prompt ? 'panel' : 'none';
    return { prompt, promptOrigin, promptCells: [] };
  }
  const texts = textsAbove(cells, target.index, language);
  const text = texts.map(withoutContents).join('\n\n');
  const comment = leadingComment(target.source, language).trim();
  const own =
    comment || (language === 'python' ? leadingDocstring(target.source) : '');
  return {
    prompt: shortened([text, own].filter(Boolean).join('\n\n')),
    promptOrigin: text
      ? 'markdown'
      : comment
        ? 'comment'
        : own
          ? 'docstring'
          : 'none',
    promptCells: texts.map(({ id }) => id)
  };
}

/** The texts above a target that say what to do, without headings that stand alone and tables of contents. */
function textsAbove(
  cells: readonly NotebookCell[],
  target: number,
  language: string
): readonly NotebookCell[] {
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
  return telling.length > 0 ? telling : texts.slice(-1);
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
  return promptLines(source, language)
    .map(line => uncommented(line, language))
    .join('\n');
}

function uncommented(line: string, language: string): string {
  const { length } = languageOf(language).comment;
  return line.slice(length).replace(/^'?\s?/, '');
}

/** The same with their marks. */
export function promptLines(
  source: string,
  language: string
): readonly string[] {
  const lines = source.split('\n').map(line => line.trim());
  const isComment = (line: string) =>
    line.startsWith(languageOf(language).comment);
  const first = lines.findIndex(line => line && !line.startsWith('%%'));
  const start = Math.max(0, first);
  const end = lines.findIndex(
    (line, index) => index >= start && line !== '' && !isComment(line)
  );
  return isForeignMagic(source)
    ? []
    : lines
        .slice(start, end < 0 ? undefined : end)
        .filter(isComment)
        .filter(line => !TOOL_COMMENT.test(uncommented(line, language)));
}

/** The docstring of the cell, or of its first function or class after the imports. */
export function leadingDocstring(source: string): string {
  const { root, text } = parsePython(source);
  const first = topLevel(root).find(({ name }) => name !== 'ImportStatement');
  const definition = first && undecorated(first);
  // A half-written definition has no body.
  const body = definition?.getChild('Body');
  const statement = body ? topLevel(body)[0] : first;
  const string =
    statement?.name === 'ExpressionStatement' && statement.getChild('String');
  return string ? unquote(text.slice(string.from, string.to)).trim() : '';
}

/** Content of a string literal, its lines brought to the same margin. */
function unquote(literal: string): string {
  const [, , body = ''] = /^[a-z]*("""|'''|"|')([^]*)\1$/i.exec(literal) ?? [];
  const [first = '', ...rest] = body.split('\n');
  return [first.trim(), dedented(rest.join('\n'))].join('\n');
}
