/** The task as the model gets it: the same bytes in every attempt of a session. */
import { fenced } from '../fence';
import { isBlankSource } from '../python';
import type { ContextCell, RefineRequest, VariableInfo } from '../request';

export function taskPrompt(request: RefineRequest): string {
  return [
    section('Task', request.prompt.trim() || defaultTask(request)),
    checksSection(request),
    contextSection(request),
    variablesSection(request.context.variables),
    targetSection(request)
  ]
    .filter(text => text !== '')
    .join('\n\n');
}

function section(title: string, body: string): string {
  return `# ${title}\n\n${body}`;
}

function defaultTask(request: RefineRequest): string {
  return request.assertions.length > 0
    ? 'Make the checks below hold.'
    : 'Make the cell below run without error and do what it is meant to do.';
}

/** Assertions only: of hold-outs not even the number is told. */
function checksSection(request: RefineRequest): string {
  if (request.assertions.length === 0) {
    return '';
  }
  const cells = request.assertions.map(cell =>
    fenced(cell.source, request.language)
  );
  return section('Checks that run after the cell', cells.join('\n\n'));
}

function contextSection(request: RefineRequest): string {
  const hidden = new Set(request.holdouts.map(cell => cell.cellId));
  const cells = request.context.cells.filter(cell => !hidden.has(cell.cellId));
  if (cells.length === 0) {
    return '';
  }
  const left = request.context.cellsLeftOut;
  const title =
    left > 0
      ? `Cells above, already run (${left} further up left out)`
      : 'Cells above, already run';
  return section(
    title,
    cells.map(cell => contextCell(cell, request.language)).join('\n\n')
  );
}

function contextCell(cell: ContextCell, language: string): string {
  const block = fenced(
    cell.source,
    cell.kind === 'code' ? language : 'markdown'
  );
  return cell.cut ? `${block}\n(shortened)` : block;
}

function variablesSection(variables: readonly VariableInfo[]): string {
  return variables.length === 0
    ? ''
    : section(
        'Variables in the kernel',
        variables.map(variable => `- ${describeVariable(variable)}`).join('\n')
      );
}

/** One line of facts: `df: pandas.core.frame.DataFrame, shape [12, 3], columns region (object), …`. */
export function describeVariable(variable: VariableInfo): string {
  if (variable.redacted) {
    return `${variable.name}: not told`;
  }
  const facts = [
    `${variable.name}: ${variable.type}${variable.signature ?? ''}`
  ];
  if (variable.shape) {
    facts.push(`shape [${variable.shape.join(', ')}]`);
  } else if (variable.length !== undefined) {
    facts.push(`length ${variable.length}`);
  }
  if (variable.dtype !== undefined) {
    facts.push(`dtype ${variable.dtype}`);
  }
  if (variable.columns && variable.columns.length > 0) {
    const columns = variable.columns.map(
      ([name, dtype]) => `${JSON.stringify(name)} (${dtype})`
    );
    facts.push(`columns ${columns.join(', ')}`);
  }
  if (variable.doc) {
    facts.push(JSON.stringify(variable.doc));
  }
  if (variable.sample !== undefined) {
    facts.push(`value ${variable.sample}`);
  }
  return facts.join(', ');
}

function targetSection(request: RefineRequest): string {
  const { target, language } = request;
  const source = target.source.replace(/^%%refine\b.*\n?/, '');
  if (source.trim() === '') {
    return '';
  }
  if (target.kind === 'markdown') {
    return section('The cell now', fenced(source, 'markdown'));
  }
  return isBlankSource(source, language) && sameText(source, request.prompt)
    ? ''
    : section('The cell now', fenced(source, language));
}

/** True when a comment or docstring says no more than the prompt that was made of it. */
function sameText(source: string, prompt: string): boolean {
  const words = (text: string) =>
    text
      .replace(/^\s*#+ ?/gm, '')
      .replace(/"""|'''/g, '')
      .replace(/\s+/g, ' ')
      .trim();
  return words(source) === words(prompt);
}
