import type { TranslationBundle } from '@jupyterlab/translation';
import { unconfirmedLabel } from '../../../core/text/confirmationWords';
import type { NotebookCell } from '../../../notebook/structure/cells';
import { isStale } from '../../../notebook/plan';
import { readResult } from '../../../notebook/provenance';

export type Badge = {
  readonly kind: 'passed' | 'unconfirmed' | 'unchecked' | 'failed' | 'stale';
  readonly text: string;
  /** The same in words, for a screen reader and as its tooltip. */
  readonly label: string;
};

/** `refined · 4 of 4`, grey when source or checks are no longer those; null for a cell that was not refined. */
export function provenanceBadge(
  cells: readonly NotebookCell[],
  cellId: string,
  language: string,
  trans: TranslationBundle
): Badge | null {
  const cell = cells.find(other => other.id === cellId);
  const result = cell ? readResult(cell) : null;
  if (!result) {
    return null;
  }
  const held =
    result.total === 0 && result.notPassed
      ? trans.__('refined · not checked')
      : trans.__('refined · %1 of %2', result.passed, result.total);
  const open = result.confirmed
    ? unconfirmedLabel(result.confirmed, trans)
    : '';
  const left = Array.isArray(result.skipped) ? result.skipped.length : 0;
  const text = [
    held,
    ...(result.notPassed && result.total > 0 ? [trans.__('not passed')] : []),
    ...(left > 0 ? [trans._n('%1 skipped', '%1 skipped', left)] : []),
    ...(open === '' ? [] : [open])
  ].join(' · ');
  if (isStale(result, cells, cellId, language)) {
    const stale = trans.__('%1 · edited since', text);
    return { kind: 'stale', text: stale, label: stale };
  }
  // Nothing was checked: no failure, and no success.
  if (result.total === 0 && result.notPassed) {
    return { kind: 'unchecked', text, label: text };
  }
  if (result.notPassed || result.passed !== result.total) {
    return { kind: 'failed', text, label: text };
  }
  if (left > 0) {
    return {
      kind: 'unconfirmed',
      text,
      label: trans.__('%1. You left the skipped checks out.', text)
    };
  }
  return open === ''
    ? { kind: 'passed', text, label: text }
    : {
        kind: 'unconfirmed',
        text,
        label: trans.__(
          '%1. A confirmed check also passed in a separate process that never ran this cell.',
          text
        )
      };
}
