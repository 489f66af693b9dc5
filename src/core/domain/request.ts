/** What one refinement is asked to do: built by `notebook/`, read by the loop. Its fields are described in `events/schema.ts`. */
import type * as z from 'zod';
import type { variableInfoSchema } from '../events/executionSchema';
import type { requestSchema } from '../events/schema';
import type { Frozen } from '../settings';

/** Everything `refine()` needs to know about one cell. */
export type RefineRequest = Frozen<z.infer<typeof requestSchema>>;

export type Target = RefineRequest['target'];
export type CheckCell = RefineRequest['assertions'][number];
export type ScorerCell = NonNullable<RefineRequest['scorer']>;
export type ContextCell = RefineRequest['context']['cells'][number];
export type FollowUp = NonNullable<RefineRequest['followUp']>;
export type VariableInfo = Frozen<z.infer<typeof variableInfoSchema>>;

/** What of a request follows from the cells that check the target. */
export type RequestChecks = Pick<
  RefineRequest,
  | 'assertions'
  | 'holdouts'
  | 'scorer'
  | 'hiddenNames'
  | 'hiddenData'
  | 'ownNames'
  | 'askedNames'
>;
