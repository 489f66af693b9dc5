/** What a fast model costs the panel. */
import type { RefineEvent } from '../../../core/events/events';
import { fold } from '../../../core/events/fold';
import type { AttemptState } from '../../../core/events/state';
import { renderPanel, type RenderedPanel } from '../../__tests__/renderPanel';
import {
  ATTEMPT_1,
  ATTEMPT_2,
  ATTEMPT_3_WRITING
} from '../../__tests__/attempts';
import { session, view } from '../../__tests__/views';

let panel: RenderedPanel;

afterEach(() => panel.unmount());

describe('2,000 deltas of a streaming attempt', () => {
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

  it('do not render an earlier row, and render once a frame', () => {
    const first = counted(ATTEMPT_1);
    const second = counted(ATTEMPT_2);
    let state = session({
      attempts: [first.attempt, second.attempt, ATTEMPT_3_WRITING],
      best: null
    });
    panel = renderPanel(view({ session: state }));
    const before = [first.reads(), second.reads()];
    expect(before[0]).toBeGreaterThan(0);
    const earlier = panel.row(2).innerHTML;
    let repaints = 0;
    const observer = new MutationObserver(() => undefined);
    observer.observe(panel.row(3), {
      subtree: true,
      childList: true,
      characterData: true
    });

    for (let frame = 0; frame < 200; frame++) {
      for (let i = 0; i < 9; i++) {
        state = fold(state, delta(`v${frame} = ${i}\n`));
        panel.showUnpainted({ session: state });
      }
      const changed = observer.takeRecords().length;
      expect(changed).toBe(0);
      state = fold(state, delta('end\n'));
      panel.show({ session: state });
      repaints += observer.takeRecords().length > 0 ? 1 : 0;
    }
    observer.disconnect();

    expect([first.reads(), second.reads()]).toEqual(before);
    expect(panel.row(2).innerHTML).toBe(earlier);
    expect(repaints).toBe(200);
    expect(panel.lines(3)[panel.lines(3).length - 1]).toBe(' end');
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
