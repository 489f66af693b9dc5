import * as React from 'react';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { RefineView } from '../../tokens';
import { visibleLine } from '../shared/safeText';
import {
  isRunning,
  passedTitle,
  statusWords,
  stoppedTitle
} from './sessionWords';
import { usePanelServices } from '../shared/services';

/** The panel's one live region: the state of the session, never what streams. */
export function Announcer(props: { readonly view: RefineView }): JSX.Element {
  const { trans } = usePanelServices();
  return (
    <div className="jp-Refine-hidden" aria-live="polite" role="status">
      {visibleLine(announcement(props.view, trans))}
    </div>
  );
}

function announcement(view: RefineView, trans: TranslationBundle): string {
  const { session, question } = view;
  if (question !== null) {
    return trans.__('Waiting for you: %1', question.title);
  }
  const answer = view.explanations?.at(-1);
  if (answer && !isRunning(view)) {
    return answer.status === 'writing'
      ? trans.__('Writing the answer')
      : trans.__('The answer is written');
  }
  if (session === null) {
    // A notice is an alert of its own where it is shown.
    return '';
  }
  if (isRunning(view)) {
    const { main, phase } = statusWords(session, trans);
    return phase === null ? main : trans.__('%1, %2', main, phase);
  }
  if (session.outcome === null) {
    return trans.__('Interrupted by a page reload');
  }
  return session.outcome.passed
    ? passedTitle(session.outcome.best?.attempt ?? 0, session.outcome, trans)
    : stoppedTitle(session, session.outcome, trans);
}
