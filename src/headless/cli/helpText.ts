/** What `--help` prints. */
import { SETTING_GROUPS } from '../../core/settings';
import { flagsOf, type CommandName } from './commands';
import { SETTING_FLAGS } from './arguments';

const WIDTH = 96;
const INDENT = 30;
/** As many words as fit beside the flags. */
const LINE = new RegExp(`.{1,${WIDTH - INDENT}}(?: |$)`, 'g');

const STATUSES = `Exit status: 0 every target passed; 1 some did not; 2 bad input or usage;
3 configuration, model or kernel error, or the model refused; 130 interrupted.
`;

const COMMANDS = `jupyter refine run NOTEBOOK…     refine every target until its assertions pass
jupyter refine check NOTEBOOK…   check the targets as they are; no model is called
jupyter refine demo              open JupyterLab on the demo notebook
jupyter refine help COMMAND      the flags of run or check

${STATUSES}`;

export function helpText(about: CommandName | null): string {
  if (about === null) {
    return COMMANDS;
  }
  const own = flagsOf(about).map(({ flag, value, description }) =>
    entry(flag, value, description)
  );
  const settings = SETTING_GROUPS.map(({ heading, names }) => {
    const flags = SETTING_FLAGS.filter(({ name }) => names.includes(name));
    const entries = flags.map(({ flag, value, description, fallback }) =>
      entry(flag, value, `${description}${defaultText(fallback)}`)
    );
    return [`${heading}:`, ...entries].join('\n');
  });
  return `usage: jupyter refine ${about} NOTEBOOK… [flags]

${own.join('\n')}

Settings, as in JupyterLab; check calls no model, and ignores those of models and attempts

${settings.join('\n\n')}

A check is confirmed when it also passed in a separate process that never ran the code.

${STATUSES}`;
}

/** ` [5]`; nothing for a default that the description gives. */
function defaultText(fallback: unknown): string {
  const text = Array.isArray(fallback) ? fallback.join(',') : fallback;
  return typeof text === 'number' || (typeof text === 'string' && text)
    ? ` [${text}]`
    : '';
}

function entry(flag: string, value: string, description: string): string {
  const name = `  --${flag}${value ? ` ${value}` : ''}`;
  const lines = description.match(LINE)?.map(line => line.trimEnd()) ?? [];
  const margin = ' '.repeat(INDENT);
  return name.length < INDENT
    ? name.padEnd(INDENT) + lines.join(`\n${margin}`)
    : [name, ...lines].join(`\n${margin}`);
}
