/** A session that follows another on the same cell: what its prompts report of the sessions before. */
import { CONTEXT_CHARACTERS } from '../settings';
import { cutMiddle, newestWithin } from '../text/cut';
import { fenced, joinedLines } from '../text/markdown';
import type { FollowUp } from '../domain/request';
import type { SessionState } from '../events/state';
import { digestLines, hintText, memoryOf } from './memory';

/** Characters of one answer in words that the history repeats. */
const EXPLANATION_LIMIT = 1500;

/**
 * @param text - what the user asks for.
 * @param source - what the cell holds now.
 * @returns the history is at most as long as the context may be; the newest session is kept longest.
 */
export function followUpOf(
  state: SessionState,
  text: string,
  source: string
): FollowUp {
  const { request } = state;
  const all = [
    ...(request?.followUp?.history ?? []),
    sessionText(state, source)
  ];
  return { text, history: newestWithin(all, CONTEXT_CHARACTERS) };
}

/** What was asked for, each attempt in a line, the hints, how it ended, and what was explained. */
function sessionText(state: SessionState, source: string): string {
  const { request, hints, explanations = [] } = state;
  const { attempts, best } = memoryOf(state);
  const result = attempts.find(({ attempt }) => attempt === best);
  const code = result && result.attempt > 0 ? result.code : '';
  const asked = request?.followUp?.text ?? '';
  return joinedLines([
    asked === '' ? '' : `The user asked for this change: ${asked}`,
    attempts.length === 0 ? '' : digestLines(attempts),
    hintText(hints),
    ending(state, code !== '' && !source.includes(code.trim())),
    code === '' || source.includes(code.trim())
      ? ''
      : fenced(code, request?.language ?? ''),
    ...explanations.map(
      ({ question, text }) =>
        `The user asked: ${question}\nThe answer was: ${cutMiddle(text, EXPLANATION_LIMIT)}`
    )
  ]);
}

/** @param elsewhere - the cell does not hold the best attempt. */
function ending({ outcome, best }: SessionState, elsewhere: boolean): string {
  if (best === null || best === 0) {
    return outcome?.passed
      ? 'The cell passed as it was.'
      : 'No attempt passed.';
  }
  const place = elsewhere
    ? 'It is not in the cell. Its code:'
    : 'The cell below started from it.';
  return outcome?.passed
    ? `Attempt ${best} passed. ${place}`
    : `None passed; attempt ${best} is the best. ${place}`;
}
