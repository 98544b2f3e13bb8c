import { Der, NotDer } from './der.ts';

/** Which certificate made a signature: the one of this issuer and number, or the one of this key. */
export type SignerName = { readonly issuer: Buffer; readonly serial: bigint } | { readonly keyId: Buffer };

/** The parts of a CMS signature (RFC 5652) that stands apart from what it covers. */
export interface CmsSignature {
  /** In DER; the signer's, and those that lead from it to a root. */
  readonly certificates: readonly Buffer[];
  readonly signer: SignerName;
  /** The object identifier of the digest. */
  readonly digest: string;
  readonly algorithm: Der;
  readonly attributes: SignedAttributes | undefined;
  readonly value: Buffer;
}

/** What the signer signed in the place of the content. */
export interface SignedAttributes {
  /** As it was signed. */
  readonly bytes: Buffer;
  readonly contentType: string;
  readonly messageDigest: Buffer;
  readonly signingTime: Date | undefined;
}

const SIGNED_DATA = '1.2.840.113549.1.7.2';
/** The type of content that has none: bytes. */
export const DATA = '1.2.840.113549.1.7.1';
const CONTENT_TYPE = '1.2.840.113549.1.9.3';
const MESSAGE_DIGEST = '1.2.840.113549.1.9.4';
const SIGNING_TIME = '1.2.840.113549.1.9.5';
const MAX_CERTIFICATES = 16;
const ARMOR = /^\s*-----BEGIN SIGNED MESSAGE-----\s([A-Za-z0-9+/=\s]+)-----END SIGNED MESSAGE-----\s*$/;

/** Reads a signature as git keeps it; throws `NotDer` when it is none, or covers content of its own. */
export function parseCms(armored: string): CmsSignature {
  const body = ARMOR.exec(armored)?.[1];
  if (body === undefined) throw new NotDer('no signed message');
  const message = Der.read(Buffer.from(body, 'base64')).as(0x30);
  if (message.at(0).oid !== SIGNED_DATA) throw new NotDer('no signed data');
  const signedData = message.at(1).as(0xa0).at(0).as(0x30);
  const encapsulated = signedData.at(2).as(0x30);
  // A signature over bytes of its own says nothing about the object that it is attached to.
  if (encapsulated.at(0).oid !== DATA || encapsulated.parts.length > 1) throw new NotDer('content of its own');
  const certificates = signedData.parts.slice(3).find(({ tag }) => tag === 0xa0)?.parts ?? [];
  const signers = signedData.at(signedData.parts.length - 1).as(0x31);
  if (signers.parts.length !== 1 || certificates.length > MAX_CERTIFICATES) throw new NotDer('too many, or nobody');
  return { certificates: certificates.map(({ raw }) => raw), ...readSigner(signers.at(0).as(0x30)) };
}

function readSigner(info: Der): Omit<CmsSignature, 'certificates'> {
  const attributes = info.at(3).tag === 0xa0 ? info.at(3) : undefined;
  const next = attributes ? 4 : 3;
  return {
    signer: readName(info.at(1)),
    digest: info.at(2).as(0x30).at(0).oid,
    attributes: attributes && readAttributes(attributes),
    algorithm: info.at(next).as(0x30),
    value: info.at(next + 1).as(0x04).content,
  };
}

function readName(der: Der): SignerName {
  if (der.tag === 0x80) return { keyId: der.content };
  return { issuer: der.as(0x30).at(0).as(0x30).raw, serial: der.at(1).integer };
}

function readAttributes(der: Der): SignedAttributes {
  const found = new Map<string, Der>();
  for (const attribute of der.parts) {
    const { oid } = attribute.as(0x30).at(0);
    if (found.has(oid)) throw new NotDer('an attribute twice');
    found.set(oid, attribute.at(1).as(0x31));
  }
  const one = (oid: string) => {
    const values = found.get(oid);
    if (values?.parts.length !== 1) throw new NotDer('an attribute is missing, or has several values');
    return values.at(0);
  };
  return {
    // What is signed is the set, though it is sent under another tag.
    bytes: Buffer.concat([Buffer.from([0x31]), der.raw.subarray(1)]),
    contentType: one(CONTENT_TYPE).oid,
    messageDigest: one(MESSAGE_DIGEST).as(0x04).content,
    signingTime: found.has(SIGNING_TIME) ? one(SIGNING_TIME).time : undefined,
  };
}
