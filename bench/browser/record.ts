import * as fs from 'fs';
import * as path from 'path';

/** Append one row of figures; `bench/run.mjs` prints them. */
export function record(
  name: string,
  figures: Readonly<Record<string, number>>
): void {
  const file = process.env.REFINE_BENCH_FILE;
  if (!file) {
    throw new Error('REFINE_BENCH_FILE is not set: run `make bench`');
  }
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.appendFileSync(file, `${JSON.stringify({ name, figures })}\n`);
}
