/** Options of a session: the user's, lowered to the server's limits, with those that a notebook sets for one cell. */
import {
  kebabCase,
  notebookLimitNames,
  notebookOption,
  notebookOptionNames,
  settingsSchema,
  type RefineOptions
} from '../core/settings';
import { maskSecrets } from './secrets';

type OptionName = keyof RefineOptions;

export type CellOptions = {
  /** Valid options in the order of their names. */
  readonly values: readonly (readonly [
    name: OptionName,
    value: RefineOptions[OptionName]
  ])[];
  /** One sentence for each option that was refused. */
  readonly warnings: readonly string[];
};

/**
 * Options of a cell from its metadata and from its `%%refine` line, which wins.
 * Names may be written in kebab-case.
 */
export function readCellOptions(
  metadata: object,
  line: readonly (readonly [string, string])[]
): CellOptions {
  const values = new Map<OptionName, RefineOptions[OptionName]>();
  const warnings: string[] = [];
  for (const [written, value] of [...Object.entries(metadata), ...line]) {
    const name = notebookOption(written);
    // A value that looks like a key is not repeated.
    const refused = `Option ${maskSecrets(`${written} = ${JSON.stringify(value)}`).text} is refused:`;
    if (!name) {
      warnings.push(
        `${refused} a notebook may set ${notebookOptionNames.map(kebabCase).join(', ')}.`
      );
      continue;
    }
    // A `%%refine` line holds text: numbers are read from it.
    const isNumber = typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value);
    const { data, error } = settingsSchema.shape[name].safeParse(
      isNumber ? Number(value) : value
    );
    if (data !== undefined && value !== null && value !== undefined) {
      values.set(name, data);
    } else {
      warnings.push(
        `${refused} ${error?.issues[0]?.message ?? 'it needs a value'}.`
      );
    }
  }
  const sorted = [...values].sort(([a], [b]) => (a < b ? -1 : 1));
  return { values: sorted, warnings };
}

/** The user's options with those of the cell: a limit becomes the lower of both. */
export function resolveOptions(
  user: RefineOptions,
  cell: CellOptions
): { readonly options: RefineOptions; readonly warnings: readonly string[] } {
  const asked = { ...user, ...Object.fromEntries(cell.values) };
  const { options, notes } = limited(asked, user, 'your');
  const warnings = [...cell.warnings, ...notes];
  return { options: settingsSchema.parse(options), warnings };
}

/** The limits that a server's policy has; null: no limit of the server's. */
export type PolicyLimits = Readonly<
  Record<'maxAttempts' | 'maxTokens' | 'sessionTimeout', number | null>
>;

/**
 * The user's options, lowered to what the server allows; those of a cell can then
 * only lower them further. The notes say what was lowered, a sentence each.
 */
export function limitByPolicy(options: RefineOptions, limits: PolicyLimits) {
  return limited(options, limits, 'this server’s');
}

function limited(
  options: RefineOptions,
  limits: Partial<Record<(typeof notebookLimitNames)[number], number | null>>,
  whose: string
) {
  const lowered = { ...options };
  const notes: string[] = [];
  for (const name of notebookLimitNames) {
    const { [name]: asked } = options;
    const limit = limits[name] ?? null;
    if (limit !== null && (asked === null || asked > limit)) {
      lowered[name] = limit;
      notes.push(
        `Option ${name} = ${asked ?? 'no limit'} is above ${whose} limit of ${limit}. Refine uses the limit.`
      );
    }
  }
  return { options: lowered, notes };
}
