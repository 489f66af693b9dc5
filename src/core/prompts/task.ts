/** The task as the model gets it: the same bytes in every attempt of a session. */
import { fenced, joined, joinedLines } from '../text/markdown';
import { isBlankSource } from '../python/cell';
import { frameOfRequest, leadingBlanks, markedSource } from '../part/part';
import { fillTemplate } from '../text/template';
import { languageName } from '../languages/list';
import { requiredNames } from '../domain/repair';
import { withoutSkipped } from '../domain/checks/numberedChecks';
import type { ContextCell, VariableInfo } from '../domain/request';
import type { VisibleRequest } from '../domain/visible';
import { cutLine } from '../text/cut';
import { formatMetric } from '../domain/verdict';

/** What comes first: material. Then the task, and the checks as the last thing that is read. */
const MATERIAL: readonly (readonly [
  keyof ReturnType<typeof taskParts>,
  string
])[] = [
  ['context', 'These cells of the notebook have run:'],
  ['variables', 'Variables in the kernel:'],
  ['history', 'Earlier sessions on this cell:'],
  ['cell', 'The cell now:'],
  ['failed', 'The error to fix:']
];

/**
 * The user's own template (`generatorPrompt`) where there is one.
 *
 * @param asks - stands before the task; default: asks for the cell.
 */
export function taskPrompt(request: VisibleRequest, asks = ''): string {
  const parts = taskParts(request);
  const { target, options, part, context } = request;
  // A candidate could build on it.
  const hasUnrun = context.cells.some(cell => cell.ran === false);
  if (options.generatorPrompt.trim() !== '') {
    return fillTemplate(options.generatorPrompt, parts);
  }
  const what =
    target.kind === 'markdown'
      ? 'Write the text of the cell'
      : part
        ? 'Rewrite the marked lines'
        : parts.cell === ''
          ? 'Write the next cell'
          : 'Write the new cell';
  return joined([
    ...MATERIAL.filter(([name]) => parts[name] !== '').map(
      ([name, heading]) =>
        `${name === 'context' && hasUnrun ? 'Cells above:' : heading}\n\n${parts[name]}`
    ),
    `${asks || what}: ${parts.task}`,
    parts.metric,
    parts.checks === ''
      ? ''
      : target.kind === 'markdown'
        ? `It must pass these checks:\n\n${parts.checks}`
        : `It must pass these checks, which run after it:\n\n${parts.checks}`
  ]);
}

/** The parts of the task, each without a heading; empty where there is nothing to say. */
function taskParts(request: VisibleRequest) {
  return {
    task: taskOf(request),
    history: (request.followUp?.history ?? []).join('\n\n'),
    checks: checksText(request),
    metric: metricText(request),
    context: contextText(request),
    variables: request.context.variables
      .filter(variable => !isShown(variable, request))
      .map(variable => `- ${describeVariable(variable)}`)
      .join('\n'),
    cell: partText(request) ?? cellText(request),
    failed: repairText(request),
    language: languageName(request.language)
  };
}

function checksText({ assertions, language }: VisibleRequest): string {
  return assertions
    .map(cell => withoutSkipped(cell, language).source)
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
      ? 'make the checks below hold.'
      : target.kind === 'code'
        ? 'make the cell run without error and do what it is meant to do.'
        : 'make the text clear and correct. Keep what it says.');
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

function contextCell(
  { kind, source, cut, ran }: ContextCell,
  language: string
): string {
  return joinedLines([
    fenced(source, kind === 'code' ? language : 'markdown'),
    cut ? '(shortened)' : '',
    ran === false
      ? '(Not run in this kernel: what it defines is not there.)'
      : ''
  ]);
}

/** A function or class whose source is in the prompt. */
function isShown(
  { name, signature }: VariableInfo,
  { context }: VisibleRequest
): boolean {
  const definition = new RegExp(`^(?:async )?(?:def|class) ${name}\\b`, 'm');
  return (
    signature !== undefined &&
    context.cells.some(({ source }) => definition.test(source))
  );
}

/** One line of facts: `df: pandas.core.frame.DataFrame, shape [12, 3], columns region (object), …`. */
export function describeVariable(variable: VariableInfo): string {
  if (variable.redacted) {
    return `${variable.name}: not sent`;
  }
  const { name, type, signature = '', shape, length, dtype } = variable;
  const { columns = [], doc, sample } = variable;
  const named = columns.map(
    ([column, kind]) => `${JSON.stringify(column)} (${kind})`
  );
  const facts = [
    `${name}: ${type}${signature}`,
    shape
      ? `shape [${shape.join(', ')}]`
      : length === undefined
        ? ''
        : `length ${length}`,
    dtype === undefined ? '' : `dtype ${dtype}`,
    named.length > 0 ? `columns ${named.join(', ')}` : '',
    doc ? JSON.stringify(doc) : '',
    sample === undefined ? '' : `value ${sample}`
  ];
  return joined(facts, ', ');
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
  // A comment alone is part of the prompt, unless that was written elsewhere.
  const isPrompt = !['panel', 'magic'].includes(request.promptOrigin);
  return isPrompt && isBlankSource(source, language)
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
  const { error, changed } = repair;
  const names = requiredNames(repair, error);
  return joined(
    [
      error
        ? `Running the cell raised ${error.name}. Fix the cause.`
        : 'Running the cell failed. Fix the cause.',
      'Change nothing else. Do not catch the error only to ignore it.',
      names.length > 0 ? `The cell must still define ${names.join(', ')}.` : '',
      changed.length > 0
        ? `Before it stopped, the failed run changed ${changed.join(', ')}: the cell starts from the changed values.`
        : ''
    ],
    ' '
  );
}

/** Characters of a name or a unit. */
const LIMIT = 60;

/** Empty where nothing is measured. The same words in every attempt, whatever was measured so far. */
export function metricText(request: VisibleRequest): string {
  const { scorer, assertions, language, options, target } = request;
  if (!scorer || language !== 'python') {
    return '';
  }
  const what =
    assertions.length > 0
      ? 'What holds the checks'
      : target.kind === 'code'
        ? 'The cell'
        : 'The text';
  const read = (key: string, otherwise: string) =>
    boundText(scorer.source, key) ?? otherwise;
  const unit = read('unit', '');
  const better = { min: '; less is better', max: '; more is better' };
  const goal = read('goal', 'max');
  const value = options.targetScore;
  return [
    `${what} is measured by a scorer that you do not see: ${read('name', 'score') || 'a value of its own'}${unit && ` in ${unit}`}${goal === 'min' || goal === 'max' ? better[goal] : ''}.`,
    ...(value === null
      ? []
      : [`The target is ${formatMetric({ value, unit })}.`])
  ].join(' ');
}

/** The text that a line of the scorer binds to a name; empty where it is bound in another way, null where it is not. */
function boundText(source: string, name: string): string | null {
  const [, , text = null] =
    new RegExp(
      `^${name}[ \\t]*(?::[ \\t]*\\w+[ \\t]*)?=[ \\t]*(["'])([^"'\\\\]*)\\1[ \\t]*(?:#.*)?$`,
      'm'
    ).exec(source) ?? [];
  return text !== null
    ? cutLine(text, LIMIT)
    : new RegExp(`\\b${name}\\b[^\\n]*(?<![=!<>])=(?!=)`).test(source)
      ? ''
      : null;
}
