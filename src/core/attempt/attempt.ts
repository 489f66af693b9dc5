/** Attempts: what the cell held at the start, and what a model writes. */
import type { AttemptContext } from './context';
import { AttemptRun } from './run';
import { estimatePrompt } from '../session/budget/estimate';
import type { ILanguageModel } from '../domain/model';
import { assemblePrompt, memoryOf } from '../prompts/prompts';
import { SessionStop } from '../session/session';
import type { EditedCandidate } from '../session/steering';
import { writeCandidate, type Written } from './writing';
import type { Reservation } from '../session/budget/budget';
import type { Assembled } from '../prompts/memory';
import type { CandidateRuns } from './running';

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
    const thoughts = `The code of attempt ${found.attempt} again, without the skipped check.`;
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
    const thoughts =
      allow === 'network'
        ? `The code of attempt ${from} again, with network access.`
        : `The code of attempt ${from} again, with permission to write files.`;
    await new AttemptRun(context, number, 'allowed').run([], async () => ({
      thoughts,
      code
    }));
    return;
  }
  const attempt = new AttemptRun(context, number, from);
  await attempt.run([], async () => ({ thoughts: '', code }));
}

/** Tokens of the context window that are left for the answer: this part, and at most as many. */
const ANSWER_PART = 0.25;
const ANSWER_MOST = 4096;
/** What is sent of a prompt that was too long, when the server does not say how long it may be. */
const SHORTER = 0.6;
/** Fewer tokens than any task has. */
const LEAST_ROOM = 100;

/** Tokens that the prompt may have. */
function roomOf({ room }: AttemptContext, model: ILanguageModel): number {
  const { context } = model.identity;
  const known =
    context === undefined
      ? Infinity
      : context - Math.min(ANSWER_MOST, context * ANSWER_PART);
  return Math.min(known, room.tokens);
}

/**
 * Let the model write a candidate, run it and judge it. A prompt that is too long
 * for the model is made shorter and sent again.
 *
 * @throws SessionStop when the session ends with this attempt; its
 * `attempt-end` has been emitted then.
 */
export async function makeAttempt(
  context: AttemptContext,
  number: number,
  model: ILanguageModel,
  temperature: number | null
): Promise<void> {
  const { session, request } = context;
  const memory = memoryOf(session.state);
  const assemble = () =>
    assemblePrompt(request, memory, roomOf(context, model));
  const reserve = ({ messages }: Pick<Assembled, 'messages'>) =>
    session.reserve(
      model,
      estimatePrompt(messages),
      request.options.maxOutputTokens,
      context.judging
    );
  const first = assemble();
  const reservation = reserve(first);
  if (!reservation) {
    throw new SessionStop('budget');
  }
  const { releaseNext } = reservation;
  session.keepForJudge(releaseNext);
  if (first.digested.length > 0) {
    session.warn(
      `The history is too long for the prompt: attempts ${first.digested.join(', ')} are shortened to one line each.`,
      number
    );
  }
  const write = async (
    runs: CandidateRuns,
    { messages }: Assembled,
    room: Reservation
  ): Promise<Written> => {
    try {
      return await writeCandidate({
        session,
        request,
        model,
        temperature,
        messages,
        attempt: number,
        reservation: room,
        onCode: () => runs.warm(),
        onModelTime: ms => {
          context.times.modelMs += ms;
        }
      });
    } catch (error) {
      const size = estimatePrompt(messages);
      if (!isTooLong(error) || size < LEAST_ROOM) {
        throw error;
      }
      context.room.tokens = size * SHORTER;
      const next = assemble();
      const more = reserve(next);
      if (!more || estimatePrompt(next.messages) >= size) {
        more?.release();
        throw error;
      }
      session.warn(
        'The prompt was too long for the model. A shorter one is sent, with fewer cells above.',
        number
      );
      return write(runs, next, more);
    }
  };
  const attempt = new AttemptRun(context, number);
  await attempt
    .run(first.messages, runs => write(runs, first, reservation))
    .finally(releaseNext);
}

function isTooLong(error: unknown): boolean {
  return (
    error instanceof SessionStop && error.error?.code === 'context-too-long'
  );
}
