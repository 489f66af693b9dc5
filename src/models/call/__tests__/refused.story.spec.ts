/** @jest-environment node */
import type { ILanguageModel } from '../../../core/domain/model';
import { serverModel } from '../../server';
import { JupyterStub } from '../../__tests__/jupyterStub';
import {
  collect,
  failing,
  ofType,
  SHORT,
  textOf
} from '../../__tests__/support';

let stub: JupyterStub;
afterEach(() => stub.close());

async function modelThatSends(
  chunks: readonly object[],
  profile = 'work'
): Promise<ILanguageModel> {
  const events = chunks.map(chunk => `data: ${JSON.stringify(chunk)}\n\n`);
  stub = await JupyterStub.start(response => {
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    response.end(`${events.join('')}data: [DONE]\n\n`);
  });
  return serverModel({
    settings: stub.settings,
    profile,
    model: 'gpt-x',
    host: 'api.example.org',
    recorded: false,
    tuning: SHORT
  });
}

const chunk = (delta: object, finish: string | null = null) => ({
  choices: [{ index: 0, delta, finish_reason: finish }]
});

describe('an answer that is refused', () => {
  it.each(['content_filter', 'SAFETY'])(
    'names the filter of the finish reason %s, without a retry',
    async finish => {
      const model = await modelThatSends([
        chunk({ content: 'def ' }),
        chunk({}, finish)
      ]);
      const { error } = await failing(model);
      expect([error.kind, error.code]).toEqual(['model', 'refused']);
      expect(error.message).toContain(
        'The content filter of api.example.org stopped the answer of model gpt-x'
      );
      expect(stub.requests).toHaveLength(1);
    }
  );

  it('quotes what the model says instead, and is asked for once', async () => {
    const model = await modelThatSends([
      chunk({ refusal: 'I cannot ' }),
      chunk({ refusal: 'help with that.' }),
      chunk({}, 'stop')
    ]);
    const { error, events } = await failing(model);
    expect(error.message).toContain('Model gpt-x at api.example.org refused');
    expect(error.message).toContain('It says: "I cannot help with that."');
    expect(textOf(events)).toBe('');
    expect(stub.requests).toHaveLength(1);
  });
});

it('estimates a count that the server left out', async () => {
  const model = await modelThatSends([
    chunk({ content: 'hello' }, 'stop'),
    { choices: [], usage: { completion_tokens: 3 } }
  ]);
  const [end] = ofType(await collect(model), 'end');
  expect(end.usage).toMatchObject({ completionTokens: 3, estimated: true });
  expect(end.usage.promptTokens).toBeLessThan(100);
});

it('sends the name of a profile in any script', async () => {
  await collect(
    await modelThatSends([chunk({ content: 'hello' }, 'stop')], '研究')
  );
  const [{ headers }] = stub.requests;
  expect(decodeURIComponent(String(headers['x-refine-profile']))).toBe('研究');
});
