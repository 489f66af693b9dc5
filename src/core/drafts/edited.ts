/** A drafted assertion that the user rewrote: tried again, alone, before it counts. */
import { RefineError } from '../errors';
import type { DraftedAssertion, Drafts } from '../domain/checks/drafted';
import type { RefineRequest } from '../domain/request';
import { sentence } from '../messages/sentence';
import { chosenSource, Trials, type DraftDeps } from './drafts';

/**
 * The drafts with `text` in place of the one of `line`. It has a problem when it
 * is no Python, checks nothing, or was not seen to fail on anything wrong.
 *
 * @throws the signal's reason, and a RefineError kind `kernel` where it cannot be tried.
 */
export async function withEdited(
  request: RefineRequest,
  drafts: Drafts,
  line: number,
  text: string,
  deps: Pick<DraftDeps, 'executor' | 'signal'>
): Promise<Drafts> {
  const edited = text.trim();
  const change = (
    more: Pick<DraftedAssertion, 'failsOn' | 'problem'>
  ): Drafts => ({
    ...drafts,
    assertions: drafts.assertions.map(drafted =>
      drafted.line === line ? { ...drafted, edited, ...more } : drafted
    )
  });
  const untried = change({ failsOn: null, problem: null });
  if (edited === '') {
    return change({
      failsOn: null,
      problem: sentence('drafts.nothing-checked')
    });
  }
  try {
    const tried = await new Trials(
      request,
      chosenSource(untried, [line]),
      deps
    ).drafts();
    const problem =
      tried.assertions.find(drafted => drafted.problem !== null)?.problem ??
      null;
    return change({
      problem,
      failsOn:
        tried.assertions.find(drafted => drafted.failsOn !== null)?.failsOn ??
        null
    });
  } catch (error) {
    if (error instanceof RefineError && error.kind === 'model') {
      return change({ failsOn: null, problem: error.message });
    }
    throw error;
  }
}
