import { recent } from '../recent';

it('computes once for the texts used last, and again for older ones', () => {
  const computed: string[] = [];
  const size = recent(text => {
    computed.push(text);
    return { size: text.length };
  });
  expect(size('a')).toBe(size('a'));
  expect(computed).toEqual(['a']);
  const others = Array.from({ length: 64 }, (_, i) => `other ${i}`);
  others.slice(0, 63).forEach(size);
  size('a');
  size('one more');
  expect(size('a')).toEqual({ size: 1 });
  expect(computed.filter(text => text === 'a')).toHaveLength(1);
  others.forEach(size);
  size('a');
  expect(computed.filter(text => text === 'a')).toHaveLength(2);
});

it('keeps no long text', () => {
  let count = 0;
  const size = recent(text => {
    count += 1;
    return text.length;
  });
  const long = 'x'.repeat(20_001);
  expect([size(long), size(long), count]).toEqual([20_001, 20_001, 2]);
});
