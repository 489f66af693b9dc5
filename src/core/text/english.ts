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

/** `12 s`, `1.5 s`, `5 min`. */
export function duration(ms: number, trans: Translation = english): string {
  return ms >= 120_000
    ? trans.__('%1 min', Math.round(ms / 60_000))
    : trans.__('%1 s', Math.round(ms / 100) / 10);
}
