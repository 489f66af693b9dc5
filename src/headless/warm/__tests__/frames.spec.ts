/** @jest-environment node */
import { encodeFrame, FrameReader } from '../frames';

const frames = [{ a: 'é\u{1f600}' }, [1, 2], {}, { long: 'x'.repeat(100_000) }];

it.each([1, 3, 7, 4096, 1_000_000])(
  'reads frames that come in chunks of %d bytes',
  size => {
    const bytes = Buffer.concat(frames.map(encodeFrame));
    const read: unknown[] = [];
    const reader = new FrameReader(value => read.push(value));
    for (let at = 0; at < bytes.length; at += size) {
      reader.push(bytes.subarray(at, at + size));
    }
    expect(read).toEqual(frames);
  }
);

it('gives a frame only when its last byte is there', () => {
  const read: unknown[] = [];
  const reader = new FrameReader(value => read.push(value));
  const bytes = encodeFrame({ a: 1 });
  reader.push(bytes.subarray(0, -1));
  expect(read).toEqual([]);
  reader.push(bytes.subarray(-1));
  expect(read).toEqual([{ a: 1 }]);
});
