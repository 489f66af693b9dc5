/** A drafted assertion that the user rewrote: tried again, alone, before it counts. */
import { RefineError } from '../errors';
import type { DraftedAssertion, Drafts } from '../domain/checks/drafted';
import type { RefineRequest } from '../domain/request';
import { CHECKS_NOTHING, chosenSource, Trials, type DraftDeps } from './drafts';

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
    problem: string | null,
    contradicted?: DraftedAssertion['contradicted']
  ): Drafts => ({
    ...drafts,
    assertions: drafts.assertions.map(drafted =>
      drafted.line === line
        ? {
            line,
            source: drafted.source,
            edited,
            problem,
            ...(contradicted ? { contradicted } : {})
          }
        : drafted
    )
  });
  if (edited === '') {
    return change(CHECKS_NOTHING);
  }
  try {
    const tried = await new Trials(
      request,
      chosenSource(change(null), [line]),
      deps
    ).drafts();
    const of = <K extends 'problem' | 'contradicted'>(key: K) =>
      tried.assertions.find(drafted => drafted[key])?.[key];
    return change(of('problem') ?? null, of('contradicted'));
  } catch (error) {
    if (error instanceof RefineError && error.kind === 'model') {
      return change(error.message);
    }
    throw error;
  }
}
