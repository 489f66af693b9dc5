/** Shows a rich output of an attempt with JupyterLab's renderers, never trusted. */
import { MimeModel, type IRenderMimeRegistry } from '@jupyterlab/rendermime';
import { DisposableDelegate } from '@lumino/disposable';
import { Widget } from '@lumino/widgets';
import type { DisplayData } from '../../core/domain/execution';
import type { IDisplayRenderer } from '../../tokens';
import { closedSanitizer } from './closedSanitizer';

/** Images by their data; in an `img`, an SVG runs no script and loads nothing. */
const IMAGES: Readonly<Record<string, (data: string) => string>> = {
  'image/png': base64('image/png'),
  'image/jpeg': base64('image/jpeg'),
  'image/gif': base64('image/gif'),
  'image/svg+xml': data =>
    `data:image/svg+xml;charset=utf-8,${encodeURIComponent(data)}`
};

/** Texts that JupyterLab renders; other forms (JavaScript, Vega, widgets) run code or load data. */
const TEXTS = ['text/html', 'text/markdown', 'text/latex'];

/** Longer ones would hold up the page. */
const TEXT_LIMIT = 300_000;

/** Knows nothing of the notebook: no address of a file or server is resolved. */
export function displayRenderer(
  rendermime: IRenderMimeRegistry
): IDisplayRenderer {
  const own = rendermime.clone({
    sanitizer: closedSanitizer(rendermime.sanitizer)
  });
  return {
    render: (display, label, host) => {
      const image = IMAGES[display.mime];
      if (image) {
        const node = imageOf(image(display.data), label);
        host.replaceChildren(node);
        return new DisposableDelegate(() => node.remove());
      }
      if (!canRender(display, own)) {
        return null;
      }
      const model = new MimeModel({
        data: { [display.mime]: display.data },
        trusted: false
      });
      const renderer = own.createRenderer(display.mime);
      void renderer.renderModel(model).catch(() => {
        host.textContent = display.text ?? display.data;
      });
      host.replaceChildren();
      Widget.attach(renderer, host);
      return renderer;
    }
  };
}

function canRender(
  { mime, data }: DisplayData,
  rendermime: IRenderMimeRegistry
): boolean {
  return (
    TEXTS.includes(mime) &&
    data.length <= TEXT_LIMIT &&
    rendermime.mimeTypes.includes(mime)
  );
}

function base64(mime: string): (data: string) => string {
  return data => `data:${mime};base64,${data.replace(/\s/g, '')}`;
}

function imageOf(source: string, label: string): HTMLImageElement {
  const image = document.createElement('img');
  image.src = source;
  image.alt = label;
  return image;
}
