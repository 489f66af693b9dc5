/** @jest-environment node */
import { ServerConnection } from '@jupyterlab/services';
import { nullTranslator } from '@jupyterlab/translation';
import { Signal } from '@lumino/signaling';
import type { IRefineModels } from '../../../../tokens';
import { ModelCatalog } from '../modelCatalog';

function catalogOf(asked: string[]): ModelCatalog {
  const body = { version: '0', default: null, hints: [], profiles: [] };
  const settings = ServerConnection.makeSettings({
    baseUrl: 'http://localhost:1/',
    fetch: async input => {
      asked.push(new URL((input as Request).url).search);
      return new Response(JSON.stringify(body));
    }
  });
  const added = {
    items: new Map(),
    changed: new Signal({})
  } as unknown as IRefineModels;
  return new ModelCatalog(settings, nullTranslator.load(''), () => '', added);
}

it('has the server ask the providers only on request', async () => {
  const asked: string[] = [];
  const catalog = catalogOf(asked);
  await catalog.refresh();
  await catalog.refresh(true);
  expect(asked).toEqual([
    expect.not.stringContaining('refresh=1'),
    expect.stringContaining('refresh=1')
  ]);
});
