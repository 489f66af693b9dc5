/** A look at the checks before anything is paid for: whether they contradict each other. */
import {
  numberedChecks,
  withoutSkipped,
  type NumberedCheck
} from '../domain/checks/numberedChecks';
import type { RefineRequest } from '../domain/request';
import type { CheckDeps } from '../deps';
import {
  contradictions,
  type CheckPlace,
  type Contradiction
} from '../python/contradictions';
import { askAboutContradictions } from '../session/human';
import { cutLine } from '../text/cut';
import type { Session } from '../session/session';
import { sentence } from '../messages/sentence';

/**
 * Warns of visible checks that contradict each other, and asks whether to go on
 * before a model is called. Checks that the current code passes do not.
 *
 * @throws SessionStop when the user does not want to go on.
 */
export async function inspectContradictions(
  session: Session,
  { assertions, language, prompt, target }: RefineRequest,
  deps: CheckDeps,
  asks: boolean
): Promise<void> {
  const task = `${prompt}\n${target.source}`;
  const found =
    language === 'python' && target.kind === 'code'
      ? contradictions(
          assertions.map(cell => withoutSkipped(cell, language)),
          task
        )
      : [];
  const results = session.state.attempts[0]?.execution?.assertions ?? [];
  const passes = (place: CheckPlace) =>
    results.some(
      ({ cellId, line, outcome }) =>
        cellId === place.cellId && line === place.line && outcome === 'passed'
    );
  const numbered = numberedChecks({ assertions, language });
  const sentences = found
    .filter(pair => !pair.every(passes))
    .slice(0, CONTRADICTIONS_SHOWN)
    .map(pair => contradictionText(pair, numbered));
  sentences.forEach(text => session.warn(text));
  if (asks && sentences.length > 0) {
    await askAboutContradictions(session, deps, sentences);
  }
}

const CONTRADICTIONS_SHOWN = 3;

/** By the numbers of the checks: they are the same in prompts, panel and command line. */
function contradictionText(
  [first, second]: Contradiction,
  numbered: readonly NumberedCheck[]
): string {
  const source = (check: CheckPlace) => cutLine(check.source, 100);
  const place = ({ cellId, line }: CheckPlace) => {
    const check = numbered.find(
      one => one.cellId === cellId && one.line <= line && line <= one.lastLine
    );
    return check
      ? sentence('check.place', check.number, line)
      : sentence('check.line', line);
  };
  return sentence(
    'checks.contradict',
    source(first),
    place(first),
    source(second),
    place(second)
  );
}
