import { Widget } from '@lumino/widgets';
import { guardClosing } from '../closingPlugin';

class Closable extends Widget {
  readonly closed = jest.fn();

  protected override onCloseRequest(): void {
    this.closed();
  }
}

const settled = () => new Promise(resolve => setTimeout(resolve, 0));

function setUp(answer: boolean, cells: string[]) {
  const widget = new Closable();
  const agree = jest.fn(() => Promise.resolve(answer));
  guardClosing(widget, () => cells, agree);
  return { widget, agree };
}

it('closes at once where nothing runs', () => {
  const { widget, agree } = setUp(false, []);
  widget.close();
  expect(widget.closed).toHaveBeenCalledTimes(1);
  expect(agree).not.toHaveBeenCalled();
});

it('stays open when the user does not agree', async () => {
  const { widget, agree } = setUp(false, ['cell 2']);
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
  const { widget, agree } = setUp(true, ['cell 2']);
  widget.close();
  expect(widget.closed).not.toHaveBeenCalled();
  await settled();
  expect(widget.closed).toHaveBeenCalledTimes(1);
  // The document manager may have asked about unsaved changes, and kept it open.
  widget.close();
  expect(agree).toHaveBeenCalledTimes(2);
});
