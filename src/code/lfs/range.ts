import type { ByteRange } from '../../platform/storage/storage.ts';

/** One range of a `Range` header; undefined for none, and for forms that clients of large files do not use. */
export function readRange(header: string | undefined): ByteRange | undefined {
  const match = /^bytes=(\d{1,15})-(\d{0,15})$/.exec(header ?? '');
  if (!match) return undefined;
  const start = Number(match[1]);
  if (match[2] === '' || match[2] === undefined) return { start };
  const end = Number(match[2]);
  return end < start ? undefined : { start, end };
}
