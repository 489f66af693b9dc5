/** The messages of an attempt: exactly what leaves for the model, and what "What will be sent" shows. */
import { fenced } from './fence';
import type { ChatMessage } from './model';
import { assembleMemory, EMPTY_MEMORY, type PromptMemory } from './memory';
import { systemPrompt } from './prompts/system';
import { taskPrompt } from './prompts/task';
import type { RefineRequest } from './request';

export { EMPTY_MEMORY, memoryOf, type PromptMemory } from './memory';

/**
 * The messages for the next attempt. System and task are the same bytes in all
 * attempts of a session, so that a provider's prompt cache hits. Nothing of a
 * hold-out is in them.
 */
export function buildMessages(
  request: RefineRequest,
  memory: PromptMemory = EMPTY_MEMORY
): readonly ChatMessage[] {
  return assembleMemory(
    [
      { role: 'system', content: systemPrompt(request) },
      { role: 'user', content: taskPrompt(request) }
    ],
    memory,
    code => fenced(code, request.target.kind === 'code' ? request.language : '')
  );
}
