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
  const review = reviewInCell(cell, {
    proposed: PROPOSED,
    choices,
    onChoice,
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
  return { bar, click, model, onChoice, remark, review };
}

describe('reviewInCell', () => {
  it('follows an edit of the cell by somebody else', () => {
    const { model, remark } = setUp();
    model.sharedModel.setSource(PROPOSED);
    expect(remark()).toBe('All parts reviewed');
  });
});
