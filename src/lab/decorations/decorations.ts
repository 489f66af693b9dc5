/** What a notebook shows of us: an edge on the cell that is worked on, a badge on refined cells, two buttons above an error. */
import { CodeCell, type Cell } from '@jupyterlab/cells';
import type { TranslationBundle } from '@jupyterlab/translation';
import { showsError } from '../errorOutput';
import { CommandIDs } from '../ids';

export type BadgeKind =
  'passed' | 'unconfirmed' | 'unchecked' | 'failed' | 'stale';

export type Badge = {
  readonly kind: BadgeKind;
  readonly text: string;
  /** The same in words, for a screen reader and as its tooltip. */
  readonly label: string;
};

const WORKING_CLASS = 'jp-Refine-mod-working';
const BADGE_CLASS = 'jp-Refine-badge';
const ACTIONS_CLASS = 'jp-Refine-errorActions';

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

/** Show the buttons on a cell that shows an error, above its traceback, which may be long; on no other. */
export function setErrorActions(
  cell: Cell,
  execute: (command: string, cellId: string) => void,
  trans: TranslationBundle
): void {
  if (!(cell instanceof CodeCell)) {
    return;
  }
  const outputs = cell.node.querySelector(':scope > .jp-Cell-outputWrapper');
  const shown = cell.node.querySelector(`:scope > .${ACTIONS_CLASS}`);
  if (!showsError(cell.model)) {
    shown?.remove();
  } else if (outputs && !shown) {
    const row = document.createElement('div');
    row.className = ACTIONS_CLASS;
    row.setAttribute('role', 'group');
    row.setAttribute('aria-label', trans.__('Actions for this error'));
    const add = (command: string, label: string, title: string) => {
      const button = document.createElement('button');
      button.type = 'button';
      button.className = 'jp-Refine-button';
      button.textContent = label;
      button.title = title;
      button.addEventListener('click', () => execute(command, cell.model.id));
      row.appendChild(button);
    };
    add(
      CommandIDs.refineError,
      trans.__('Fix error'),
      trans.__('Let the model fix this cell. Each attempt is run.')
    );
    add(
      CommandIDs.explainError,
      trans.__('Explain'),
      trans.__('Explain the error in words. Nothing is run.')
    );
    outputs.before(row);
  }
}
