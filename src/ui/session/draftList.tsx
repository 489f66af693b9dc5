import * as React from 'react';
import { memo } from 'react';
import type { DraftedAssertion } from '../../core/domain/drafted';
import { visibleLine, visibleText } from '../shared/safeText';
import { translated } from '../../core/messages/translated';
import { usePanelServices } from '../shared/services';

type DraftListProps = {
  readonly drafts: readonly DraftedAssertion[];
  /** Lines of those that are ticked. */
  readonly ticked: readonly number[];
  readonly onChange: (ticked: readonly number[]) => void;
};

/** Drafted assertions with a box to tick; unusable ones come last, with the reason. */
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
                <span
                  className="jp-Refine-quiet"
                  title={
                    draft.failsOn === 'mutant'
                      ? trans.__(
                          'It fails on a version of the cell with one change.'
                        )
                      : trans.__('It fails on a cell that does nothing useful.')
                  }
                >
                  {draft.failsOn === 'mutant'
                    ? trans.__('fails on a mutant')
                    : trans.__('fails on a stub')}
                </span>
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
                  {visibleLine(translated(draft.problem ?? '', trans))}
                </span>
              </li>
            ))}
          </ul>
        </>
      ) : null}
    </div>
  );
});
