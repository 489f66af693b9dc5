/** What a fast model costs the panel. */
import type { RefineEvent } from '../../../core/events/events';
import { fold } from '../../../core/events/fold';
import type { AttemptState } from '../../../core/events/state';
import { panel, show } from '../../__tests__/renderPanel';
import {
  ATTEMPT_1,
  ATTEMPT_2,
  ATTEMPT_3_WRITING
} from '../../__tests__/attempts';
import { session } from '../../__tests__/views';

describe('200 deltas of a streaming attempt', () => {
  /** Counts reads of `execution`, which every render of a row needs. */
  function counted(of: AttemptState): {
    readonly attempt: AttemptState;
    readonly reads: () => number;
  } {
    let reads = 0;
    const { execution, ...rest } = of;
    return {
      attempt: {
        ...rest,
        get execution() {
          reads++;
          return execution;
        }
      },
      reads: () => reads
    };
  }

  it('do not render an earlier row', () => {
    const first = counted(ATTEMPT_1);
    const second = counted(ATTEMPT_2);
    let state = session({
      attempts: [first.attempt, second.attempt, ATTEMPT_3_WRITING],
      best: null
    });
    show({ session: state });
    const before = [first.reads(), second.reads()];
    expect(before[0]).toBeGreaterThan(0);
    const earlier = panel.row(2).innerHTML;

    for (let i = 0; i < 200; i++) {
      state = fold(state, delta(`v = ${i}\n`));
      panel.show({ session: state });
    }

    expect([first.reads(), second.reads()]).toEqual(before);
    expect(panel.row(2).innerHTML).toBe(earlier);
    expect(panel.lines(3)[panel.lines(3).length - 1]).toBe(' v = 199');
  });

  function delta(code: string): RefineEvent {
    return {
      type: 'candidate-delta',
      at: 0,
      session: 's1',
      attempt: 3,
      thoughts: '',
      code
    };
  }
});
