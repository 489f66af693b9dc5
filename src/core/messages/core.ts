/** Sentences of the loop: attempts, checks, evaluators, drafts and the ends of sessions. */
import { trans } from './mark';

export const CORE = {
  'prompt.condensed': trans.__(
    'The history is too long for the prompt: attempts %1 are shortened to one line each.'
  ),
  'journal.no-json': trans.__('Line %1 of the event file is not JSON: %2'),
  'journal.no-event': trans.__(
    'Line %1 of the event file is not an event of this version: %2'
  ),
  'answer.cut-short': trans.__('The answer was cut short.'),
  'explain.no-budget': trans.__(
    'The limits of the settings (maxTokens, maxCost) leave no room for an answer.'
  ),
  'explain.empty': trans.__('The answer was empty. Ask again.'),
  'kernel.ended': trans.__('The kernel ended: %1.'),
  'checks.hold-empty': trans.__(
    'Holds for an empty cell as well, so it says nothing about the code: %1'
  ),
  'dispute.open': trans.__('Objects to check %1: %2'),
  'dispute.unknown': trans.__('There is no check %1. Numbers of checks: %2.'),
  'dispute.right': trans.__('The user has confirmed check %1: it is right.'),
  'dispute.passed': trans.__(
    'Attempt %1 passes all shown checks, check %2 included.'
  ),
  'dispute.again': trans.__(
    'The code of attempt %1 again, without the skipped check.'
  ),
  'checks.being-edited': trans.__('A check is being edited.'),
  'checks.edited': trans.__(
    'The checks were edited during the session. The new ones count from attempt %1 on.'
  ),
  'checks.edited-now': trans.__(
    'The checks were edited while the current code was checked. The new ones count.'
  ),
  'checks.edited-since': trans.__('The checks were edited after it passed.'),
  'attempt.timeout': trans.__(
    'The session timed out before the attempt finished.'
  ),
  'attempt.rejected': trans.__('Rejected before the attempt finished.'),
  'attempt.declined': trans.__('Not run: you declined it.'),
  'attempt.stopped': trans.__('Stopped before the attempt finished.'),
  'attempt.interrupted': trans.__('Interrupted before the attempt finished.'),
  'scorer.broken': trans.__(
    'The scorer failed before the first attempt: %1. Fix it, or run the cells that it depends on, then refine again. No model was called.'
  ),
  'scorer.missing-name': trans.__(
    'The scorer reads %1, which is not defined, and neither the prompt nor the checks ask for it. Name it in the prompt.'
  ),
  'score.unreachable': trans.__(
    'targetScore is %1, but a score is never above 1: only a pass, patience or a limit ends the session. Set targetScore to a number from 0 to 1, or add a scorer whose metric it is meant for.'
  ),
  'answer.no-end': trans.__(
    'The answer ended too early: the model’s adapter sent no end event.'
  ),
  'answer.cut': trans.__(
    'The answer was cut off by the token limit before the code was complete.'
  ),
  'prompt.shortened': trans.__(
    'The prompt was too long for the model. A shorter one is sent, with fewer cells above.'
  ),
  'answer.left-out': trans.__('Left out of the answer: %1.'),
  'answer.thought': trans.__(
    'The model used its whole limit of output tokens for thinking. Raise maxOutputTokens (--max-output-tokens), or choose a model that thinks less.'
  ),
  'answer.gap': trans.__(
    'The answer has "%1" in place of code, so nothing was run.'
  ),
  'answer.kept': trans.__(
    'Kept from the cell, since the answer left it out: %1.'
  ),
  'answer.no-code': trans.__('The answer contained no code.'),
  'answer.no-text': trans.__('The answer contained no text.'),
  'holdout.failed': trans.__('A held-out check failed.'),
  'repair.runs': trans.__('It runs. Nothing checks its results.'),
  'repair.call': trans.__(
    'The call that failed, %1, no longer runs to its end. Fix it: do not remove it, skip it or catch its error.'
  ),
  'repair.silenced': trans.__(
    'It still raises %1 and only hides it. Fix the cause.'
  ),
  'repair.skipped': trans.__(
    'The failing call may be skipped: %1 did not run to its end.'
  ),
  'repair.handled': trans.__(
    'The error may be hidden: %1 is still raised, and the code goes on.'
  ),
  'repair.missing': trans.__('It no longer defines %1.'),
  'repair.changed': trans.__(
    'Before it stopped, the failed run changed %1. Attempts start from the changed values. To start from the old ones, run the cells above again.'
  ),
  'drafts.not-isolated': trans.__(
    'Assertions are drafted only where they can be tried without touching your variables, in an isolated Python kernel. %1 Write them yourself: one for each thing that must hold.'
  ),
  'drafts.no-budget': trans.__(
    'The budget (maxTokens, maxCost) is too small to draft assertions.'
  ),
  'drafts.no-code': trans.__(
    'The model drafted no assertions: its answer contains no code. Try again, choose another model, or write them yourself.'
  ),
  'drafts.nothing-checked': trans.__(
    'The model drafted no assertions: nothing in its answer checks anything. Try again, choose another model, or write them yourself.'
  ),
  'drafts.only-text': trans.__(
    'The model drafted no assertions: its answer is text without code. Try again, choose another model, or write them yourself.'
  ),
  'draft.duplicate': trans.__('It is a duplicate.'),
  'draft.unknown-name': trans.__(
    'It uses %1, which neither the kernel nor the task knows.'
  ),
  'draft.unreadable': trans.__('It cannot be read: %1'),
  'draft.checks-nothing': trans.__('It checks nothing: %1.'),
  'draft.not-run': trans.__(
    'It did not run: an earlier statement ended the trial.'
  ),
  'draft.fails-now': trans.__(
    'It fails on the current code, but passes on a cell that does nothing.'
  ),
  'draft.always-passes': trans.__('It passes whatever the cell does.'),
  'drafts.approve': trans.__('Assertions were drafted: approve them.'),
  'drafts.none-used': trans.__(
    'You used none of the drafted assertions, so nothing checks the cell.'
  ),
  'checks.none': trans.__('Nothing checks it.'),
  'candidate.missing': trans.__('There was no candidate to run.'),
  'checks.none-ran': trans.__(
    'The cell ran without errors, but nothing checks it.'
  ),
  'attempt.tampered': trans.__('The result is not trusted: %1'),
  'candidate.not-run': trans.__(
    'It was not run: its source contains an error.'
  ),
  'candidate.raised': trans.__('The candidate raised %1.'),
  'assertion.failed': trans.__('Line %1 failed: %2'),
  'assertions.not-run': trans.__('%1 of the assertions did not run.'),
  'execution.cut': trans.__('The execution was cut: %1.'),
  'evaluator.unknown': trans.__(
    'Unknown evaluator: %1. Install the extension that adds it, or remove it from the evaluators setting. Known: %2.'
  ),
  'feedback.unknown': trans.__(
    'Unknown feedback strategy: %1. The session uses auto. Install the extension that adds it, or change the feedback setting. Known: %2.'
  ),
  'model.added-failed': trans.__('The model %1 of an extension failed: %2'),
  'evaluator.failed': trans.__('The evaluator %1 failed: %2'),
  'evaluator.score': trans.__('its score is %1, not from 0 to 1.'),
  'evaluator.metric': trans.__('its %1 is %2.'),
  'review.not-asked': trans.__('Nobody was asked.'),
  'review.waiting': trans.__('Attempt %1 waits for your review.'),
  'review.rejected': trans.__('You rejected it.'),
  'review.rejected-with-hint': trans.__('You rejected it: %1'),
  'judge.refused': trans.__(
    'The judge refused to answer before, so it was not asked again: %1'
  ),
  'judge.no-budget': trans.__(
    'The budget is used up, so the judge did not run.'
  ),
  'judge.unreadable': trans.__('The judge’s answer could not be read.'),
  'judge.criterion': trans.__('%1: %2 of 10'),
  'scorer.no-number': trans.__('The scorer returned no number.'),
  'scorer.less': trans.__('%1 is %2; less is better.'),
  'scorer.more': trans.__('%1 is %2; more is better.'),
  'scorer.best-was-start': trans.__(
    'The best before was %1, of the cell as it was.'
  ),
  'scorer.best-before': trans.__('The best before was %1, of attempt %2.'),
  'scorer.target': trans.__('The target is %1.'),
  'scorer.not-run': trans.__('The scorer did not run.'),
  'scorer.raised': trans.__('The scorer raised %1.'),
  'scorer.no-cell': trans.__(
    'The evaluators setting includes scorer, but no cell is tagged refine-scorer. Nothing is measured.'
  ),
  'source.not-inspected': trans.__('The source was not inspected.'),
  'source.cannot-inspect': trans.__(
    'The static evaluator has no effect here: this kernel cannot analyze a candidate before it runs.'
  ),
  finding: trans.__('Line %1: %2 (%3)'),
  'holdout.failed-title': trans.__('a held-out check failed'),
  'feedback.failed': trans.__('The feedback strategy %1 failed: %2'),
  'candidates.one-at-a-time': trans.__(
    'Candidates run one at a time: this kernel cannot isolate them from each other.'
  ),
  'candidates.budget': trans.__(
    'Candidates started: %1 of %2. The budget has no room for more at once.'
  ),
  'review.passes-already': trans.__('The cell already passes.'),
  'question.failed': trans.__('The question failed: %1'),
  'attempt.needs-permission': trans.__(
    'Attempt %1 needs your permission to run.'
  ),
  'permission.denied': trans.__('Attempt %1 %2.'),
  'permission.expired': trans.__(
    'No answer within %1 minutes. It stays blocked.'
  ),
  'permission.network': trans.__(
    'The code of attempt %1 again, with network access.'
  ),
  'permission.writes': trans.__(
    'The code of attempt %1 again, with permission to write files.'
  ),
  'review.nobody': trans.__(
    'The evaluators setting includes human, but there is nobody to ask here. Remove human from evaluators, or run where somebody can answer.'
  ),
  'permission.nobody': trans.__(
    'The approveExecution setting is on, but there is nobody to ask here. Turn it off, or run where somebody can answer.'
  ),
  'candidates.other-passed': trans.__('Another candidate passed first.'),
  'price.unknown': trans.__(
    "The price of %1 is unknown: maxCost cannot be checked. Set maxTokens, or the price in the server's profile."
  ),
  'internal-error': trans.__(
    'Internal error of jupyterlab-refine: %1: %2. Please report it with this text at %3'
  ),
  'model.session-time': trans.__(
    'Nothing came from %1 for %2, and the session’s time (sessionTimeout, %3) was nearly used up. Check the load of the provider, or choose another model.'
  ),
  'budget.spent': trans.__(
    'The session used up its budget (tokens: %1, calls: %2). Raise maxTokens or maxCost, or turn raiseOnBudget off.'
  ),
  'restart.fresh': trans.__(
    'The last attempt came no closer. A fresh start follows.'
  ),
  'restart.stronger': trans.__(
    'The last attempt came no closer. %1 takes over.'
  ),
  'model.at-host': trans.__('model %1 at %2'),
  'model.name': trans.__('model %1'),
  'duration.minutes': trans.__('%1 min'),
  'duration.seconds': trans.__('%1 s'),
  'confirmation.no-process': trans.__(
    'this kernel has no separate process to confirm it'
  ),
  'holdout.hidden-reason': trans.__(
    'the reason is hidden because it could reveal the hold-out'
  ),
  'checks.changed': trans.__('the checks, or what they rely on, were changed'),
  'title.failed': trans.__('failed: %1'),
  'title.is': trans.__('%1 is %2, expected %3'),
  'title.column': trans.__("column is '%1'"),
  'title.name': trans.__("the kernel has '%1'")
} as const;
