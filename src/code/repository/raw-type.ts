import type { Objects } from '../../platform/git/objects/objects.ts';
import { SHARED_READ_BYTES } from '../../platform/git/objects/objects.ts';
import { type DetectedType, detectType, SNIFFED_BYTES } from '../../platform/http/bodies/detect-type.ts';

/** Detects the content type of a blob; cached. */
export function rawTypeOf(
  objects: Objects,
  blob: { readonly oid: string; readonly size: number },
  signal: AbortSignal,
): Promise<DetectedType> {
  const bytes = () => 100;
  return objects.derived('raw-type', blob.oid, bytes, async () => {
    const start = await firstBytes(objects, blob, signal);
    return detectType(start, start.length === blob.size);
  });
}

async function firstBytes(
  objects: Objects,
  { oid, size }: { readonly oid: string; readonly size: number },
  signal: AbortSignal,
): Promise<Buffer> {
  if (size <= SHARED_READ_BYTES) return (await objects.blob(oid)) ?? Buffer.alloc(0);
  const chunks: Buffer[] = [];
  let length = 0;
  const opened = await objects.blobStream(oid, signal);
  for await (const chunk of (opened?.stream ?? []) as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    length += chunk.length;
    if (length >= SNIFFED_BYTES) break;
  }
  return Buffer.concat(chunks);
}
