/** Sentences that come with a session's events, in English there, in the user's language here. */
import type { TranslationBundle } from '@jupyterlab/translation';

/** Marks them for the catalogue; the panel's own bundle translates. */
const trans = { __: (text: string) => text };

/** Those without names and numbers in them. */
export const SENTENCES: ReadonlySet<string> = new Set([
  trans.__('The answer held no code.'),
  trans.__(
    'The answer was cut off by the token limit before the code was complete.'
  ),
  trans.__('Another candidate passed first.'),
  trans.__('Stopped before the attempt was over.'),
  trans.__('The session’s time was over before the attempt was.'),
  trans.__('Rejected before the attempt was over.'),
  trans.__('Nothing checks it.'),
  trans.__('It ran without error, but nothing checks it.'),
  trans.__('No checking statement can fail: nothing checks it.'),
  trans.__('A held-out check failed.'),
  trans.__('You rejected it.'),
  trans.__('The scorer did not run.'),
  trans.__('The scorer gave no number.'),
  trans.__('The judge’s answer could not be understood.'),
  trans.__('The budget has no room left for the judge.'),
  trans.__(
    'None of the checks can fail: nothing checks this cell. Write assertions that a wrong cell does not meet.'
  ),
  trans.__(
    'Candidates are tried one at a time: in this kernel they cannot be kept apart.'
  ),
  trans.__(
    'The setting evaluators names scorer, but no cell is tagged refine-scorer: nothing is measured.'
  ),
  trans.__(
    'The evaluator static has nothing to say here: this kernel cannot read the source of a candidate before it runs.'
  ),
  trans.__('None of the drafted assertions is used: nothing checks it.'),
  trans.__('It holds whatever the cell does.'),
  trans.__(
    'It fails on the cell as it is, and holds where the cell does nothing.'
  ),
  trans.__('It is there twice.'),
  trans.__('It was not reached: something before it ended the trial.'),
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
