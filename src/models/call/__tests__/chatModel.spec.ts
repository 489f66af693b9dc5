/** @jest-environment node */
import { ChatModel } from '../chatModel';
import { ParameterMemory } from '../parameters';
import { collect } from '../../__tests__/support';

it('sends no half of a surrogate pair', async () => {
  let body = '';
  const model = new ChatModel(
    {
      identity: { profile: 'p', model: 'm', host: 'h', recorded: false },
      baseURL: 'http://h/v1',
      headers: {},
      prices: null,
      fetch: async (_, init) => {
        body = String(init?.body);
        const chunk = { choices: [{ delta: { content: 'x' } }] };
        return new Response(
          `data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`,
          { headers: { 'Content-Type': 'text/event-stream' } }
        );
      }
    },
    { memory: new ParameterMemory() }
  );
  await collect(model, { messages: [{ role: 'user', content: 'a\ud83db' }] });
  expect(JSON.parse(body).messages).toEqual([
    { role: 'user', content: 'a\ufffdb' }
  ]);
});
