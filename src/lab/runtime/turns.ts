/** Work that waits for the work before it in the same place, in order. */
type Line = {
  /** Settles when all that was added is over; never rejects. */
  end: Promise<unknown>;
  /** What was added before it last changed does not start any more. */
  generation: number;
  /** Names of what is not over, in order. */
  names: readonly string[];
};

export class Turns<Place extends object> {
  /**
   * Resolves when `work` is over, or was taken out of the line by {@link empty}
   * before its turn came.
   *
   * @param onWait called with the name of what is before it.
   * @param work gets a function that says, after waits of its own, whether it may still start.
   */
  async add(
    place: Place,
    name: string,
    onWait: (before: string) => void,
    work: (mayStart: () => boolean) => Promise<void>
  ): Promise<void> {
    const line = this.lineOf(place);
    const { generation } = line;
    const mayStart = () => line.generation === generation;
    const before = line.names.at(-1);
    if (before !== undefined) {
      onWait(before);
    }
    line.names = [...line.names, name];
    const mine = line.end.then(() => (mayStart() ? work(mayStart) : undefined));
    line.end = mine
      .catch(() => undefined)
      .then(() => {
        line.names = line.names.slice(1);
      });
    await mine;
  }

  /** Nothing that waits starts any more. */
  empty(place: Place): void {
    this.lineOf(place).generation++;
  }

  private lineOf(place: Place): Line {
    let line = this.lines.get(place);
    if (!line) {
      line = { end: Promise.resolve(), generation: 0, names: [] };
      this.lines.set(place, line);
    }
    return line;
  }

  private readonly lines = new WeakMap<Place, Line>();
}
