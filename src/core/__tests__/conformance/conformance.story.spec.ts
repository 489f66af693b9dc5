/**
 * The `scored` preset against the loop that published the pattern: the same
 * scores, stop, calls and best, or the difference that docs/conformance.md gives
 * a reason for. The recorded runs are read by path; a few are kept here.
 */
import { existsSync, readFileSync } from 'fs';
import { resolve } from 'path';
import { optionsOf, replay } from './conformanceReplay';
import {
  DIFFERENCES,
  OWN_RUNS,
  describeRun,
  describeRecorded,
  type RecordedRun
} from './conformanceRuns';

const ROOT = resolve(__dirname, '../../../..');
const DATA =
  process.env.REFINE_CONFORMANCE ??
  resolve(ROOT, '../shared/data/conformance/executionkit-0.4.0.json');

async function compare(run: RecordedRun): Promise<void> {
  const difference = DIFFERENCES[run.name];
  if (difference) {
    expect(describeRecorded(run)).toBe(difference.theirs);
    expect(describeRun((await replay(run)).ours)).toBe(difference.ours);
    expect(difference.ours).not.toBe(difference.theirs);
  } else if (run.raises) {
    // Arguments that both refuse before any call.
    expect(run.provider_calls).toBe(0);
    expect(() => optionsOf(run)).toThrow();
  } else {
    const { ours, checkpoints } = await replay(run);
    expect(describeRun(ours)).toBe(describeRecorded(run));
    expect(checkpoints).toEqual(run.checkpoints);
    expect(ours.history).toHaveLength(run.result!.iterations + 1);
  }
}

describe('a run that is kept here', () => {
  it.each(OWN_RUNS.map(run => [run.name, run] as const))('%s', (_, run) =>
    compare(run)
  );
});

if (existsSync(DATA)) {
  describe('a recorded run of executionkit 0.4.0', () => {
    const runs = JSON.parse(readFileSync(DATA, 'utf8')) as RecordedRun[];

    it.each(runs.map(run => [run.name, run] as const))('%s', (_, run) =>
      compare(run)
    );

    it('is one of 28, and each listed difference is of one of them', () => {
      expect(runs).toHaveLength(28);
      const names = [...runs, ...OWN_RUNS].map(run => run.name);
      expect(new Set(names).size).toBe(names.length);
      expect(names).toEqual(expect.arrayContaining(Object.keys(DIFFERENCES)));
    });
  });
} else {
  it.skip(`recorded runs: no ${DATA}; see REFINE_CONFORMANCE`, () => {});
}
