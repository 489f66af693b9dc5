/** What a notebook shows of a refinement: an edge on the cell that is worked on, a badge on refined cells, nothing else. */
import type { Cell } from '@jupyterlab/cells';
import type { NotebookPanel } from '@jupyterlab/notebook';
import { Token } from '@lumino/coreutils';

export type BadgeKind =
  'passed' | 'unconfirmed' | 'unchecked' | 'failed' | 'stale';

export type Badge = {
  readonly kind: BadgeKind;
  readonly text: string;
  /** The same in words, for a screen reader and as its tooltip. */
  readonly label: string;
};

export interface ICellDecorations {
  /** Mark the cell of a notebook that is worked on, by its id; null: none. The same cell again costs nothing. */
  mark(panel: NotebookPanel, working: string | null): void;
}

export const ICellDecorations = new Token<ICellDecorations>(
  'jupyterlab-refine:ICellDecorations',
  'Marks refined cells.'
);

const WORKING_CLASS = 'jp-Refine-mod-working';
const BADGE_CLASS = 'jp-Refine-badge';

/** Set or clear the thin edge of a cell that is worked on. */
export function setWorking(cell: Cell, working: boolean): void {
  cell.node.classList.toggle(WORKING_CLASS, working);
}

/** Show, change or take away the one badge of a cell. */
export function setBadge(cell: Cell, badge: Badge | null): void {
  const node = cell.node.querySelector(`.${BADGE_CLASS}`);
  if (!badge) {
    node?.remove();
    return;
  }
  const shown = node ?? document.createElement('div');
  place(shown, cell);
  if (
    shown.textContent === badge.text &&
    shown.getAttribute('data-kind') === badge.kind &&
    shown.getAttribute('aria-label') === badge.label
  ) {
    return;
  }
  shown.className = BADGE_CLASS;
  shown.setAttribute('data-kind', badge.kind);
  shown.setAttribute('role', 'img');
  shown.setAttribute('aria-label', badge.label);
  shown.setAttribute('title', badge.label);
  shown.textContent = badge.text;
}

/** On a line of its own below the input: it covers neither code nor scroll bars. */
function place(badge: Element, cell: Cell): void {
  const input = cell.node.querySelector('.jp-Cell-inputWrapper');
  if (input && input.nextElementSibling !== badge) {
    input.after(badge);
  } else if (!badge.parentElement) {
    // A cell that was never scrolled to has no input yet.
    cell.node.appendChild(badge);
    void cell.ready.then(() => {
      if (badge.parentElement === cell.node) {
        place(badge, cell);
      }
    });
  }
}
