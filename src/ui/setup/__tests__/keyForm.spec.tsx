import { panel, show, type } from '../../__tests__/renderPanel';
import * as React from 'react';

const KEY = 'sk-canary-0123456789';

beforeEach(async () => {
  show({ models: { status: 'no-model', hints: [], profiles: [] } });
  await panel.click('Enter a key');
});

function inputs(): readonly HTMLInputElement[] {
  return [...panel.host.querySelectorAll('input')];
}

/** Everything React keeps of the panel, as text. */
function reactState(): string {
  const root = Object.entries(panel.host).find(([name]) =>
    name.startsWith('__reactContainer')
  )?.[1] as object;
  const seen = new Set<object>();
  const texts: string[] = [];
  const visit = (value: unknown) => {
    if (typeof value === 'string') {
      texts.push(value);
    } else if (
      typeof value === 'object' &&
      value !== null &&
      !seen.has(value) &&
      !(value instanceof Node)
    ) {
      seen.add(value);
      Object.values(value).forEach(visit);
    }
  };
  visit(root);
  return texts.join('\n');
}

async function submit(): Promise<void> {
  await React.act(async () => {
    panel.host
      .querySelector('form')!
      .dispatchEvent(new Event('submit', { bubbles: true, cancelable: true }));
  });
}

it('hides what is typed and offers it to no password store', () => {
  expect(inputs()[0].type).toBe('password');
  expect(inputs()[0].autocomplete).toBe('off');
  expect(document.activeElement).toBe(inputs()[0]);
});

it('hands key and address to the manager and forgets them', async () => {
  type(inputs()[0], KEY);
  expect(reactState()).not.toContain(KEY);
  type(inputs()[1], 'http://localhost:8000/v1');
  await submit();
  expect(panel.manager.calls).toEqual([
    ['setKey', KEY, 'http://localhost:8000/v1']
  ]);
  expect(inputs()).toHaveLength(0);
  panel.manager.calls.length = 0;
  expect(reactState()).not.toContain(KEY);
});

it('sends no address when there is none', async () => {
  type(inputs()[0], KEY);
  await submit();
  expect(panel.manager.calls).toEqual([['setKey', KEY, null]]);
});

it('asks for one of the two', async () => {
  await submit();
  expect(panel.manager.calls).toEqual([]);
  expect(panel.text()).toContain('Enter a key, a server URL, or both.');
});

it('shows a refusal without the key, and lets the user try again', async () => {
  panel.manager.failure = new Error(`401: bad key ${KEY}`);
  type(inputs()[0], KEY);
  await submit();
  expect(panel.text()).toContain('401: bad key •••');
  expect(inputs()[0].value).toBe('');
  expect(panel.host.innerHTML).not.toContain(KEY);
  expect(inputs()[0].disabled).toBe(false);
});
