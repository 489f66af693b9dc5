/** Renders the panel over a manager that remembers what was asked of it, with timers and frames in the test's hand. */
import { nullTranslator } from '@jupyterlab/translation';
import { Signal } from '@lumino/signaling';
import * as React from 'react';
import { createRoot } from 'react-dom/client';
import type { Outcome } from '../../core/domain/outcome';
import type { SessionState } from '../../core/events/state';
import type { IRefineManager, PanelFactories, RefineView } from '../../tokens';
import { PanelBody } from '../panelBody';
import { ended, outcome, session, view } from './views';

/** Milliseconds that surely hold one animation frame. */
const FRAME = 20;

const SIGNS: Readonly<Record<string, string>> = {
  INS: '+',
  DEL: '-',
  SPAN: ' '
};

/** Plain elements in place of JupyterLab's. */
export const FACTORIES: PanelFactories = {
  renderer: { render: () => null },
  createMarkdown: null,
  createEditor: (host, { source, label }) => {
    const area = document.createElement('textarea');
    area.setAttribute('aria-label', label);
    area.value = source;
    host.appendChild(area);
    return {
      source: () => area.value,
      focus: () => area.focus(),
      dispose: () => area.remove()
    };
  }
};

/** What would be sent. */
const PREVIEW = [
  { role: 'system', content: 'You write one cell.' },
  { role: 'user', content: 'The exact text.' }
];

type Call = readonly [name: string, ...args: unknown[]];

type FakeManager = IRefineManager & {
  readonly calls: Call[];
  /** Rejects the next asynchronous call. */
  failure: Error | null;
  readonly show: (change: Partial<RefineView>) => void;
};

export function fakeManager(view: RefineView): FakeManager {
  const calls: Call[] = [];
  const own = {
    calls,
    failure: null as Error | null,
    isDisposed: false,
    get view() {
      return view;
    },
    show: (change: Partial<RefineView>) => {
      view = { ...view, ...change };
      viewChanged.emit();
    }
  };
  const called = async (...call: Call) => {
    calls.push(call);
    const { failure } = own;
    own.failure = null;
    if (failure !== null) {
      throw failure;
    }
    return call[0] === 'previewRequest' ? PREVIEW : undefined;
  };
  const manager = new Proxy(own, {
    get: (target, name) =>
      name === 'viewChanged'
        ? viewChanged
        : typeof name === 'symbol' || name in target
          ? Reflect.get(target, name)
          : (...args: unknown[]) => called(name, ...args)
  }) as unknown as FakeManager;
  const viewChanged = new Signal<IRefineManager, void>(manager);
  return manager;
}

export type RenderedPanel = ReturnType<typeof renderPanel>;

/** The panel of a test; it goes away after it. */
export let panel: RenderedPanel;

afterEach(() => panel?.unmount());

/** Render the panel with a view that differs in this from a cell that is ready to be refined. */
export function show(change: Partial<RefineView>): RenderedPanel {
  panel?.unmount();
  panel = renderPanel(view(change));
  return panel;
}

/** The same with a session that differs in this from one that runs. */
export function showSession(change: Partial<SessionState> = {}): RenderedPanel {
  return show({ session: session(change) });
}

/** A session that ended like this. */
export function showEnd(
  end: Partial<Outcome>,
  change: Partial<SessionState> = {}
): RenderedPanel {
  return show({ session: ended(outcome(end), change) });
}

/** Where a hint is written. */
export function hintField(): HTMLTextAreaElement {
  return panel.host.querySelector<HTMLTextAreaElement>(
    '.jp-Refine-hint textarea'
  )!;
}

function renderPanel(shown: RefineView) {
  Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });
  jest.useFakeTimers();
  const manager = fakeManager(shown);
  const trans = nullTranslator.load('jupyterlab_refine');
  const host = document.createElement('div');
  document.body.append(host);
  const root = createRoot(host);
  React.act(() =>
    root.render(
      <PanelBody manager={manager} trans={trans} factories={FACTORIES} />
    )
  );

  const find = (label: string) =>
    [...host.querySelectorAll('button')].find(button =>
      `${button.getAttribute('aria-label') ?? ''} ${button.textContent}`.includes(
        label
      )
    );
  /** The button whose label or text contains this; throws without one. */
  const button = (label: string) => {
    const found = find(label);
    if (found === undefined) {
      throw new Error(`No button "${label}" in: ${host.textContent}`);
    }
    return found;
  };
  /** The row of an attempt; throws without one. */
  const row = (attempt: number) => {
    const found = [
      ...host.querySelectorAll<HTMLElement>('.jp-Refine-attempt')
    ].find(element =>
      element
        .querySelector('.jp-Refine-number')
        ?.textContent?.endsWith(` ${attempt}`)
    );
    if (found === undefined) {
      throw new Error(`No row for attempt ${attempt}.`);
    }
    return found;
  };
  /** Click, and let promises and frames pass. */
  const click = async (label: string) => {
    await React.act(async () => {
      button(label).click();
      await Promise.resolve();
      jest.advanceTimersByTime(FRAME);
    });
  };
  return {
    manager,
    host,
    row,
    click,
    /** Open the menu of an attempt. */
    more: (attempt: number) => click(`More of attempt ${attempt}`),
    /** Its lines of code, each after ` `, `+` or `-`. */
    lines: (attempt: number) =>
      [...row(attempt).querySelectorAll('.jp-Refine-line')].map(
        line => SIGNS[line.tagName] + line.textContent
      ),
    /** The text of each element. */
    texts: (selector: string) =>
      [...host.querySelectorAll(selector)].map(node => node.textContent),
    /** All text, blanks collapsed. */
    text: () => (host.textContent ?? '').replace(/\s+/g, ' '),
    /** Show a changed view and paint it. */
    show: (change: Partial<RefineView>) =>
      React.act(() => {
        manager.show(change);
        jest.advanceTimersByTime(FRAME);
      }),
    button,
    hasButton: (label: string) => find(label) !== undefined,
    unmount: () => {
      if (host.isConnected) {
        React.act(() => root.unmount());
        host.remove();
        jest.useRealTimers();
      }
    }
  };
}

/** What a user's typing does to a React input. */
export function type(
  element: HTMLInputElement | HTMLTextAreaElement,
  text: string
): void {
  const prototype = Object.getPrototypeOf(element) as object;
  React.act(() => {
    Object.getOwnPropertyDescriptor(prototype, 'value')?.set?.call(
      element,
      text
    );
    element.dispatchEvent(new Event('input', { bubbles: true }));
  });
}

export function press(
  element: Element,
  key: string,
  modifiers: KeyboardEventInit = {}
): void {
  React.act(() => {
    element.dispatchEvent(
      new KeyboardEvent('keydown', {
        key,
        bubbles: true,
        cancelable: true,
        ...modifiers
      })
    );
  });
}
