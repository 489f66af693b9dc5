/** @jest-environment node */
import { FakeClock } from '../../testing/fakeClock';
import { recordedModel } from '../recorded';
import { collect, failing, REQUEST, textOf } from './support';

const asking = (content: string) => ({
  messages: [{ role: 'user' as const, content }]
});

describe('a recorded model', () => {
  it('is labelled recorded and costs nothing', async () => {
    const model = recordedModel({
      answers: [{ text: 'hello' }],
      model: 'gpt-4o',
      tokensPerSecond: 0
    });
    expect(model.identity).toEqual({
      profile: 'recorded',
      model: 'gpt-4o',
      host: 'recorded',
      recorded: true
    });
    expect((await collect(model)).at(-1)).toMatchObject({
      usage: { calls: 1, cost: 0, estimated: true }
    });
  });

  it('gives each answer once, the first that matches', async () => {
    const model = recordedModel({
      answers: [
        { match: ['fib', 'KeyError'], text: 'second' },
        { match: ['fib'], text: 'first' }
      ],
      model: 'm',
      tokensPerSecond: 0
    });
    expect(textOf(await collect(model, asking('fib')))).toBe('first');
    expect(textOf(await collect(model, asking('fib: KeyError')))).toBe(
      'second'
    );
    const { error } = await failing(model, asking('fib'));
    expect(error.code).toBe('demo-only');
    expect(error.message).toContain('0 of 2 answers left');
  });

  it('separates reasoning, with whole characters in every part', async () => {
    const text = '🎉'.repeat(9);
    const model = recordedModel({
      answers: [{ reasoning: 'why', text }],
      model: 'm',
      tokensPerSecond: 0
    });
    const events = await collect(model);
    expect(textOf(events, 'reasoning')).toBe('why');
    expect(textOf(events)).toBe(text);
  });

  it('keeps the pace on its clock', async () => {
    const clock = new FakeClock(0);
    const model = recordedModel({
      answers: [{ text: 'x'.repeat(40) }],
      model: 'm',
      tokensPerSecond: 10,
      clock
    });
    const run = collect(model);
    for (let i = 0; i < 10; i += 1) {
      await clock.advance(100);
    }
    await run;
    expect(clock.now()).toBe(1000);
  });

  it('stops between two parts', async () => {
    const controller = new AbortController();
    const model = recordedModel({
      answers: [{ text: 'x'.repeat(400) }],
      model: 'm',
      tokensPerSecond: 200
    });
    const run = (async () => {
      for await (const event of model.generate(REQUEST, controller.signal)) {
        expect(event.type).toBe('text');
        controller.abort();
      }
    })();
    await expect(run).rejects.toMatchObject({ name: 'AbortError' });
  });
});
