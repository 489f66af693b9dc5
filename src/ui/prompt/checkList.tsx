import * as React from 'react';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { CheckView, TargetView } from '../../tokens';
import { LinkButton } from '../shared/button';
import { visibleLine } from '../shared/safeText';
import { usePanelServices } from '../shared/services';

/** Every cell that bears on a pass, with a link to it, and the choice between tagged cells and all. */
export function CheckList(props: {
  readonly id: string;
  readonly target: TargetView;
}): JSX.Element {
  const { id, target } = props;
  const { manager, trans } = usePanelServices();
  const { checks = [], onlyTagged = false } = target;
  const own = checks.filter(({ role }) => role !== 'hidden-data');
  const mixed = own.some(c => c.tagged) && own.some(c => !c.tagged);
  return (
    <div className="jp-Refine-note jp-Refine-checks" id={id}>
      <ul aria-label={trans.__('Checks of this cell')}>
        {checks.map((check, i) => (
          <li key={i}>
            <CellLink check={check} />
            {': '}
            {checkText(check, trans)}
          </li>
        ))}
      </ul>
      {onlyTagged || mixed ? (
        <label>
          <input
            type="checkbox"
            checked={onlyTagged}
            onChange={event => manager.setOnlyTagged(event.target.checked)}
          />
          {trans.__('Use only tagged cells as checks')}
        </label>
      ) : null}
    </div>
  );
}

/** Tagged cells that check nothing: shown without a click. */
export function TagProblems(props: {
  readonly checks: readonly CheckView[];
}): JSX.Element {
  const wrong = props.checks.filter(({ problem }) => problem !== null);
  return (
    <>
      {wrong.map((check, i) => (
        <p key={i} className="jp-Refine-note jp-Refine-warn">
          <CellLink check={check} />
          {': '}
          {check.problem}
        </p>
      ))}
    </>
  );
}

function CellLink(props: { readonly check: CheckView }): JSX.Element {
  const { manager, trans } = usePanelServices();
  const { cellId, label } = props.check;
  return (
    <LinkButton
      onClick={() => manager.revealCell(cellId)}
      title={trans.__('Show this cell')}
    >
      {label}
    </LinkButton>
  );
}

function checkText(check: CheckView, trans: TranslationBundle): string {
  const { role, statements, names, tagged, leftOut, problem } = check;
  if (role === 'hidden-data') {
    return trans.__('hides %1', visibleLine(names.join(', ')));
  }
  if (leftOut) {
    return trans.__('left out, not tagged');
  }
  if (problem !== null) {
    return trans.__('checks nothing');
  }
  if (role === 'scorer') {
    return trans.__('scorer');
  }
  if (role === 'holdout') {
    return trans._n('%1 held out', '%1 held out', statements);
  }
  return tagged
    ? trans._n('%1 assertion, tagged', '%1 assertions, tagged', statements)
    : trans._n('%1 assertion', '%1 assertions', statements);
}
