/** Sentences about cells and their options, made in `src/notebook/`. */
import { trans } from './mark';

export const NOTEBOOK = {
  'option.not-for-notebooks': trans.__(
    'Option %1 is refused: a notebook cannot choose it. Use the settings or the command line.'
  ),
  'option.unknown': trans.__(
    'Option %1 is refused: there is no such option. A notebook may set %2.'
  ),
  'option.unknown-near': trans.__(
    'Option %1 is refused: there is no such option. Did you mean %2? A notebook may set %3.'
  ),
  'option.wrong': trans.__('Option %1 is refused: %2.'),
  'option.above-yours': trans.__(
    'Option %1 = %2 is above your limit of %3. Refine uses the limit.'
  ),
  'option.server-limit': trans.__('This server limits option %1 to %2.'),
  'option.above-server': trans.__(
    'Option %1 = %2 is above this server’s limit of %3. Refine uses the limit.'
  ),
  'value.missing': trans.__('it needs a value'),
  'value.of-kind': trans.__('it must be of kind %1'),
  'value.number': trans.__('it must be a number'),
  'value.whole-number': trans.__('it must be a whole number'),
  'value.text': trans.__('it must be text'),
  'value.boolean': trans.__('it must be true or false'),
  'value.list': trans.__('it must be a list'),
  'value.at-least': trans.__('it must be at least %1'),
  'value.more-than': trans.__('it must be more than %1'),
  'value.at-most': trans.__('it must be at most %1'),
  'value.less-than': trans.__('it must be less than %1'),
  'value.one-of': trans.__('it must be one of %1'),
  'notebook.format': trans.__(
    'Notebook format %1 cannot be read, only format 4: open the notebook in JupyterLab and save it.'
  ),
  'target.none': trans.__('No cell is selected.'),
  'target.raw': trans.__(
    'A raw cell cannot be refined. Select a code or markdown cell.'
  ),
  'target.no-code-cell': trans.__('The %%%%refine cell has no code cell yet.'),
  'target.check-alone': trans.__(
    'This check has no code cell above it. Add one, then select it.'
  ),
  'target.line-magic': trans.__(
    'This cell contains a Refine command. Select the cell to refine.'
  ),
  'target.locked': trans.__('This cell is locked, so Refine does not edit it.'),
  'target.solution': trans.__(
    'Refine edits an nbgrader solution cell only if the server’s policy allows it (refine_graded_cells).'
  )
} as const;
