/** Work of a place in the order in which it was added, one at a time; what waits can be seen and withdrawn. */

type Entry = { readonly name: string; withdrawn: boolean };

type Line = {
  /** Settles when all that was added lets the next one start; never rejects. */
  end: Promise<unknown>;
  waiting: readonly Entry[];
};

export type Turn<Place> = {
  readonly place: Place;
  /** What it is known by while it waits. */
  readonly name: string;
  /** Asked when its turn has come: what else it waits for; null: nothing. */
  readonly busy: () => Promise<unknown> | null;
  /** May let the next one start before its own end. */
  readonly work: (next: () => void) => Promise<void>;
};

export class Turns<Place extends object> {
  /** @param onChange called when what waits in a place changed. */
  constructor(private readonly onChange: (place: Place) => void) {}

  /** Resolves when the work is over, or was withdrawn and its turn has come. */
  async add({ place, name, busy, work }: Turn<Place>): Promise<void> {
    const line = this.lineOf(place);
    const entry: Entry = { name, withdrawn: false };
    line.waiting = [...line.waiting, entry];
    this.onChange(place);
    let next = () => undefined as void;
    const free = new Promise<void>(resolve => (next = resolve));
    const mine = line.end.then(async () => {
      for (let other = busy(); other && !entry.withdrawn; other = busy()) {
        await other;
      }
      if (!entry.withdrawn) {
        this.leave(place, [entry]);
        await work(next);
      }
    });
    const over = mine.catch(() => undefined);
    line.end = Promise.race([over, free]);
    await mine;
  }

  /** Names of what has not started, in order. */
  waiting(place: Place): readonly string[] {
    return this.lineOf(place).waiting.map(({ name }) => name);
  }

  /** What waits under this name does not start any more; without a name nothing does. */
  withdraw(place: Place, name?: string): void {
    this.leave(
      place,
      this.lineOf(place).waiting.filter(
        entry => name === undefined || entry.name === name
      )
    );
  }

  private leave(place: Place, entries: readonly Entry[]): void {
    const line = this.lineOf(place);
    line.waiting = line.waiting.filter(entry => !entries.includes(entry));
    for (const entry of entries) {
      entry.withdrawn = true;
    }
    if (entries.length > 0) {
      this.onChange(place);
    }
  }

  private lineOf(place: Place): Line {
    const line = this.lines.get(place) ?? {
      end: Promise.resolve(),
      waiting: []
    };
    this.lines.set(place, line);
    return line;
  }

  private readonly lines = new WeakMap<Place, Line>();
}
