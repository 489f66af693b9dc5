/** Checks for a target that nothing checks: drafted by the model, approved by the user where there is one to ask. */
import { hasChecks } from '../domain/checks/checks';
import type { CheckDeps } from '../deps';
import { chosenSource, DRAFTED_CELL, draftAssertions, usable } from './drafts';
import { RefineError } from '../errors';
import type { ILanguageModel } from '../domain/model';
import type { CheckCell, RefineRequest } from '../domain/request';
import { SessionStop, type Session } from '../session/session';

/**
 * The request with drafted assertions, if the settings ask for them and nobody
 * else checks the target; without approval they count as unverified.
 *
 * @throws SessionStop when the budget has no room for the call.
 */
export async function withGeneratedAssertions(
  session: Session,
  request: RefineRequest,
  deps: CheckDeps,
  generator: ILanguageModel | null
): Promise<RefineRequest> {
  if (
    generator === null ||
    !request.options.generateAssertions ||
    hasChecks(request)
  ) {
    return request;
  }
  try {
    return await generated(session, request, deps, generator);
  } catch (error) {
    session.scope.check();
    if (!(error instanceof RefineError) || error.kind !== 'kernel') {
      throw error;
    }
    session.warn(error.message);
    return request;
  }
}

async function generated(
  session: Session,
  request: RefineRequest,
  deps: CheckDeps,
  generator: ILanguageModel
): Promise<RefineRequest> {
  const { signal } = session.scope;
  const drafts = await session.scope.wait(
    draftAssertions(request, {
      model: generator,
      executor: deps.executor,
      signal,
      onCall: (usage, call) => session.addCall(0, 'drafts', usage, call),
      reserve: promptTokens => {
        const { maxOutputTokens } = request.options;
        const room = session.reserve(generator, promptTokens, maxOutputTokens);
        if (!room) {
          throw new SessionStop('budget');
        }
        return room;
      }
    })
  );
  const lines = usable(drafts).map(drafted => drafted.line);
  const approval =
    deps.approveDrafts && lines.length > 0
      ? await session.waitFor(
          'human',
          'Assertions were drafted: approve them.',
          deps.approveDrafts(drafts, signal, request)
        )
      : null;
  const asked = deps.approveDrafts !== undefined;
  const chosen = asked ? (approval?.chosen ?? []) : lines;
  const used = approval?.drafts ?? drafts;
  const cell: CheckCell = {
    cellId: approval?.cellId ?? DRAFTED_CELL,
    index: request.target.index + 1,
    role: 'assertion',
    source: chosenSource(used, chosen),
    statements: chosen.length,
    ...(asked ? {} : { unverified: true })
  };
  const assertions = chosen.length > 0 ? [cell] : [];
  session.emit({
    type: 'drafts',
    drafts: used,
    chosen,
    approved: asked,
    assertions
  });
  if (chosen.length === 0) {
    session.warn(
      'You used none of the drafted assertions, so nothing checks the cell.'
    );
  }
  return { ...request, assertions };
}
