import {
  acceptChunk,
  getChunks,
  getOriginalDoc,
  rejectChunk,
  unifiedMergeView
} from '@codemirror/merge';
import { EditorView } from '@codemirror/view';
import { countChanges, setOriginal } from '../../../compare/merge';
import { directionOf, ReviewHistory } from '../reviewHistory';

const HELD = 'a = 1\nb = 2\nc = 3\nd = 4\ne = 5';
const PROPOSED = 'a = 10\nb = 2\nc = 3\nd = 4\ne = 50\nf = 60';

let view: EditorView;
let history: ReviewHistory;

beforeEach(() => {
  history = new ReviewHistory();
  view = new EditorView({
    doc: PROPOSED,
    extensions: [
      history.extension,
      unifiedMergeView({ original: HELD, mergeControls: false })
    ]
  });
});

afterEach(() => view.destroy());

const texts = () => [
  view.state.doc.toString(),
  getOriginalDoc(view.state).toString()
];
/** The first part that is open. */
const first = () => getChunks(view.state)!.chunks[0].fromB;

describe('ReviewHistory', () => {
  it('takes accepted and rejected parts back, and does them again', () => {
    const seen = [texts()];
    acceptChunk(view, first());
    seen.push(texts());
    rejectChunk(view, first());
    seen.push(texts());
    expect(new Set(seen.map(String)).size).toBe(3);
    expect(countChanges(view)).toBe(0);
    for (const expected of [seen[1], seen[0]]) {
      expect(history.go(view, 'undo')).toBe(true);
      expect(texts()).toEqual(expected);
    }
    expect(countChanges(view)).toBe(2);
    expect(history.go(view, 'undo')).toBe(false);
    for (const expected of [seen[1], seen[2]]) {
      expect(history.go(view, 'redo')).toBe(true);
      expect(texts()).toEqual(expected);
    }
    expect(history.go(view, 'redo')).toBe(false);
  });

  it('drops what could be done again when another part is decided', () => {
    acceptChunk(view, first());
    history.go(view, 'undo');
    rejectChunk(view, first());
    expect(history.go(view, 'redo')).toBe(false);
    history.go(view, 'undo');
    expect(texts()).toEqual([PROPOSED, HELD]);
  });

  it('ends where somebody else edits the cell', () => {
    acceptChunk(view, first());
    setOriginal(view, 'x = 0');
    expect(history.go(view, 'undo')).toBe(false);
    expect(texts()).toEqual([PROPOSED, 'x = 0']);
  });
});

it.each([
  [{ key: 'z', ctrlKey: true }, 'undo'],
  [{ key: 'z', metaKey: true }, 'undo'],
  [{ key: 'Z', ctrlKey: true, shiftKey: true }, 'redo'],
  [{ key: 'y', ctrlKey: true }, 'redo'],
  [{ key: 'z' }, null],
  [{ key: 'z', ctrlKey: true, altKey: true }, null]
])('reads the key %j as %s', (init, direction) => {
  expect(directionOf(new KeyboardEvent('keydown', init))).toBe(direction);
});
