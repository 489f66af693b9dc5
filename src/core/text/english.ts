/** Words that the panel translates, as they are: for events and the command line. */
/** The part of a translation bundle that is needed here. */
export type Translation = {
  __(text: string, ...values: (string | number)[]): string;
};

/** As in JupyterLab's bundles `%1` is the first value, and `%%` a per cent sign. */
export const english: Translation = {
  __: (text, ...values) =>
    text.replace(/%(%|\d+)/g, (_, n) =>
      n === '%' ? n : String(values[Number(n) - 1])
    )
};
