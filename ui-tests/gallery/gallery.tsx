/** Renders the states of the panel on one page: `?width=280&only=ready,passed&click=ready/What will`. */
import { nullTranslator } from '@jupyterlab/translation';
import * as React from 'react';
import { createRoot } from 'react-dom/client';
import { FakeManager } from '../../src/ui/__tests__/fakeManager';
import { REQUEST } from '../../src/ui/__tests__/views';
import { PanelBody } from '../../src/ui/panelBody';
import { STATES } from './states';
import { measureStreaming } from './streaming';

const query = new URLSearchParams(location.search);
const width = Number(query.get('width') ?? 400);
const only = query.get('only')?.split(',');
const trans = nullTranslator.load('jupyterlab_refine');

function Gallery(): JSX.Element {
  return (
    <>
      {Object.entries(STATES)
        .filter(([name]) => only?.includes(name) ?? true)
        .map(([name, view]) => (
          <figure key={name} id={name}>
            <figcaption>{name}</figcaption>
            <div className="jp-RefinePanel" style={{ width }}>
              <PanelBody
                manager={
                  new FakeManager(view, [
                    { role: 'system', content: 'You write one cell.' },
                    { role: 'user', content: REQUEST.prompt }
                  ])
                }
                trans={trans}
              />
            </div>
          </figure>
        ))}
    </>
  );
}

const root = document.getElementById('gallery')!;
if (query.has('stream')) {
  void measureStreaming(root, trans, Number(query.get('stream')));
} else {
  createRoot(root).render(<Gallery />);
  // `click=passed/Prompt,running/locals`: open what is under these buttons.
  setTimeout(() => {
    for (const target of query.get('click')?.split(',') ?? []) {
      const [figure, label] = target.split('/');
      const buttons = document
        .getElementById(figure)
        ?.querySelectorAll('button');
      [...(buttons ?? [])]
        .find(b =>
          (b.getAttribute('aria-label') ?? b.textContent)?.includes(label)
        )
        ?.click();
    }
  }, 50);
}
