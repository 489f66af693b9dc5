/** How wide the panel is before its user has made it narrower or wider. */
import type { IStateDB } from '@jupyterlab/statedb';
import { SplitPanel, type Widget } from '@lumino/widgets';

/** Pixels that the panel has when it is shown for the first time. */
const FIRST_WIDTH = 400;

/** Key in the state database: the panel had its first width. */
const WIDENED = 'jupyterlab-refine:widened';

/**
 * Give a narrower widget in a horizontal split the first width, at the cost of
 * the widest beside it. Nothing happens where there is no such split.
 */
function widen(widget: Widget): void {
  let part = widget;
  while (part.parent && !(part.parent instanceof SplitPanel)) {
    part = part.parent;
  }
  const split = part.parent;
  if (
    !(split instanceof SplitPanel) ||
    split.orientation !== 'horizontal' ||
    part.node.offsetWidth >= FIRST_WIDTH
  ) {
    return;
  }
  const widths = split.widgets.map(other =>
    other.isHidden ? 0 : other.node.offsetWidth
  );
  const own = split.widgets.indexOf(part);
  const widest = widths.indexOf(Math.max(...widths));
  const missing = FIRST_WIDTH - (widths[own] ?? FIRST_WIDTH);
  // The notebook keeps the larger part of a narrow window.
  if (widest !== own && Math.max(...widths) - missing >= FIRST_WIDTH) {
    split.setRelativeSizes(
      widths.map(
        (width, i) =>
          width + (i === own ? missing : i === widest ? -missing : 0)
      )
    );
  }
}

/** {@link widen} when it was never done in this workspace: afterwards the width is the user's. */
export async function widenOnce(
  widget: Widget,
  state: IStateDB
): Promise<void> {
  if ((await state.fetch(WIDENED)) === undefined) {
    await state.save(WIDENED, true);
    requestAnimationFrame(() => {
      if (widget.isVisible) {
        widen(widget);
      }
    });
  }
}
