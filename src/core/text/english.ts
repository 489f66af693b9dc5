/** Words that the panel translates, as they are: for events and the command line. */
import type { Translation } from './isolationWords';

export const english: Translation = {
  __: (text, ...values) =>
    text.replace(/%(\d+)/g, (_, n) => String(values[Number(n) - 1]))
};
