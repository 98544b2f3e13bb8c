import { GeneralizedTime, ObjectIdentifier, OctetString, UTCTime } from 'asn1js';
import {
  type AlgorithmIdentifier,
  Certificate,
  ContentInfo,
  IssuerAndSerialNumber,
  type SignedAndUnsignedAttributes,
  SignedData,
} from 'pkijs';
import { NotDer, readDer } from './der.ts';

/** Which certificate made a signature: the one of this issuer and number, or the one of this key. */
export type SignerName = { readonly issuer: Buffer; readonly serial: bigint } | { readonly keyId: Buffer };

/** The parts of a CMS signature (RFC 5652) that stands apart from what it covers. */
export interface CmsSignature {
  /** In DER; the signer's, and those that lead from it to a root. */
  readonly certificates: readonly Buffer[];
  readonly signer: SignerName;
  /** The object identifier of the digest. */
  readonly digest: string;
  readonly algorithm: AlgorithmIdentifier;
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

const CONTENT_TYPE = '1.2.840.113549.1.9.3';
const MESSAGE_DIGEST = '1.2.840.113549.1.9.4';
const SIGNING_TIME = '1.2.840.113549.1.9.5';
const MAX_CERTIFICATES = 16;
const ARMOR = /^\s*-----BEGIN SIGNED MESSAGE-----\s([A-Za-z0-9+/=\s]+)-----END SIGNED MESSAGE-----\s*$/;

/** Reads a signature as git keeps it; throws when it is none, or covers content of its own. */
export function parseCms(armored: string): CmsSignature {
  const body = ARMOR.exec(armored)?.[1];
  if (body === undefined) throw new NotDer('no signed message');
  const message = new ContentInfo({ schema: readDer(Buffer.from(body, 'base64')) });
  if (message.contentType !== ContentInfo.SIGNED_DATA) throw new NotDer('no signed data');
  const { encapContentInfo, certificates = [], signerInfos } = new SignedData({ schema: message.content });
  // A signature over bytes of its own says nothing about the object that it is attached to.
  if (encapContentInfo.eContentType !== ContentInfo.DATA || encapContentInfo.eContent) {
    throw new NotDer('content of its own');
  }
  const [info, ...others] = signerInfos;
  if (!info || others.length > 0 || certificates.length > MAX_CERTIFICATES) throw new NotDer('too many, or nobody');
  return {
    certificates: certificates.filter((one) => one instanceof Certificate).map(bytesOf),
    signer: readName(info.sid),
    digest: info.digestAlgorithm.algorithmId,
    algorithm: info.signatureAlgorithm,
    attributes: info.signedAttrs && readAttributes(info.signedAttrs),
    value: Buffer.from(info.signature.getValue()),
  };
}

/** What is signed of it stays as it was read. */
function bytesOf(certificate: Certificate): Buffer {
  return Buffer.from(certificate.toSchema().toBER());
}

function readName(sid: unknown): SignerName {
  if (sid instanceof IssuerAndSerialNumber) {
    return { issuer: Buffer.from(sid.issuer.valueBeforeDecode), serial: sid.serialNumber.toBigInt() };
  }
  // Left under the tag that it is sent with, as a primitive of no known type.
  const { valueBlock } = sid as { valueBlock?: { valueHexView?: unknown } };
  if (!(valueBlock?.valueHexView instanceof Uint8Array)) throw new NotDer('no name of a signer');
  return { keyId: Buffer.from(valueBlock.valueHexView) };
}

function readAttributes({ attributes, encodedValue }: SignedAndUnsignedAttributes): SignedAttributes {
  const found = new Map<string, readonly unknown[]>();
  for (const { type, values } of attributes) {
    if (found.has(type)) throw new NotDer('an attribute twice');
    found.set(type, values);
  }
  const one = (oid: string) => {
    const values = found.get(oid);
    if (values?.length !== 1) throw new NotDer('an attribute is missing, or has several values');
    return values[0];
  };
  const [contentType, messageDigest] = [one(CONTENT_TYPE), one(MESSAGE_DIGEST)];
  if (!(contentType instanceof ObjectIdentifier) || !(messageDigest instanceof OctetString)) {
    throw new NotDer('an attribute of another kind');
  }
  return {
    bytes: Buffer.from(encodedValue),
    contentType: contentType.getValue(),
    messageDigest: Buffer.from(messageDigest.getValue()),
    signingTime: found.has(SIGNING_TIME) ? readTime(one(SIGNING_TIME)) : undefined,
  };
}

function readTime(time: unknown): Date {
  if (!(time instanceof UTCTime || time instanceof GeneralizedTime)) throw new NotDer('no instant');
  const date = time.toDate();
  if (Number.isNaN(date.getTime())) throw new NotDer('no instant');
  return date;
}
