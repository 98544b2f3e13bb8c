import { type BaseBlock, fromBER } from 'asn1js';

/** Bytes that are not the ASN.1 they were taken for. */
export class NotDer extends Error {
  override readonly name = 'NotDer';
}

// A signature with a chain of five certificates has some 600 parts, 12 deep.
const limits = { maxDepth: 32, maxNodes: 5000, maxContentLength: 128 * 1024, copyInput: false };

/** Reads bytes that hold one element and nothing else, within limits that no signature needs to exceed. */
export function readDer(bytes: Uint8Array): BaseBlock {
  const { offset, result } = fromBER(bytes, limits);
  if (offset !== bytes.length) throw new NotDer(result.error || 'bytes after the end');
  return result;
}

/** An element as it was written, with tag and length. */
export function rawOf({ valueBeforeDecodeView: { buffer, byteOffset, byteLength } }: BaseBlock): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
