/** @jest-environment node */
import { ServerConnection } from '@jupyterlab/services';
import { nullTranslator } from '@jupyterlab/translation';
import { demoNotebook } from '../demo';

const trans = nullTranslator.load('jupyterlab_refine');

function serverThatAnswers(status: number, body: string) {
  const fetch = jest
    .fn()
    .mockImplementation(() => Promise.resolve(new Response(body, { status })));
  const settings = ServerConnection.makeSettings({
    baseUrl: 'http://localhost/base/',
    fetch,
    Request: Request
  });
  return { settings, fetch };
}

it('has the server make the notebook and returns its path', async () => {
  const { settings, fetch } = serverThatAnswers(
    200,
    '{"path": "refine-demo/fibonacci.ipynb", "created": false}'
  );
  expect(await demoNotebook(settings, trans)).toBe(
    'refine-demo/fibonacci.ipynb'
  );
  const [request] = fetch.mock.calls[0] as [Request];
  expect(request.method).toBe('POST');
  expect(new URL(request.url).pathname).toBe('/base/jupyterlab-refine/v1/demo');
});

it('says that an old server must be restarted', async () => {
  const { settings } = serverThatAnswers(404, 'Not found');
  await expect(demoNotebook(settings, trans)).rejects.toThrow(
    /Restart the server/
  );
});

it.each([
  [500, '{"error": {"message": "disk full"}}'],
  [200, '<html>Log in</html>']
])('says that nothing was written on %i', async (status, body) => {
  const { settings } = serverThatAnswers(status, body);
  await expect(demoNotebook(settings, trans)).rejects.toThrow(
    `status ${status}`
  );
});
