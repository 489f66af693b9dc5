/** @jest-environment node */
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { sha256 } from '../sha256';

describe('sha256', () => {
  it.each([
    ['', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
    ['abc', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
    [
      'abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq',
      '248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1'
    ]
  ])('gives the digest of the standard for %j', (text, digest) => {
    expect(sha256(text)).toBe(digest);
  });

  it('agrees with another implementation on any text and length', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), text => {
        const other = createHash('sha256').update(text, 'utf8').digest('hex');
        expect(sha256(text)).toBe(other);
      })
    );
  });
});
