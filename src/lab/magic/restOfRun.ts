/**
 * Run All sends every cell to the kernel at once, with what it holds at that
 * moment: the assertions below a `%%refine` cell run before its session has
 * started, and the first that fails keeps the cells after it from running. Once
 * that cell passes, because an attempt was accepted, they are run after all.
 */

/** The cells that were run together with a `%%refine` cell, in order, and how each ended last. */
type Batch<Cell> = {
  readonly cells: Cell[];
  readonly failing: Set<Cell>;
  /** The one that failed first: it kept the others from running. */
  culprit: Cell | null;
  /** True while the user's one action still schedules cells. */
  open: boolean;
};

export class RestOfRun<Cell> {
  /** @param settle calls back when what is scheduled now is over: cells of one action are scheduled at once. */
  constructor(
    private readonly settle: (close: () => void) => void = close =>
      void setTimeout(close, 0)
  ) {}

  /** A cell was sent to the kernel. */
  scheduled(cell: Cell, isMagic: boolean): void {
    if (this.batch?.open) {
      this.batch.cells.push(cell);
    } else if (isMagic) {
      const batch: Batch<Cell> = {
        cells: [],
        failing: new Set(),
        culprit: null,
        open: true
      };
      this.batch = batch;
      this.settle(() => {
        batch.open = false;
      });
    }
  }

  /** A cell has run, or was kept from running. */
  executed(cell: Cell, success: boolean): void {
    const { batch } = this;
    if (!batch?.cells.includes(cell)) {
      return;
    }
    if (success) {
      batch.failing.delete(cell);
    } else {
      batch.failing.add(cell);
      batch.culprit ??= cell;
    }
  }

  /**
   * After a session: the cells to run now, returned once; none while the cell that
   * kept them from running still fails.
   */
  take(): readonly Cell[] {
    const { batch } = this;
    if (!batch?.culprit || batch.failing.has(batch.culprit)) {
      return [];
    }
    this.batch = null;
    return batch.cells.filter(cell => batch.failing.has(cell));
  }

  private batch: Batch<Cell> | null = null;
}
