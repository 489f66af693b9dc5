/** Rich outputs: a renderer is attached while it is shown, and ends without taking the panel with it. */
import { Widget } from '@lumino/widgets';
import * as React from 'react';
import { act } from 'react';
import { createRoot } from 'react-dom/client';
import type { IDisplayRenderer } from '../../../tokens';
import {
  PanelServicesContext,
  type PanelServices
} from '../../shared/services';
import { DisplayList } from '../attemptDetails';

const services = {
  trans: { __: (text: string) => text, _n: (text: string) => text }
} as unknown as PanelServices;
const widgets: Widget[] = [];
const renderer: IDisplayRenderer = {
  render: (_, __, host) => {
    const widget = new Widget();
    Widget.attach(widget, host);
    widgets.push(widget);
    return widget;
  }
};

it('disposes of attached renderers when the list is removed', () => {
  const host = document.body.appendChild(document.createElement('div'));
  const root = createRoot(host);
  const show = (visible: boolean) =>
    act(() =>
      root.render(
        <PanelServicesContext.Provider value={{ ...services, renderer }}>
          {visible ? (
            <section>
              <DisplayList
                displays={[{ mime: 'text/html', data: '<b>1</b>' }]}
              />
            </section>
          ) : null}
        </PanelServicesContext.Provider>
      )
    );
  show(true);
  expect(widgets.map(({ isAttached }) => isAttached)).toEqual([true]);
  expect(() => show(false)).not.toThrow();
  expect(widgets.map(({ isDisposed }) => isDisposed)).toEqual([true]);
  root.unmount();
  host.remove();
});
