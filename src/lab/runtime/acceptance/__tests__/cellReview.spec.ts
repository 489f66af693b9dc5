import type { YFile } from '@jupyter/ydoc';
import type { Cell } from '@jupyterlab/cells';
import { CodeEditor } from '@jupyterlab/codeeditor';
import { CodeMirrorEditor, ybinding } from '@jupyterlab/codemirror';
import { nullTranslator } from '@jupyterlab/translation';
import { Signal } from '@lumino/signaling';
import { reviewInCell } from '../cellReview';

const HELD = 'a = 1\nb = 2\nc = 3\nd = 4';
const PROPOSED = 'a = 10\nb = 2\nc = 3\nd = 40';

const choices = [
  { id: 'insert', label: 'Write only' },
  { id: 'leave', label: 'Leave unchanged' }
];

let dispose = () => {};
afterEach(() => dispose());

function setUp() {
  const model = new CodeEditor.Model({ mimeType: 'text/x-python' });
  model.sharedModel.setSource(HELD);
  const node = document.body.appendChild(document.createElement('div'));
  const owner = {};
  const cell = {
    contentFactory: {
      editorFactory: (options: CodeEditor.IOptions) =>
        new CodeMirrorEditor({
          ...options,
          extensions: [
            ybinding({ ytext: (options.model.sharedModel as YFile).ysource })
          ]
        })
    },
    disposed: new Signal<object, void>(owner),
    editorConfig: {},
    inputArea: { node },
    isDisposed: false,
    model,
    node
  } as unknown as Cell;
  const onChoice = jest.fn();
  const onEmpty = jest.fn();
  const review = reviewInCell(cell, {
    proposed: PROPOSED,
    choices,
    emptyChoices: [{ id: 'leave', label: 'Close' }],
    onChoice,
    onEmpty,
    trans: nullTranslator.load('jupyterlab_refine')
  })!;
  dispose = () => {
    review.dispose();
    node.remove();
  };
  const bar = () =>
    [
      ...node.querySelectorAll<HTMLButtonElement>(
        '.jp-Refine-review-bar button'
      )
    ]
      .filter(button => !button.hidden)
      .map(button => button.textContent);
  const click = (label: string) => {
    const found = [...node.querySelectorAll('button')].find(
      button => button.textContent === label && !button.hidden
    )!;
    found.dispatchEvent(new MouseEvent('mousedown', { bubbles: true }));
    found.click();
  };
  const remark = () => node.querySelector('[role=status]')?.textContent;
  return { bar, click, model, node, onChoice, onEmpty, remark, review };
}

describe('reviewInCell', () => {
  it('stays open after the last rejection, which can be undone', () => {
    const { bar, click, onChoice, onEmpty, remark, review } = setUp();
    expect(remark()).toBe('2 parts to review');
    expect(bar()).toEqual(['Write only', 'Leave unchanged']);
    click('Reject');
    expect(bar()).toEqual(['Undo', 'Write only', 'Leave unchanged']);
    expect(onEmpty).not.toHaveBeenCalled();
    click('Reject');
    expect(remark()).toBe('Nothing is left to accept');
    expect(bar()).toEqual(['Undo', 'Close']);
    expect(document.activeElement?.textContent).toBe('Close');
    expect(onEmpty.mock.calls).toEqual([[true]]);
    click('Undo');
    expect(remark()).toBe('1 part to review');
    expect(bar()).toEqual(['Undo', 'Write only', 'Leave unchanged']);
    expect(onEmpty.mock.calls).toEqual([[true], [false]]);
    click('Undo');
    expect(review.source).toBe(PROPOSED);
    expect(bar()).toEqual(['Write only', 'Leave unchanged']);
    expect(onChoice).not.toHaveBeenCalled();
  });

  it('offers to write when a part was accepted and the rest rejected', () => {
    const { bar, click, onEmpty, remark, review } = setUp();
    click('Accept');
    click('Reject');
    expect(remark()).toBe('All parts reviewed');
    expect(review.source).toBe('a = 10\nb = 2\nc = 3\nd = 4');
    expect(bar()).toEqual(['Undo', 'Write only', 'Leave unchanged']);
    expect(onEmpty).not.toHaveBeenCalled();
  });

  it('leaves the cell when it is closed with nothing to accept', () => {
    const { click, onChoice } = setUp();
    click('Reject');
    click('Reject');
    click('Close');
    expect(onChoice).toHaveBeenCalledWith('leave');
  });

  it('has nothing to accept once the cell contains the proposed source', () => {
    const { bar, model, remark } = setUp();
    model.sharedModel.setSource(PROPOSED);
    expect(remark()).toBe('Nothing is left to accept');
    expect(bar()).toEqual(['Close']);
  });
});
