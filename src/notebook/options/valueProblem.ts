/** Why a value does not fit its option, in plain words: zod's own messages name types and its input. */
import type { ZodError } from 'zod';

type Issue = ZodError['issues'][number];

/** A part of a sentence: `it must be at least 1`. */
export function valueProblem(error: ZodError | undefined): string {
  const issue = error?.issues[0];
  return issue ? problemOf(issue) : 'it needs a value';
}

function problemOf(issue: Issue): string {
  if (issue.code === 'invalid_type') {
    return KINDS[issue.expected] ?? `it must be of kind ${issue.expected}`;
  }
  if (issue.code === 'too_small') {
    return `it must be ${issue.inclusive ? 'at least' : 'more than'} ${issue.minimum}`;
  }
  if (issue.code === 'too_big') {
    return `it must be ${issue.inclusive ? 'at most' : 'less than'} ${issue.maximum}`;
  }
  if (issue.code === 'invalid_value') {
    return `it must be one of ${issue.values.map(String).join(', ')}`;
  }
  // Of our own making, like a missing slot of a template.
  return issue.message.replace(/\.$/, '');
}

const KINDS: Readonly<Record<string, string>> = {
  number: 'it must be a number',
  int: 'it must be a whole number',
  string: 'it must be text',
  boolean: 'it must be true or false',
  array: 'it must be a list'
};
