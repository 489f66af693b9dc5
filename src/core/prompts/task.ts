/** The task as the model gets it: the same bytes in every attempt of a session. */
import { fenced } from '../text/fence';
import { isBlankSource } from '../python/blank';
import { frameOfRequest, leadingBlanks, markedSource } from '../part/part';
import { fillTemplate } from '../text/template';
import { metricText } from './metric';
import { languageName } from '../languages/list';
import { numbersChecks } from '../domain/checks/dispute';
import { requiredNames } from '../domain/repair';
import {
  numberedChecks,
  sourceWithNumbers,
  withoutSkipped
} from '../domain/checks/numberedChecks';
import type { ContextCell, Target, VariableInfo } from '../domain/request';
import type { VisibleRequest } from '../domain/visible';

/** The parts of the task, each without a heading; empty where there is nothing to say. */
export type TaskParts = {
  readonly task: string;
  readonly history: string;
  readonly checks: string;
  readonly metric: string;
  readonly context: string;
  readonly variables: string;
  readonly cell: string;
  readonly failed: string;
  readonly language: string;
};

type Headings = readonly (readonly [keyof TaskParts, string])[];

const HEADINGS: Readonly<Record<Target['kind'], Headings>> = {
  code: [
    ['task', 'Task'],
    ['history', 'Earlier sessions on this cell'],
    ['checks', 'Checks that run after the cell'],
    ['metric', 'What is measured'],
    ['context', 'Cells above, already run'],
    ['variables', 'Variables in the kernel'],
    ['cell', 'The cell now'],
    ['failed', 'The error to fix']
  ],
  markdown: [
    ['task', 'Task'],
    ['history', 'Earlier sessions on this cell'],
    ['checks', 'Checks of the text'],
    ['metric', 'What is measured'],
    ['context', 'Cells above, already run'],
    ['variables', 'Variables in the kernel'],
    ['cell', 'The text now']
  ]
};

/** The user's own template (`generatorPrompt`) where there is one. */
export function taskPrompt(request: VisibleRequest): string {
  const parts = taskParts(request);
  const { generatorPrompt } = request.options;
  return generatorPrompt.trim() !== ''
    ? fillTemplate(generatorPrompt, parts)
    : HEADINGS[request.target.kind]
        .filter(([name]) => parts[name] !== '')
        .map(
          ([name, heading]) =>
            `# ${name === 'context' && hasUnrun(request) ? 'Cells above' : heading}\n\n${parts[name]}`
        )
        .join('\n\n');
}

function taskParts(request: VisibleRequest): TaskParts {
  return {
    task: taskOf(request),
    history: (request.followUp?.history ?? []).join('\n\n'),
    checks: checksText(request),
    metric: metricText(request),
    context: contextText(request),
    variables: request.context.variables
      .map(variable => `- ${describeVariable(variable)}`)
      .join('\n'),
    cell: partText(request) ?? cellText(request),
    failed: repairText(request),
    language: languageName(request.language)
  };
}

/** Numbered where the model may object to one. */
function checksText(request: VisibleRequest): string {
  const { assertions, language } = request;
  const checks = numberedChecks(request);
  return assertions
    .map(cell =>
      numbersChecks(request)
        ? sourceWithNumbers(cell, checks, language)
        : withoutSkipped(cell, language).source
    )
    .filter(source => source.trim() !== '')
    .map(source => fenced(source, language))
    .join('\n\n');
}

/** The user's prompt, or what a cell without one asks for by itself; then the change that a follow-up asks for. */
export function taskOf({
  prompt,
  assertions,
  target,
  followUp
}: Pick<
  VisibleRequest,
  'prompt' | 'assertions' | 'target' | 'followUp'
>): string {
  const task =
    prompt.trim() ||
    (assertions.length > 0
      ? 'Make the checks below hold.'
      : target.kind === 'code'
        ? 'Make the cell below run without error and do what it is meant to do.'
        : 'Make the text below clear and correct. Keep what it says.');
  return followUp
    ? `${task}\n\nThat was done before. The user now asks for this change of ${target.kind === 'code' ? 'the cell' : 'the text'} as it is now:\n\n${followUp.text}`
    : task;
}

function contextText(request: VisibleRequest): string {
  const { cells, cellsLeftOut: left } = request.context;
  return [
    ...(left > 0 && cells.length > 0 ? [`(${left} further up left out)`] : []),
    ...cells.map(cell => contextCell(cell, request.language))
  ].join('\n\n');
}

/** True when a cell above has not run, although a candidate could build on it. */
export function hasUnrun({
  context
}: Pick<VisibleRequest, 'context'>): boolean {
  return context.cells.some(cell => cell.ran === false);
}

function contextCell(cell: ContextCell, language: string): string {
  const block = fenced(
    cell.source,
    cell.kind === 'code' ? language : 'markdown'
  );
  return [
    block,
    ...(cell.cut ? ['(shortened)'] : []),
    ...(cell.ran === false
      ? ['(Not run in this kernel: what it defines is not there.)']
      : [])
  ].join('\n');
}

/** One line of facts: `df: pandas.core.frame.DataFrame, shape [12, 3], columns region (object), …`. */
export function describeVariable(variable: VariableInfo): string {
  if (variable.redacted) {
    return `${variable.name}: not sent`;
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

/** The source at the start, fenced; empty where it says no more than the prompt. */
export function cellText(request: VisibleRequest): string {
  const { target, language } = request;
  const source = target.source.replace(/^%%refine\b.*\n?/, '');
  if (source.trim() === '') {
    return '';
  }
  if (target.kind === 'markdown') {
    return fenced(source, 'markdown');
  }
  return isBlankSource(source, language) && sameText(source, request.prompt)
    ? ''
    : fenced(source, language);
}

/** The cell with marks around its part, and what to do with them; null where all of it is refined. */
function partText(request: VisibleRequest): string | null {
  const frame = frameOfRequest(request);
  if (!frame) {
    return null;
  }
  const { language } = request;
  return [
    fenced(markedSource(frame, language), language),
    '\n\n',
    'Rewrite only the lines between the two marks. Your answer replaces them; everything else in the cell stays byte for byte. ',
    'Answer with these lines alone, without the marks and without the rest of the cell.',
    leadingBlanks(frame.text) === '' ? '' : ' Keep their indentation.'
  ].join('');
}

/** What a fixed cell must still do; the error itself is reported with attempt 0. */
function repairText({ repair }: VisibleRequest): string {
  if (!repair) {
    return '';
  }
  const { error, call, changed } = repair;
  const names = requiredNames(repair, error);
  return [
    error
      ? `Running the cell raised ${error.name}. Fix the cause.`
      : 'Running the cell failed. Fix the cause.',
    'Change nothing else. Do not catch the error only to ignore it.',
    call
      ? `The call \`${call.source}\` must still run, or one that takes its place.`
      : '',
    names.length > 0 ? `The cell must still define ${names.join(', ')}.` : '',
    changed.length > 0
      ? `Before it stopped, the failed run changed ${changed.join(', ')}: the cell starts from the changed values.`
      : ''
  ]
    .filter(text => text !== '')
    .join(' ');
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
