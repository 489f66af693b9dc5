import * as React from 'react';
import { memo, useState } from 'react';
import type { StaticFinding } from '../../core/domain/execution';
import { MoreLink } from '../shared/moreLink';
import { visibleLine } from '../shared/safeText';
import { usePanelServices } from '../shared/services';

/** Findings shown at once; what cannot run comes first. */
const SHOWN = 6;

/** What was found in a candidate's source without running it. */
export const FindingList = memo(function FindingList(props: {
  readonly findings: readonly StaticFinding[];
}): JSX.Element | null {
  const { trans } = usePanelServices();
  const [all, setAll] = useState(false);
  const errors = props.findings.filter(f => f.severity === 'error');
  const warnings = props.findings.filter(f => f.severity === 'warning');
  const findings = [...errors, ...warnings];
  if (findings.length === 0) {
    return null;
  }
  const shown = all ? findings : findings.slice(0, SHOWN);
  const hidden = findings.length - shown.length;
  return (
    <>
      <ul
        className="jp-Refine-findings"
        aria-label={trans.__('Static analysis')}
      >
        {shown.map((finding, i) => (
          <li key={i} className={`jp-mod-${finding.severity}`}>
            <span className="jp-Refine-mark" aria-hidden="true">
              {finding.severity === 'error' ? '✗' : '!'}
            </span>
            <span>
              <span className="jp-Refine-hidden">
                {finding.severity === 'error'
                  ? trans.__('error')
                  : trans.__('warning')}
                :{' '}
              </span>
              {trans.__(
                'Line %1: %2',
                finding.line,
                visibleLine(finding.message)
              )}
            </span>
          </li>
        ))}
      </ul>
      <MoreLink hidden={hidden} onShow={() => setAll(true)} />
    </>
  );
});
