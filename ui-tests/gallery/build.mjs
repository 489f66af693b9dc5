/**
 * Builds the gallery of the panel's states into `dist/`: one page for each of
 * JupyterLab's themes, whose variables come from the JupyterLab in `.venv`.
 *
 *   node ui-tests/gallery/build.mjs && node ui-tests/gallery/shoot.mjs
 */
import { build } from 'esbuild';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, '..', '..');
const out = join(here, 'dist');

mkdirSync(out, { recursive: true });
await build({
  entryPoints: [join(here, 'gallery.tsx')],
  outfile: join(out, 'gallery.js'),
  bundle: true,
  format: 'iife',
  jsx: 'transform',
  define: { 'process.env.NODE_ENV': '"production"', process: '{"env":{}}' },
  alias: { 'react-dom/client': 'react-dom/profiling' },
  logLevel: 'warning'
});
await build({
  entryPoints: [join(root, 'style', 'ui.css')],
  outfile: join(out, 'ui.css'),
  bundle: true,
  logLevel: 'warning'
});
copyFileSync(
  join(root, 'node_modules/@jupyterlab/application/style/buttons.css'),
  join(out, 'buttons.css')
);
for (const theme of ['light', 'dark']) {
  const variables = readFileSync(
    join(
      root,
      `.venv/share/jupyter/lab/themes/@jupyterlab/theme-${theme}-extension/index.css`
    ),
    'utf8'
  );
  writeFileSync(join(out, `${theme}.css`), variables);
  writeFileSync(join(out, `${theme}.html`), page(theme));
}

function page(theme) {
  return `<!doctype html>
<meta charset="utf-8">
<title>Refine: ${theme}</title>
<link rel="stylesheet" href="${theme}.css">
<link rel="stylesheet" href="buttons.css">
<link rel="stylesheet" href="ui.css">
<style>
  body { margin: 0; padding: 16px; background: #888; font-family: sans-serif; }
  #gallery { columns: auto; column-gap: 20px; }
  #gallery:has(figure) { display: flex; flex-wrap: wrap; gap: 20px; align-items: flex-start; }
  figure { margin: 0; }
  figcaption { font-size: 11px; margin-bottom: 2px; color: #000; }
  figure .jp-Refine { height: auto; overflow: visible; border: 1px solid var(--jp-border-color1); }
</style>
<body class="jp-ThemedContainer" data-jp-theme-light="${theme === 'light'}">
<div id="gallery"></div>
<script src="gallery.js"></script>
`;
}
