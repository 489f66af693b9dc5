import { Dialog } from '@jupyterlab/apputils';
import { nullTranslator } from '@jupyterlab/translation';
import { Widget } from '@lumino/widgets';
import { agreeToClose, guardClosing, type Closing } from '../closingPlugin';

class Closable extends Widget {
  readonly closed = jest.fn();

  protected override onCloseRequest(): void {
    this.closed();
  }
}

const settled = () => new Promise(resolve => setTimeout(resolve, 0));

function setUp(answer: Closing, cells: string[]) {
  const widget = new Closable();
  const agree = jest.fn(() => Promise.resolve(answer));
  guardClosing(widget, () => cells, agree);
  return { widget, agree };
}

it('closes at once where nothing runs', () => {
  const { widget, agree } = setUp('keep', []);
  widget.close();
  expect(widget.closed).toHaveBeenCalledTimes(1);
  expect(agree).not.toHaveBeenCalled();
});

it('stays open when the user does not agree', async () => {
  const { widget, agree } = setUp('keep', ['cell 2']);
  widget.close();
  widget.close();
  await settled();
  expect(agree).toHaveBeenCalledTimes(1);
  expect(agree).toHaveBeenCalledWith(['cell 2']);
  expect(widget.closed).not.toHaveBeenCalled();
  widget.close();
  expect(agree).toHaveBeenCalledTimes(2);
});

it('closes once the user agrees, and asks again the next time', async () => {
  const { widget, agree } = setUp('close', ['cell 2']);
  widget.close();
  expect(widget.closed).not.toHaveBeenCalled();
  await settled();
  expect(widget.closed).toHaveBeenCalledTimes(1);
  // The document manager may have asked about unsaved changes, and kept it open.
  widget.close();
  expect(agree).toHaveBeenCalledTimes(2);
});

it('closes without a further request to close when changes are discarded', async () => {
  const { widget } = setUp('discard', ['cell 2']);
  widget.close();
  await settled();
  expect(widget.isDisposed).toBe(true);
  expect(widget.closed).not.toHaveBeenCalled();
});

describe('the question', () => {
  const asked = async (unsaved: boolean, label: string, saved?: boolean) => {
    const save = jest.fn(() => Promise.resolve(saved));
    const closing = agreeToClose(
      ['cell 2', 'cell 5'],
      unsaved,
      save,
      nullTranslator.load('jupyterlab_refine')
    );
    await settled();
    const dialog = document.querySelector('.jp-Dialog');
    const buttons = [...dialog!.querySelectorAll('button')];
    const labels = buttons.map(({ textContent }) => textContent);
    const text = dialog!.textContent;
    buttons.find(({ textContent }) => textContent === label)!.click();
    return { closing: await closing, labels, text, saves: save.mock.calls };
  };

  afterEach(() => Dialog.flush());

  it('is about the session alone where all is saved', async () => {
    const { closing, labels, saves } = await asked(false, 'Stop and close');
    expect(labels).toEqual(['Keep open', 'Stop and close']);
    expect([closing, saves.length]).toEqual(['close', 0]);
  });

  it.each<[string, Closing, number, boolean]>([
    ['Keep open', 'keep', 0, true],
    ['Discard and close', 'discard', 0, true],
    ['Save and close', 'close', 1, true],
    ['Save and close', 'keep', 1, false]
  ])(
    'is about unsaved changes too: %s',
    async (label, closing, saves, saved) => {
      const done = await asked(true, label, saved);
      expect(done.labels).toEqual([
        'Keep open',
        'Discard and close',
        'Save and close'
      ]);
      expect(done.text).toContain('Refine works on cell 2, cell 5.');
      expect(done.text).toContain('The notebook has unsaved changes.');
      expect([done.closing, done.saves.length]).toEqual([closing, saves]);
    }
  );
});
