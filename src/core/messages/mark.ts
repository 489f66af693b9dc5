/** Marks a template where the tool that collects texts for translators looks for it: `trans.__('…')`. */
export const trans = { __: <T extends string>(template: T): T => template };
