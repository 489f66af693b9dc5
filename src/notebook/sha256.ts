/**
 * SHA-256 of a text. The browser's own is asynchronous and missing on plain
 * http; hashes here are needed while a cell is being drawn.
 */
import { sha256 as hash } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';

/** Hash of the text's UTF-8 bytes, 64 hexadecimal digits. */
export function sha256(text: string): string {
  return bytesToHex(hash(utf8ToBytes(text)));
}
