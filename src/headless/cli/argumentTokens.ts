/** Arguments sorted into flags, switches, settings and notebooks. */
import { parseArgs } from 'node:util';
import { type CommandName, UsageError } from './commands';
import { flagsOf, isKnownFlag } from './flags';
import { removedSettings } from '../../core/settings';
import { camelCase, nearestName } from '../../core/text/nearest';
import { parseSetting, settingFlagsOf } from './settingsFlags';

export type Given = {
  readonly texts: ReadonlyMap<string, readonly string[]>;
  readonly switches: ReadonlySet<string>;
  readonly settings: Readonly<Partial<Record<string, unknown>>>;
  readonly positionals: readonly string[];
};

const NO = 'no-';

/** The command that may have a flag instead. */
const OTHER = { run: 'check', check: 'run' } as const;

/** @throws UsageError for a flag that `command` does not have, or one without its value. */
export function readTokens(
  command: CommandName,
  argv: readonly string[]
): Given {
  const allowed = flagsOf(command);
  const ownSettings = settingFlagsOf(command);
  // `no-confirm-clean`: what is on by default can be switched off.
  const switchesOff = ownSettings
    .filter(({ type }) => type === 'boolean')
    .map(({ flag }) => NO + flag);
  const names = [
    ...[...allowed, ...ownSettings].map(({ flag }) => flag),
    ...switchesOff
  ];
  const { tokens } = parseArgs({
    args: [...argv],
    strict: false,
    tokens: true,
    allowPositionals: true,
    options: Object.fromEntries([
      ...allowed.map(
        ({ flag, value }) =>
          [
            flag,
            { type: value ? 'string' : 'boolean', multiple: true }
          ] as const
      ),
      ...ownSettings.map(
        ({ flag, type }) =>
          [
            flag,
            { type: type === 'boolean' ? 'boolean' : 'string', multiple: true }
          ] as const
      )
    ])
  });
  const texts = new Map<string, string[]>();
  const switches = new Set<string>();
  const settings: Record<string, unknown> = {};
  const positionals: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'positional') {
      positionals.push(token.value);
    } else if (token.kind === 'option') {
      const name = token.name === 'h' ? 'help' : token.name;
      const isOff = switchesOff.includes(name);
      const setting = ownSettings.find(
        ({ flag }) => flag === (isOff ? name.slice(NO.length) : name)
      );
      const flag = allowed.find(known => known.flag === name);
      if (!setting && !flag) {
        const bare = name.startsWith(NO) ? name.slice(NO.length) : name;
        const instead = removedSettings[camelCase(bare)];
        if (instead !== undefined) {
          throw new UsageError(`${token.rawName} no longer exists. ${instead}`);
        }
        throw new UsageError(
          [name, bare].some(known => isKnownFlag(OTHER[command], known))
            ? `There is no flag ${token.rawName}: only jupyter refine ${OTHER[command]} has it.`
            : unknown(
                'flag',
                token.rawName,
                names.map(known => `--${known}`)
              )
        );
      }
      const takesValue = flag ? flag.value !== '' : setting!.type !== 'boolean';
      if (
        takesValue &&
        (token.value === undefined ||
          (!token.inlineValue && token.value.startsWith('--')))
      ) {
        throw new UsageError(
          `--${name} needs a value: --${name} ${flag?.value ?? setting?.value}.`
        );
      }
      if ((isOff || (flag && !takesValue)) && token.value !== undefined) {
        throw new UsageError(
          `--${name} takes no value, and ${token.value} was given.`
        );
      }
      if (setting) {
        const value = token.value ?? 'true';
        settings[setting.name] = parseSetting(setting, isOff ? 'false' : value);
      } else if (token.value === undefined) {
        switches.add(name);
      } else if (texts.has(name) && !flag!.multiple) {
        throw new UsageError(
          `--${name} was given twice: ${texts.get(name)![0]} and ${token.value}.`
        );
      } else {
        texts.set(name, [...(texts.get(name) ?? []), token.value]);
      }
    }
  }
  return { texts, switches, settings, positionals };
}

/** The value of a flag that is given once; null without it. */
export function one(given: Given, flag: string): string | null {
  return given.texts.get(flag)?.[0] ?? null;
}

/** `There is no flag --ouput. Did you mean --output?` */
export function unknown(
  what: string,
  name: string,
  known: readonly string[]
): string {
  const nearest = nearestName(name, known);
  const hint = nearest === null ? '' : ` Did you mean ${nearest}?`;
  return `There is no ${what} ${name}.${hint}`;
}
