/** Attempts: what the cell held at the start, and what a model writes. */
import { repeatOf, type AttemptContext } from './context';
import { AttemptRun } from './run';
import { estimatePrompt } from '../session/budget/estimate';
import type { ILanguageModel } from '../domain/model';
import { assemblePrompt, memoryOf } from '../prompts/prompts';
import { sourceToRun } from '../domain/response';
import { SessionStop } from '../session/session';
import type { EditedCandidate } from '../session/steering';
import { writeCandidate } from './writing';
import { sentence } from '../messages/sentence';

/** Check what the cell holds at the start: no call, not counted. */
export async function checkTarget(context: AttemptContext): Promise<void> {
  const attempt = new AttemptRun(context, 0);
  const code = context.request.target.source;
  await attempt.run([], async () => ({ thoughts: '', code }));
}

/**
 * Check the best candidate so far against the checks that are left: it may pass
 * now, without another call.
 */
export async function checkBestAgain(
  context: AttemptContext,
  number: number
): Promise<void> {
  const { best, attempts } = context.session.state;
  const found = attempts.find(({ attempt }) => attempt === best);
  if (found && found.code !== '') {
    const thoughts = sentence('dispute.again', found.attempt);
    await new AttemptRun(context, number).run([], async () => ({
      thoughts,
      code: found.code
    }));
  }
}

/** Run what the user made of an attempt's code, or allowed to it: no call, judged like any other. */
export async function runEdited(
  context: AttemptContext,
  number: number,
  { from, code, allow }: EditedCandidate
): Promise<void> {
  if (allow) {
    context.permits.grant(allow);
    const thoughts = sentence(
      allow === 'network' ? 'permission.network' : 'permission.writes',
      from
    );
    await new AttemptRun(context, number, 0, 'allowed').run([], async () => ({
      thoughts,
      code
    }));
    return;
  }
  const attempt = new AttemptRun(context, number, 0, from);
  await attempt.run([], async () => ({ thoughts: '', code }));
}

/** Who writes a candidate, and how. */
export type Writer = {
  readonly model: ILanguageModel;
  /** Null: the provider's default. */
  readonly temperature: number | null;
};

/**
 * Let the model write a candidate, run it and judge it.
 *
 * @throws SessionStop when the session ends with this attempt; its
 * `attempt-end` has been emitted then.
 */
export async function makeAttempt(
  context: AttemptContext,
  number: number,
  writer: Writer,
  candidate = 0
): Promise<void> {
  const { session, scope, request } = context;
  const { messages, digested } = assemblePrompt(
    request,
    memoryOf(session.state)
  );
  const reservation = session.reserve(
    writer.model,
    estimatePrompt(messages),
    request.options.maxOutputTokens,
    context.judging
  );
  if (!reservation) {
    throw new SessionStop('budget');
  }
  const { releaseNext } = reservation;
  const release = session.keepForJudge(number, releaseNext);
  if (digested.length > 0) {
    session.warn(sentence('prompt.condensed', digested.join(', ')), number);
  }
  const attempt = new AttemptRun(context, number, candidate);
  await attempt
    .run(messages, runs =>
      writeCandidate({
        session,
        scope,
        request,
        ...writer,
        messages,
        attempt: number,
        reservation,
        onCode: () => runs.warm(),
        onClosed: code => {
          const source =
            code === null || repeatOf(context, number, code)
              ? null
              : sourceToRun(request, code);
          if (source === null) {
            runs.abort();
          } else if (context.provisional && !context.approve) {
            runs.startProvisional(source);
          }
        },
        onModelTime: ms => {
          context.times.modelMs += ms;
        }
      })
    )
    .finally(release);
}
