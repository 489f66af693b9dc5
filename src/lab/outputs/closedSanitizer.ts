/** Sanitizes HTML of an attempt, which nobody has trusted: it loads nothing, runs nothing and looks like nothing of ours. */
import type { IRenderMime } from '@jupyterlab/rendermime';

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
