/** Options that a notebook sets for one cell: few, and limits only downwards. */
import {
  notebookLimitNames,
  notebookOptionNames,
  settingsSchema,
  type RefineOptions
} from '../../core/settings';
import { maskSecrets } from '../secrets';

type OptionName = keyof RefineOptions;

const LIMITS: ReadonlySet<OptionName> = new Set<OptionName>(notebookLimitNames);
const ALLOWED: ReadonlySet<string> = new Set<string>(notebookOptionNames);

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
    const name = written.replace(/-(\w)/g, (_, letter: string) =>
      letter.toUpperCase()
    );
    if (!isAllowed(name)) {
      warnings.push(
        `Option ${shown(written, value)} is refused: a notebook may set ${[...ALLOWED].map(kebabCase).join(', ')}.`
      );
      continue;
    }
    const parsed = settingsSchema.shape[name].safeParse(fromText(value));
    if (parsed.success && value !== null && value !== undefined) {
      values.set(name, parsed.data);
    } else {
      warnings.push(
        `Option ${shown(written, value)} is refused: ${parsed.error?.issues[0]?.message ?? 'it needs a value'}.`
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
  const warnings = [...cell.warnings];
  const resolved: Record<string, unknown> = { ...user };
  for (const [name, value] of cell.values) {
    const limit = user[name];
    if (
      LIMITS.has(name) &&
      typeof limit === 'number' &&
      typeof value === 'number' &&
      value > limit
    ) {
      warnings.push(
        `Option ${name} = ${value} is above your limit of ${limit}. Refine uses the limit.`
      );
    } else {
      resolved[name] = value;
    }
  }
  return { options: settingsSchema.parse(resolved), warnings };
}

/** `name = value`; a value that looks like a key is not repeated. */
function shown(name: string, value: unknown): string {
  return maskSecrets(`${name} = ${JSON.stringify(value)}`).text;
}

function isAllowed(name: string): name is OptionName {
  return ALLOWED.has(name);
}

function kebabCase(name: string): string {
  return name.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`);
}

/** A `%%refine` line holds text: numbers are read from it. */
function fromText(value: unknown): unknown {
  return typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value)
    ? Number(value)
    : value;
}
