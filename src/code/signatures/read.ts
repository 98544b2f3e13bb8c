import { MAX_TEXT } from '../../platform/git/objects/commit.ts';
import type { Objects } from '../../platform/git/objects/objects.ts';
import { type SignedObject, signatureOf } from '../../platform/git/signatures/signature.ts';

/** Reads the signature of a commit or tag; undefined if the object is missing or unsigned. */
export async function readSignedObject(
  objects: Objects,
  type: 'commit' | 'tag',
  oid: string,
): Promise<(SignedObject & { readonly raw: Buffer }) | undefined> {
  // Check type and size before reading: a tag may point to a blob of any size.
  const info = await objects.info(oid);
  if (info.status !== 'found' || info.type !== type || info.size > MAX_TEXT) return undefined;
  const raw = (await objects.raw(oid))?.data;
  const signed = raw && signatureOf(type, raw);
  return signed && { ...signed, raw };
}
