/** Shows a rich output of an attempt with JupyterLab's renderers, never trusted. */
import {
  MimeModel,
  type IRenderMimeRegistry,
  type IRenderMime
} from '@jupyterlab/rendermime';
import { DisposableDelegate } from '@lumino/disposable';
import { Widget } from '@lumino/widgets';
import type { DisplayData } from '../../core/domain/execution';
import type { IDisplayRenderer } from '../../tokens';

/** What a page could load, run or send with; dropped with all that it contains. */
const DROPPED = [
  ...['script', 'style', 'link', 'meta', 'base', 'template', 'noscript'],
  ...['iframe', 'frame', 'object', 'embed', 'applet', 'svg', 'math'],
  ...['video', 'audio', 'source', 'track', 'picture', 'canvas', 'map'],
  ...['form', 'input', 'button', 'select', 'textarea', 'dialog']
].join(',');

/** Attributes that give a table or a text its form; `class`, `id`, `style` and `data-…` reach our own page. */
const KEPT: ReadonlySet<string> = new Set([
  ...['alt', 'title', 'width', 'height', 'colspan', 'rowspan', 'scope'],
  ...['align', 'valign', 'border', 'start', 'type', 'dir', 'lang', 'open']
]);

const IMAGE = /^data:image\/(png|jpeg|gif|webp|svg\+xml)[;,]/i;
const LINK = /^https?:\/\//i;

/** JupyterLab's sanitizer, then ours: images only from `data:` addresses, no styles, no names, links that are clicked. */
export function closedSanitizer(
  inner: IRenderMime.ISanitizer
): IRenderMime.ISanitizer {
  return {
    allowNamedProperties: false,
    allowCommandLinker: false,
    getAutolink: () => false,
    sanitize: dirty => closed(inner.sanitize(dirty))
  };
}

/** HTML without anything that loads, runs, or takes part in our page. */
export function closed(html: string): string {
  // A document of its own loads nothing while it is cleaned.
  const { body } = new DOMParser().parseFromString(html, 'text/html');
  body.querySelectorAll(DROPPED).forEach(element => element.remove());
  for (const element of [...body.querySelectorAll('*')]) {
    for (const { name, value } of [...element.attributes]) {
      const isKept =
        KEPT.has(name) ||
        (name === 'src' && element.localName === 'img' && IMAGE.test(value)) ||
        (name === 'href' && element.localName === 'a' && LINK.test(value));
      if (!isKept) {
        element.removeAttribute(name);
      }
    }
    if (element.localName === 'a' && element.hasAttribute('href')) {
      element.setAttribute('target', '_blank');
      element.setAttribute('rel', 'noopener noreferrer');
    }
    if (element.localName === 'img' && !element.hasAttribute('src')) {
      element.replaceWith(element.getAttribute('alt') ?? '');
    }
  }
  return body.innerHTML;
}

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
