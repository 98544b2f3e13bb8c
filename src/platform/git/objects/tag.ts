import { identityOf, parseHeaders } from './commit.ts';
import type { Identity } from './identity.ts';
import type { ObjectType } from './object.ts';
import { decodeText } from './text.ts';

/** A parsed annotated tag object. */
export interface Tag {
  readonly oid: string;
  readonly object: string;
  readonly type: ObjectType;
  readonly name: string;
  /** Tags written by the earliest git versions have no tagger. */
  readonly tagger: Identity | null;
  /** The message without the signature. */
  readonly message: string;
  readonly signature: string | undefined;
}

const SIGNATURE_HEADS = [
  '-----BEGIN PGP SIGNATURE-----',
  '-----BEGIN PGP MESSAGE-----',
  '-----BEGIN SIGNED MESSAGE-----',
  '-----BEGIN SSH SIGNATURE-----',
];

/** Parses a tag object. */
export function parseTag(oid: string, raw: Buffer): Tag {
  const { headers, body } = parseHeaders(raw);
  const encoding = headers.get('encoding')?.[0];
  const start = signatureStart(body);
  const tagger = headers.get('tagger')?.[0];
  return {
    oid,
    object: headers.get('object')?.[0] ?? '',
    type: (headers.get('type')?.[0] ?? 'commit') as ObjectType,
    name: decodeText(Buffer.from(headers.get('tag')?.[0] ?? '', 'latin1'), encoding),
    tagger: tagger === undefined ? null : identityOf(tagger, encoding),
    message: decodeText(body.subarray(0, start), encoding),
    signature: start < body.length ? body.toString('latin1', start) : undefined,
  };
}

/** Returns the signature at the end of a tag message and the signed payload. */
export function splitTagSignature(raw: Buffer): { payload: Buffer; signature: string } | null {
  const start = signatureStart(raw);
  if (start === raw.length) return null;
  return { payload: raw.subarray(0, start), signature: raw.toString('latin1', start) };
}

// The last signature header at the start of a line counts: a message may quote another signature.
function signatureStart(bytes: Buffer): number {
  let found = -1;
  for (const head of SIGNATURE_HEADS) {
    for (let at = bytes.indexOf(head); at >= 0; at = bytes.indexOf(head, at + 1)) {
      if (at > found && (at === 0 || bytes[at - 1] === 0x0a)) found = at;
    }
  }
  return found < 0 ? bytes.length : found;
}
