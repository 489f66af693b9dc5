/** @jest-environment node */
import { evaluateInFrame } from '../frameRequest';

/** A frame of the debugger in which an expression has this value, or raises. */
const answer = (value: string | Error, isPaused = true) =>
  evaluateInFrame(
    {
      names: [],
      isPaused: () => isPaused,
      evaluate: () =>
        value instanceof Error ? Promise.reject(value) : Promise.resolve(value)
    },
    'call'
  ).answer;

describe('evaluateInFrame', () => {
  it('reads the report of the kernel part', async () => {
    const report = Buffer.from('{"state":"später"}').toString('base64');
    expect(await answer(`'${report}'`)).toMatchObject({
      status: 'ok',
      value: { state: 'später' }
    });
    expect(await answer('None')).toMatchObject({ status: 'ok' });
  });

  it.each([
    new Error('Traceback (most recent call last):\nKeyError: 1\n'),
    'KeyError: 1'
  ])('says what was raised, as %p', async raised => {
    expect(await answer(raised)).toEqual({
      status: 'raised',
      name: 'KeyError',
      message: '1'
    });
  });

  it('rejects when the debugger has left the frame', async () => {
    await expect(answer("'e30='", false)).rejects.toThrow(
      'The debugger left the line where this session started.'
    );
  });
});
