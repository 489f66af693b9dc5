import { LabIcon } from '@jupyterlab/ui-components';

const svg = (body: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="16" viewBox="0 0 24 24"><g class="jp-icon3" fill="#616161">${body}</g></svg>`;

/** Lines of a cell that close in on a tick. */
export const refineIcon = new LabIcon({
  name: 'jupyterlab-refine:icon',
  svgstr: svg(
    '<path d="M3 5h18v2H3zM3 10h12v2H3zM3 15h7v2H3z"/><path d="m15.6 20.6-3.7-3.7 1.4-1.4 2.3 2.3 5.3-5.3 1.4 1.4z"/>'
  )
});

/** A tick alone: check what is there. */
export const checkIcon = new LabIcon({
  name: 'jupyterlab-refine:check',
  svgstr: svg('<path d="m9.5 18.5-6-6L5 11l4.5 4.5L19 6l1.5 1.5z"/>')
});

/** A wrench: fix the error of a cell. */
export const fixIcon = new LabIcon({
  name: 'jupyterlab-refine:fix',
  svgstr: svg(
    '<path d="M21.2 6.6a6 6 0 0 1-7.9 7.3L6.6 20.6a2.2 2.2 0 0 1-3.2-3.2l6.7-6.7A6 6 0 0 1 17.4 2.8L14 6.2l.6 3.2 3.2.6z"/>'
  )
});
