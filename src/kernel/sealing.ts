/**
 * Texts that only the judge of one attempt can read: hold-outs and scorer. The
 * kernel, whose freed memory every later attempt has a copy of, passes them on
 * unread. The counterpart of `secrecy/sealing.py`; the browser's own
 * cryptography is missing on plain http.
 */
import { shake256 } from '@noble/hashes/sha3.js';
import {
  bytesToHex,
  concatBytes,
  hexToBytes,
  randomBytes,
  utf8ToBytes
} from '@noble/hashes/utils.js';
import type { ExecutionJob } from '../core/domain/executor';

/** RFC 3526, group 14. */
const PRIME = BigInt(
  '0x' +
    'ffffffffffffffffc90fdaa22168c234c4c6628b80dc1cd129024e088a67cc74020bbea63b139b22514a08798e3404dd' +
    'ef9519b3cd3a431b302b0a6df25f14374fe1356d6d51c245e485b576625e7ec6f44c42e9a637ed6b0bff5cb6f406b7ed' +
    'ee386bfb5a899fa5ae9f24117c4b1fe649286651ece45b3dc2007cb8a163bf0598da48361c55d39a69163fa8fd24cf5f' +
    '83655d23dca3ad961c62f356208552bb9ed529077096966d670c354e4abc9804f1746c08ca18217c32905e462e36ce3b' +
    'e39e772c180e86039b2783a2ec07a28fb5c55df06f4c52c9de2bcbf6955817183995497cea956ae515d2261898fa0510' +
    '15728e5a8aacaa68ffffffffffffffff'
);
const GENERATOR = 2n;
const NUMBER_BYTES = 256;
const SECRET_BYTES = 32;
const TAG_BYTES = 32;

export type Sealed = {
  /** The judge's key. */
  readonly to: string;
  readonly from: string;
  readonly text: string;
};

/** A job as the kernel may hold it. */
export type SealedJob = Omit<
  ExecutionJob,
  'holdouts' | 'scorer' | 'hiddenNames'
> & { readonly sealed?: Sealed };

/** True when the job has a text that the kernel must not hold. */
export function hasSecrets({
  holdouts,
  scorer,
  hiddenNames
}: ExecutionJob): boolean {
  return (
    holdouts.length > 0 ||
    scorer !== undefined ||
    (hiddenNames?.length ?? 0) > 0
  );
}

/** @param to - the judge's key; null for a job without secrets. */
export function sealedJob(job: ExecutionJob, to: string | null): SealedJob {
  const { holdouts, scorer, hiddenNames, ...visible } = job;
  if (to !== null) {
    return { ...visible, sealed: seal({ holdouts, scorer, hiddenNames }, to) };
  }
  if (hasSecrets(job)) {
    throw new Error('the kernel must not hold the secrets of a job');
  }
  return visible;
}

/** Encrypt plain data for the process that has made the key `to`, and for no other. */
export function seal(data: object, to: string): Sealed {
  const secret = numberOf(randomBytes(SECRET_BYTES));
  const from = power(GENERATOR, secret);
  const common = power(numberOf(hexToBytes(to)), secret);
  const shared = concatBytes(common, hexToBytes(to), from);
  const plain = utf8ToBytes(JSON.stringify(data));
  const stream = shake256(concatBytes(utf8ToBytes('key'), shared), {
    dkLen: plain.length
  });
  const text = plain.map((byte, i) => byte ^ stream[i]!);
  const tag = shake256(concatBytes(utf8ToBytes('tag'), shared, text), {
    dkLen: TAG_BYTES
  });
  return {
    to,
    from: bytesToHex(from),
    text: bytesToHex(concatBytes(text, tag))
  };
}

function numberOf(bytes: Uint8Array): bigint {
  return BigInt(`0x${bytesToHex(bytes)}`);
}

/** `base ** exponent`, modulo the prime. */
function power(base: bigint, exponent: bigint): Uint8Array {
  let result = 1n;
  for (let left = exponent; left > 0n; left >>= 1n) {
    result = left & 1n ? (result * base) % PRIME : result;
    base = (base * base) % PRIME;
  }
  return hexToBytes(result.toString(16).padStart(2 * NUMBER_BYTES, '0'));
}
