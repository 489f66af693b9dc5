import * as React from 'react';
import { memo } from 'react';
import type { DraftedAssertion } from '../../core/domain/checks/drafted';
import { visibleLine, visibleText } from '../shared/safeText';
import { usePanelServices } from '../shared/services';

type DraftListProps = {
  readonly drafts: readonly DraftedAssertion[];
  /** Lines of those that are ticked. */
  readonly ticked: readonly number[];
  readonly onChange: (ticked: readonly number[]) => void;
};

/** Drafted assertions with a box to tick; what the code contradicts says so; unusable ones come last, with the reason. */
export const DraftList = memo(function DraftList(
  props: DraftListProps
): JSX.Element {
  const { trans } = usePanelServices();
  const { drafts, ticked, onChange } = props;
  const offered = drafts.filter(draft => draft.problem === null);
  const leftOut = drafts.filter(draft => draft.problem !== null);
  const toggle = (line: number) =>
    onChange(
      ticked.includes(line)
        ? ticked.filter(other => other !== line)
        : [...ticked, line]
    );
  return (
    <div className="jp-Refine-drafts">
      {offered.length > 0 ? (
        <ul aria-label={trans.__('Drafted assertions')}>
          {offered.map(draft => (
            <li key={draft.line}>
              <label>
                <input
                  type="checkbox"
                  checked={ticked.includes(draft.line)}
                  onChange={() => toggle(draft.line)}
                />
                <code>{visibleText(draft.source)}</code>
                <Contradiction draft={draft} />
              </label>
            </li>
          ))}
        </ul>
      ) : null}
      {leftOut.length > 0 ? (
        <>
          <p className="jp-Refine-quiet">
            {trans._n('%1 left out', '%1 left out', leftOut.length)}
          </p>
          <ul aria-label={trans.__('Left out')}>
            {leftOut.map(draft => (
              <li key={draft.line} className="jp-mod-leftOut">
                <code>{visibleText(draft.source)}</code>
                <span className="jp-Refine-quiet">
                  {visibleLine(draft.problem ?? '')}
                </span>
              </li>
            ))}
          </ul>
        </>
      ) : null}
    </div>
  );
});

/** What the code of the cell gives instead; nothing where it agrees. */
function Contradiction(props: {
  readonly draft: DraftedAssertion;
}): JSX.Element | null {
  const { trans } = usePanelServices();
  const { contradicted } = props.draft;
  if (!contradicted) {
    return null;
  }
  const { expected, observed, error } = contradicted;
  return (
    <span className="jp-Refine-warn">
      {visibleLine(
        observed !== undefined
          ? trans.__('expects %1, your code gives %2', expected, observed)
          : error !== undefined
            ? trans.__('your code raises %1', error)
            : trans.__('your code does not pass it')
      )}
    </span>
  );
}
