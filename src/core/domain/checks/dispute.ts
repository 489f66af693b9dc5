/** A model's objection to a check: that it contradicts the task or another check. */
import type * as z from 'zod';
import type { disputeSchema } from '../../events/schema';
import type { Frozen } from '../../options';

/** An objection that ends the session: the user decides. */
export type Dispute = Frozen<z.infer<typeof disputeSchema>>;

/** As an answer holds it. */
export type Objection = Omit<Dispute, 'check'>;
