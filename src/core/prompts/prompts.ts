/** The messages of an attempt: exactly what leaves for the model, and what "What will be sent" shows. */
import { fenced } from '../text/fence';
import {
  AGAIN,
  assembleMemory,
  EMPTY_MEMORY,
  type Assembled,
  type PromptMemory
} from './memory';
import type { ChatMessage } from '../domain/model';
import { systemPrompt } from './system';
import { taskPrompt } from './task';
import type { RefineRequest } from '../domain/request';
import { visibleRequest } from '../domain/visible';

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
  const language = visible.target.kind === 'code' ? visible.language : '';
  return assembleMemory(
    [
      { role: 'system', content: systemPrompt(visible) },
      { role: 'user', content: taskPrompt(visible) }
    ],
    memory,
    visible.options.memory,
    code => fenced(code, language),
    AGAIN[visible.target.kind]
  );
}
