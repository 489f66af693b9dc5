/** Commands that are also magics are found in the palette by what is typed in a cell. */
import type { TranslationBundle } from '@jupyterlab/translation';
import type { CommandRegistry } from '@lumino/commands';
import { CommandIDs } from '../ids';

const MAGICS: Readonly<Partial<Record<string, string>>> = {
  [CommandIDs.refineCell]: '%%refine',
  [CommandIDs.stop]: '%refine stop',
  [CommandIDs.showPanel]: '%refine'
};

/** Arguments of a command's entry in the palette. */
export function paletteArgs(id: string): { readonly isPalette?: boolean } {
  return MAGICS[id] === undefined ? {} : { isPalette: true };
}

/** Label and arguments of a command that is also a magic. */
export function named(
  id: string,
  label: string,
  trans: TranslationBundle
): Pick<CommandRegistry.ICommandOptions, 'label' | 'describedBy'> {
  return {
    label: args =>
      args['isPalette'] === true
        ? trans.__('%1 (%2)', label, MAGICS[id] ?? '')
        : label,
    describedBy: {
      args: {
        type: 'object',
        properties: {
          isPalette: {
            type: 'boolean',
            description: trans.__('Add the name of the magic to the label.')
          }
        }
      }
    }
  };
}
