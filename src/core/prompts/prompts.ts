/** The messages of an attempt: exactly what leaves for the model, and what "What will be sent" shows. */
import { fenced } from '../text/fence';
import {
  assembleMemory,
  EMPTY_MEMORY,
  type AnswerForm,
  type Assembled,
  type PromptMemory
} from './memory';
import type { ChatMessage } from '../domain/model';
import { offersDispute } from '../events/disputes';
import { systemPrompt } from './system';
import { taskPrompt } from './task';
import type { RefineRequest } from '../domain/request';
import { visibleRequest, type VisibleRequest } from '../domain/visible';

export { EMPTY_MEMORY, memoryOf, type PromptMemory } from './memory';

/**
 * The messages for the next attempt. System and task are the same bytes in all
 * attempts of a session, so that a provider's prompt cache hits. Nothing of a
 * hold-out is in them: they are built from the visible part of the request.
 */
export function buildMessages(
  request: RefineRequest,
  memory: PromptMemory = EMPTY_MEMORY
): readonly ChatMessage[] {
  return assemblePrompt(request, memory).messages;
}

/** The same, with what the limit of the memory left out. */
export function assemblePrompt(
  request: RefineRequest,
  memory: PromptMemory
): Assembled {
  const visible = visibleRequest(request);
  const disputes = !memory.withoutDisputes && offersDispute(request, []);
  return assembleMemory(
    [
      { role: 'system', content: systemPrompt(visible, disputes) },
      { role: 'user', content: taskPrompt(visible) }
    ],
    memory,
    visible.options.memory,
    answerForm(visible)
  );
}

/** As the system text asks for it; the user's own may ask for another form. */
function answerForm(request: VisibleRequest): AnswerForm {
  const { target, language, options, part } = request;
  const own = options.systemPrompt.trim() !== '';
  const whole = part ? 'the new lines alone' : 'the complete cell';
  return target.kind === 'code'
    ? {
        verbatim: own,
        show: code => fenced(code, language),
        thoughts: true,
        nothing: '(no code)',
        again: own
          ? `Answer in the same form as asked for above, with ${whole}.`
          : `Answer as before: a short thought, then ${whole}.`
      }
    : {
        verbatim: own,
        show: text => text,
        thoughts: false,
        nothing: '(no text)',
        again: own
          ? 'Answer in the same form as asked for above, with the complete text.'
          : 'Answer as before: the complete text of the cell, and nothing besides.'
      };
}
