/** The settings of one session, by the contract's names. The zod schema and the defaults are in `settings.ts`. */
import type * as z from 'zod';
import type { settingsSchema } from './settings';

export type RefineOptions = Readonly<z.infer<typeof settingsSchema>>;
export type ContextValues = RefineOptions['contextValues'];
export type OnPass = RefineOptions['onPass'];
