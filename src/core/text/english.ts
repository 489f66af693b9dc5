/** Words that the panel translates, as they are: for events and the command line. */
import type { Translation } from './isolationWords';

/** As in JupyterLab's bundles `%1` is the first value, and `%%` a per cent sign. */
export const english: Translation = {
  __: (text, ...values) =>
    text.replace(/%(%|\d+)/g, (_, n) =>
      n === '%' ? n : String(values[Number(n) - 1])
    )
};
