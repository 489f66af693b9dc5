/**
 * The one stream that panel, command line, journal and tests fold. Every event
 * is JSON: a recorded file of them folds to the same state. What an event holds
 * is in {@link eventSchema}.
 */
import type * as z from 'zod';
import type { Frozen } from '../settings';
import type { eventSchema } from './schema';

export type RefineEvent = Frozen<z.infer<typeof eventSchema>>;

type Body<Event> = Event extends RefineEvent
  ? Omit<Event, 'at' | 'session'>
  : never;

/** An event without what the session adds itself. */
export type EventBody = Body<RefineEvent>;

type EventOf<Type extends RefineEvent['type']> = Extract<
  RefineEvent,
  { readonly type: Type }
>;

export type CallPurpose = EventOf<'model-call'>['purpose'];
export type AcceptanceStatus = EventOf<'acceptance'>['status'];
export type WaitFor = EventOf<'wait-start'>['for'];

/** An answer in words: it is never run or written into a notebook. */
export type Explanation = Pick<
  EventOf<'explanation'>,
  'question' | 'text' | 'usage'
>;
