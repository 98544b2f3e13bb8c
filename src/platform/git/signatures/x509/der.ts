import { type BaseBlock, fromBER } from 'asn1js';

/** Thrown when bytes are not the expected ASN.1 structure. */
export class NotDer extends Error {
  override readonly name = 'NotDer';
}

// A signature with a chain of five certificates has about 600 elements, 12 levels deep.
const limits = { maxDepth: 32, maxNodes: 5000, maxContentLength: 128 * 1024, copyInput: false };

/** Parses bytes that contain exactly one element, within limits that no real signature exceeds. */
export function readDer(bytes: Uint8Array): BaseBlock {
  const { offset, result } = fromBER(bytes, limits);
  if (offset !== bytes.length) throw new NotDer(result.error || 'bytes after the end');
  return result;
}

/** Returns the original encoding of an element, including tag and length. */
export function rawOf({ valueBeforeDecodeView: { buffer, byteOffset, byteLength } }: BaseBlock): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
