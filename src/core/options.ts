/** The settings of one session, by the contract's names. The zod schema and the defaults are in `settings.ts`. */
import type * as z from 'zod';
import type { settingsSchema } from './settings';

/** Characters of the cells above, or of the sessions before, that a prompt holds at most; fewer where the model's window is small. */
export const CONTEXT_CHARACTERS = 16000;

/** A type whose parts, at any depth, cannot be changed. */
export type Frozen<T> = T extends object
  ? { readonly [Key in keyof T]: Frozen<T[Key]> }
  : T;

export type RefineOptions = Frozen<z.infer<typeof settingsSchema>>;
export type ContextValues = RefineOptions['contextValues'];
export type OnPass = RefineOptions['onPass'];
