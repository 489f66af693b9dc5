/**
 * SHA-256 (FIPS 180-4) of a text. The browser's own is asynchronous and missing
 * on plain http; hashes here are needed while a cell is being drawn.
 */

const ROUND_CONSTANTS = fractionalCubeRoots(64);
const INITIAL_STATE = fractionalSquareRoots(8);

/** Hash of the text's UTF-8 bytes, 64 hexadecimal digits. */
export function sha256(text: string): string {
  const bytes = new TextEncoder().encode(text);
  const padded = new Uint8Array((((bytes.length + 8) >> 6) + 1) << 6);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, Math.floor(bytes.length / 0x20000000));
  view.setUint32(padded.length - 4, bytes.length << 3);

  const state = Uint32Array.from(INITIAL_STATE);
  const schedule = new Uint32Array(64);
  for (let offset = 0; offset < padded.length; offset += 64) {
    for (let i = 0; i < 16; i++) {
      schedule[i] = view.getUint32(offset + 4 * i);
    }
    compress(state, schedule);
  }
  return Array.from(state, word => word.toString(16).padStart(8, '0')).join('');
}

/** One block: extends the first 16 words of `schedule` to 64 and mixes them into `state`. */
function compress(state: Uint32Array, schedule: Uint32Array): void {
  for (let i = 16; i < 64; i++) {
    const w15 = schedule[i - 15];
    const w2 = schedule[i - 2];
    const s0 = rotate(w15, 7) ^ rotate(w15, 18) ^ (w15 >>> 3);
    const s1 = rotate(w2, 17) ^ rotate(w2, 19) ^ (w2 >>> 10);
    schedule[i] = schedule[i - 16] + s0 + schedule[i - 7] + s1;
  }
  let [a, b, c, d, e, f, g, h] = state;
  for (let i = 0; i < 64; i++) {
    const s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
    const choice = (e & f) ^ (~e & g);
    const t1 = (h + s1 + choice + ROUND_CONSTANTS[i] + schedule[i]) | 0;
    const s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
    const majority = (a & b) ^ (a & c) ^ (b & c);
    const t2 = (s0 + majority) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + t1) | 0, c, b, a, (t1 + t2) | 0];
  }
  [a, b, c, d, e, f, g, h].forEach((word, i) => {
    state[i] += word;
  });
}

function rotate(word: number, bits: number): number {
  return (word >>> bits) | (word << (32 - bits));
}

function fractionalSquareRoots(count: number): readonly number[] {
  return firstPrimes(count).map(prime => fraction32(Math.sqrt(prime)));
}

function fractionalCubeRoots(count: number): readonly number[] {
  return firstPrimes(count).map(prime => fraction32(Math.cbrt(prime)));
}

/** The first 32 bits of the fractional part. */
function fraction32(value: number): number {
  return Math.floor((value - Math.floor(value)) * 0x100000000);
}

function firstPrimes(count: number): readonly number[] {
  const primes: number[] = [];
  for (let n = 2; primes.length < count; n++) {
    if (primes.every(prime => n % prime !== 0)) {
      primes.push(n);
    }
  }
  return primes;
}
