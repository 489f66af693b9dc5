import { LabIcon } from '@jupyterlab/ui-components';

/** A score that rises over three attempts: the panel's own spark line. */
export const refineIcon = new LabIcon({
  name: 'jupyterlab-refine:refine',
  svgstr: `<svg xmlns="http://www.w3.org/2000/svg" width="16" viewBox="0 0 24 24">
  <g class="jp-icon3" fill="#616161">
    <path d="M4.9 17.7 3.7 16.1l6.6-5.2 4.2 3.1 4.9-7.1 1.6 1.2-6.1 8.8-4.7-3.4z"/>
    <circle cx="4.3" cy="17" r="2.3"/>
    <circle cx="10.3" cy="12.2" r="2.3"/>
    <circle cx="14.8" cy="15.4" r="2.3"/>
    <circle cx="20" cy="7.2" r="2.3"/>
  </g>
</svg>`
});
