/** @jest-environment node */
import { cutPromptWarning } from '../chatModel';
import { Bench, collect, FIB, ofType, REQUEST } from '../../__tests__/support';

let bench: Bench;
afterEach(() => bench.server.close());

describe('usage', () => {
  it('that the provider omits is estimated from characters', async () => {
    bench = await Bench.open([
      { text: 'x'.repeat(41), reasoning: 'y'.repeat(3), usage: null }
    ]);
    const end = ofType(await collect(bench.model()), 'end')[0];
    expect(end.usage).toEqual({
      calls: 1,
      promptTokens: 17,
      completionTokens: 11,
      estimated: true,
      cost: null
    });
  });

  it('of a prompt that the server seems to have cut is warned of', async () => {
    const content = 'word '.repeat(4000);
    bench = await Bench.open([
      { text: FIB, usage: { prompt: 2048, completion: 9 } }
    ]);
    const events = await collect(bench.model(), {
      messages: [{ role: 'user', content }]
    });
    expect(ofType(events, 'warning')[0].message).toMatch(
      /read 2048 tokens of a prompt of about 5004/
    );
    expect(events.at(-1)).toMatchObject({ type: 'end' });
  });

  it.each([
    [REQUEST, { promptTokens: 1, completionTokens: 1 }],
    [
      { messages: [{ role: 'user', content: 'word '.repeat(4000) }] },
      { promptTokens: 4000, completionTokens: 1 }
    ],
    [{ messages: [{ role: 'user', content: 'word '.repeat(4000) }] }, null]
  ] as const)('gives no false alarm (%#)', async (request, reported) => {
    bench = await Bench.open();
    expect(cutPromptWarning(request, reported, 'm')).toBeNull();
  });
});
