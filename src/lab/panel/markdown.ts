/** Markdown of a model, rendered by JupyterLab without anything that loads from outside. */
import {
  MimeModel,
  type IRenderMime,
  type IRenderMimeRegistry
} from '@jupyterlab/rendermime';

import type { PanelFactories } from '../../tokens';

const MARKDOWN = 'text/markdown';

/** Text, lists, tables and code; no images, styles, forms or frames: they would fetch from a server that the model names. */
const ALLOWED: IRenderMime.ISanitizerOptions = {
  allowedTags: [
    ...['p', 'br', 'hr', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'blockquote'],
    ...['ul', 'ol', 'li', 'dl', 'dt', 'dd', 'a', 'b', 'i', 'em', 'strong'],
    ...['del', 's', 'sub', 'sup', 'kbd', 'code', 'pre', 'span', 'div'],
    ...['table', 'thead', 'tbody', 'tr', 'th', 'td']
  ],
  allowedAttributes: {
    a: ['href', 'title'],
    code: ['class'],
    pre: ['class'],
    span: ['class'],
    ol: ['start'],
    th: ['align'],
    td: ['align']
  },
  allowedStyles: {}
};

/** The sanitizer of the application, narrowed to {@link ALLOWED}. */
function narrowed(inner: IRenderMime.ISanitizer): IRenderMime.ISanitizer {
  return {
    sanitize: dirty => inner.sanitize(dirty, ALLOWED),
    getAutolink: () => inner.getAutolink?.() ?? true
  };
}

/** Makes renderers of Markdown; null where the application renders none. */
export function markdownRenderers(
  rendermime: IRenderMimeRegistry
): PanelFactories['createMarkdown'] {
  const safe = rendermime.clone({ sanitizer: narrowed(rendermime.sanitizer) });
  if (!safe.getFactory(MARKDOWN)) {
    return null;
  }
  return () => {
    const renderer = safe.createRenderer(MARKDOWN);
    return {
      node: renderer.node,
      show: text =>
        renderer.renderModel(
          new MimeModel({ data: { [MARKDOWN]: text }, trusted: false })
        ),
      dispose: () => renderer.dispose()
    };
  };
}
