/** @jest-environment node */
import { ScriptedServer, type RequestRecord } from '../scriptedServer';

let server: ScriptedServer;
afterEach(() => server.close());

const chat = (content: string, more: object = {}) =>
  fetch(`${server.baseUrl}/chat/completions`, {
    method: 'POST',
    headers: { Authorization: 'Bearer k' },
    body: JSON.stringify({
      model: 'm',
      messages: [{ role: 'user', content }],
      ...more
    })
  });

const textOf = async (response: Response) =>
  (
    (await response.json()) as {
      choices: { message: { content: string } }[];
    }
  ).choices[0].message.content;

describe('the scripted server', () => {
  it('answers in order, and says when the script is used up', async () => {
    server = await ScriptedServer.start({
      answers: [{ text: 'one' }, { text: 'two', times: 2 }]
    });
    const texts: string[] = [];
    for (let i = 0; i < 3; i += 1) {
      texts.push(await textOf(await chat('x')));
    }
    expect(texts).toEqual(['one', 'two', 'two']);
    const last = await chat('x');
    expect(last.status).toBe(400);
    expect(await last.text()).toContain('script_exhausted');
  });

  it('answers by what the prompt holds', async () => {
    server = await ScriptedServer.start({
      answers: [
        { match: 'KeyError', text: 'fixed', times: 0 },
        { text: 'first', times: 0 }
      ]
    });
    expect(await textOf(await chat('task'))).toBe('first');
    expect(await textOf(await chat('KeyError: x'))).toBe('fixed');
    expect(await textOf(await chat('task'))).toBe('first');
  });

  it('streams tokens that join to the text, then usage when asked', async () => {
    server = await ScriptedServer.start({
      answers: [{ text: 'Grüße an alle', times: 0 }]
    });
    const body = await (
      await chat('x', { stream: true, stream_options: { include_usage: true } })
    ).text();
    const events = body.split('\n\n').filter(Boolean);
    expect(events.at(-1)).toBe('data: [DONE]');
    const chunks = events.slice(0, -1).map(
      event =>
        JSON.parse(event.slice('data: '.length)) as {
          choices: { delta: { content?: string } }[];
          usage?: object;
        }
    );
    expect(
      chunks.map(chunk => chunk.choices[0]?.delta.content ?? '').join('')
    ).toBe('Grüße an alle');
    expect(chunks.at(-1)).toMatchObject({
      choices: [],
      usage: { prompt_tokens: 1, completion_tokens: 4 }
    });
    expect(await (await chat('x', { stream: true })).text()).not.toContain(
      'usage'
    );
  });

  it('keeps the pace', async () => {
    server = await ScriptedServer.start({
      answers: [{ text: 'x'.repeat(40), tokensPerSecond: 50 }]
    });
    const start = Date.now();
    await (await chat('x', { stream: true })).text();
    expect(Date.now() - start).toBeGreaterThanOrEqual(180);
  });

  it('stamps chunks with the time of their write', async () => {
    server = await ScriptedServer.start({
      answers: [{ text: 'x'.repeat(8), stamped: true }]
    });
    const start = Date.now();
    const body = await (await chat('x', { stream: true })).text();
    const times = [...body.matchAll(/"id":"chatcmpl-(\d+)"/g)];
    expect(times.length).toBeGreaterThan(1);
    for (const [, time] of times) {
      expect(Number(time)).toBeGreaterThanOrEqual(start);
      expect(Number(time)).toBeLessThanOrEqual(Date.now());
    }
  });

  it('lists models, and wants the key where the script has one', async () => {
    server = await ScriptedServer.start({ models: ['a', 'b'], key: 'k' });
    const url = `${server.baseUrl}/models`;
    expect((await fetch(url)).status).toBe(401);
    const response = await fetch(url, {
      headers: { Authorization: 'Bearer k' }
    });
    expect(await response.json()).toMatchObject({
      data: [{ id: 'a' }, { id: 'b' }]
    });
  });

  it('records requests, with headers and what became of them', async () => {
    server = await ScriptedServer.start({ answers: [{ text: 'one' }] });
    await (await chat('x', { stream: true })).text();
    await server.log.until(records => records[0].state === 'done');
    expect(server.log.records[0]).toMatchObject({
      index: 0,
      method: 'POST',
      path: '/v1/chat/completions',
      headers: { authorization: 'Bearer k' },
      body: { model: 'm' },
      answer: 0,
      status: 200,
      tokensSent: 1
    });
  });

  it('records when a client goes', async () => {
    server = await ScriptedServer.start({
      answers: [{ text: 'x'.repeat(4000), tokensPerSecond: 20 }]
    });
    const controller = new AbortController();
    const response = await fetch(`${server.baseUrl}/chat/completions`, {
      method: 'POST',
      body: JSON.stringify({ model: 'm', messages: [], stream: true }),
      signal: controller.signal
    });
    await response.body?.getReader().read();
    controller.abort();
    await server.log.until(([record]) => record.state === 'aborted', 1000);
    expect(server.log.records[0].endedAt).toBeGreaterThan(0);
  });

  it('does not take its own cut for a client that goes', async () => {
    server = await ScriptedServer.start({
      answers: [
        { text: 'xxxx'.repeat(9), fault: { type: 'cut', afterTokens: 2 } }
      ]
    });
    await expect(
      chat('x', { stream: true }).then(response => response.text())
    ).rejects.toThrow();
    await server.log.until(([record]) => record.state === 'done');
  });

  it('is controlled over HTTP', async () => {
    server = await ScriptedServer.start({ answers: [{ text: 'old' }] });
    const post = (route: string, body: unknown = {}) =>
      fetch(server.url + route, { method: 'POST', body: JSON.stringify(body) });
    const log = async () =>
      (await (
        await fetch(`${server.url}/__requests`)
      ).json()) as RequestRecord[];
    await (await chat('x')).text();
    expect(await log()).toHaveLength(1);
    expect((await post('/__reset')).status).toBe(200);
    expect(await log()).toEqual([]);
    expect(await textOf(await chat('x'))).toBe('old');
    await post('/__script', { answers: [{ text: 'new' }] });
    expect(await textOf(await chat('x'))).toBe('new');
    const wrong = await post('/__script', { answers: [{ txt: 'new' }] });
    expect(wrong.status).toBe(400);
    expect(await wrong.text()).toContain('txt');
  });

  it('refuses a script with a misspelt fault', async () => {
    server = await ScriptedServer.start();
    expect(() =>
      server.load(
        JSON.parse('{"answers":[{"fault":{"type":"stal"}}]}') as object
      )
    ).toThrow();
  });
});
