/** Ten seconds of a fast model in the panel, and how long the main thread was held. */
import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';
import { createRoot } from 'react-dom/client';
import type { RefineEvent } from '../../src/core/events/events';
import { fold } from '../../src/core/events/fold';
import { FakeManager } from '../../src/ui/__tests__/fakeManager';
import { ATTEMPT_1, ATTEMPT_2 } from '../../src/ui/__tests__/attempts';
import { session, view } from '../../src/ui/__tests__/views';
import { PanelBody } from '../../src/ui/panelBody';

/** Tokens a second. */
const RATE = 200;
const SECONDS = 10;

/** A candidate of `lines` lines and an edited copy of it. */
function candidates(lines: number): readonly [string, string] {
  const before = Array.from(
    { length: lines },
    (_, i) => `value_${i} = transform(value_${i - 1}, key="k${i % 17}")`
  );
  const after = before.map((line, i) =>
    i % 7 === 3 ? line.replace('transform', 'convert') : line
  );
  return [before.join('\n'), after.join('\n')];
}

/**
 * Streams an attempt at 200 tokens a second and writes the long tasks (over
 * 50 ms, as the browser counts them) into the page.
 *
 * @param lines Lines of the candidate.
 */
export async function measureStreaming(
  root: HTMLElement,
  trans: TranslationBundle,
  lines: number
): Promise<void> {
  const [before, after] = candidates(lines);
  let state = session({
    attempts: [ATTEMPT_1, { ...ATTEMPT_2, code: before }]
  });
  const manager = new FakeManager(view({ session: state }));
  const tasks: number[] = [];
  new PerformanceObserver(list =>
    tasks.push(...list.getEntries().map(entry => Math.round(entry.duration)))
  ).observe({ type: 'longtask' });
  let longest = 0;
  createRoot(root).render(
    <div className="jp-RefinePanel" style={{ width: 400, height: 700 }}>
      <React.Profiler
        id="panel"
        onRender={(_id, _phase, actual) => {
          longest = Math.max(longest, actual);
        }}
      >
        <PanelBody manager={manager} trans={trans} />
      </React.Profiler>
    </div>
  );
  await new Promise(resolve => setTimeout(resolve, 500));
  tasks.length = 0;
  longest = 0;

  const send = (event: RefineEvent) => {
    state = fold(state, event);
    manager.show({ session: state });
  };
  const base = { at: Date.now(), session: 's1', attempt: 3 } as const;
  send({ ...base, type: 'attempt-start', candidate: 0, prompt: [] });
  const tokens = RATE * SECONDS;
  const size = Math.ceil(after.length / tokens);
  const started = performance.now();
  for (let sent = 0; sent < tokens;) {
    await new Promise(resolve => setTimeout(resolve, 5));
    const due = Math.min(
      tokens,
      Math.floor(((performance.now() - started) / 1000) * RATE)
    );
    for (; sent < due; sent++) {
      send({
        ...base,
        type: 'candidate-delta',
        thoughts: '',
        code: after.slice(sent * size, (sent + 1) * size)
      });
    }
  }
  send({
    ...base,
    type: 'candidate-end',
    thoughts: '',
    code: after,
    title: 'done'
  });
  send({ ...base, type: 'execution-start', provisional: false });
  await new Promise(resolve => setTimeout(resolve, 500));
  document.body.dataset.result = JSON.stringify({
    lines,
    tokens,
    characters: after.length,
    longTasks: tasks,
    longestRender: Math.round(longest * 10) / 10,
    rows: root.querySelectorAll('.jp-Refine-line').length
  });
}
