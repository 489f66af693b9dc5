/** Why a value does not fit its option, in plain words: zod's own messages name types and its input. */
import type { ZodError } from 'zod';
import { sentence } from '../../core/messages/sentence';

type Issue = ZodError['issues'][number];

/** A part of a sentence: `it must be at least 1`. */
export function valueProblem(error: ZodError | undefined): string {
  const issue = error?.issues[0];
  return issue ? problemOf(issue) : sentence('value.missing');
}

function problemOf(issue: Issue): string {
  if (issue.code === 'invalid_type') {
    return KINDS[issue.expected] ?? sentence('value.of-kind', issue.expected);
  }
  if (issue.code === 'too_small') {
    const id = issue.inclusive ? 'value.at-least' : 'value.more-than';
    return sentence(id, String(issue.minimum));
  }
  if (issue.code === 'too_big') {
    const id = issue.inclusive ? 'value.at-most' : 'value.less-than';
    return sentence(id, String(issue.maximum));
  }
  if (issue.code === 'invalid_value') {
    return sentence('value.one-of', issue.values.map(String).join(', '));
  }
  // Of our own making, like a missing slot of a template.
  return issue.message.replace(/\.$/, '');
}

const KINDS: Readonly<Record<string, string>> = {
  number: sentence('value.number'),
  int: sentence('value.whole-number'),
  string: sentence('value.text'),
  boolean: sentence('value.boolean'),
  array: sentence('value.list')
};
