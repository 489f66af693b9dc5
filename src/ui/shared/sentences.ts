/** Sentences that come with a session's events, in English there, in the user's language here. */
import type { TranslationBundle } from '@jupyterlab/translation';

/** Marks them for the catalogue; the panel's own bundle translates. */
const trans = { __: (text: string) => text };

/** Those without names and numbers in them. */
export const SENTENCES: ReadonlySet<string> = new Set([
  trans.__('The answer contained no code.'),
  trans.__(
    'The answer was cut off by the token limit before the code was complete.'
  ),
  trans.__('Another candidate passed first.'),
  trans.__('Stopped before the attempt finished.'),
  trans.__('The session timed out before the attempt finished.'),
  trans.__('Rejected before the attempt finished.'),
  trans.__('Nothing checks it.'),
  trans.__('The cell ran without errors, but nothing checks it.'),
  trans.__('None of the checks can fail.'),
  trans.__('A held-out check failed.'),
  trans.__('You rejected it.'),
  trans.__('The scorer did not run.'),
  trans.__('The scorer returned no number.'),
  trans.__('The judge’s answer could not be read.'),
  trans.__('The budget is used up, so the judge did not run.'),
  trans.__(
    'None of the checks can fail. Write assertions that fail for a wrong cell.'
  ),
  trans.__(
    'Candidates run one at a time: this kernel cannot isolate them from each other.'
  ),
  trans.__(
    'The evaluators setting includes scorer, but no cell is tagged refine-scorer. Nothing is measured.'
  ),
  trans.__(
    'The static evaluator has no effect here: this kernel cannot analyze a candidate before it runs.'
  ),
  trans.__(
    'You used none of the drafted assertions, so nothing checks the cell.'
  ),
  trans.__('It passes whatever the cell does.'),
  trans.__(
    'It fails on the current code, but passes on a cell that does nothing.'
  ),
  trans.__('It is a duplicate.'),
  trans.__('It did not run: an earlier statement ended the trial.'),
  trans.__(
    'The kernel was restarted, so its variables are gone. Run the cells above again, then refine.'
  ),
  trans.__(
    'The kernel died, so its variables are gone. Start it again, run the cells above, then refine.'
  ),
  trans.__(
    'The kernel is not running. Start it, run the cells above, then try again.'
  )
]);

/** `text` in the user's language if it is one of them; else as it is. */
export function translated(text: string, bundle: TranslationBundle): string {
  return SENTENCES.has(text) ? bundle.__(text) : text;
}
