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

/** Identifies the certificate of a signature, by issuer and serial number or by key id. */
export type SignerName = { readonly issuer: Buffer; readonly serial: bigint } | { readonly keyId: Buffer };

/** The parts of a detached CMS signature (RFC 5652). */
export interface CmsSignature {
  /** DER certificates: the signer's and those leading to a root. */
  readonly certificates: readonly Buffer[];
  readonly signer: SignerName;
  /** Object identifier of the digest. */
  readonly digest: string;
  readonly algorithm: AlgorithmIdentifier;
  readonly attributes: SignedAttributes | undefined;
  readonly value: Buffer;
}

/** The attributes that are signed in place of the content. */
export interface SignedAttributes {
  /** The signed encoding. */
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

/** Parses a signature as stored by git; throws when it is malformed or not detached. */
export function parseCms(armored: string): CmsSignature {
  const body = ARMOR.exec(armored)?.[1];
  if (body === undefined) throw new NotDer('not a signed message');
  const message = new ContentInfo({ schema: readDer(Buffer.from(body, 'base64')) });
  if (message.contentType !== ContentInfo.SIGNED_DATA) throw new NotDer('not signed data');
  const { encapContentInfo, certificates = [], signerInfos } = new SignedData({ schema: message.content });
  // A signature over embedded content says nothing about the object that it is attached to.
  if (encapContentInfo.eContentType !== ContentInfo.DATA || encapContentInfo.eContent) {
    throw new NotDer('embedded content');
  }
  const [info, ...others] = signerInfos;
  if (!info || others.length > 0 || certificates.length > MAX_CERTIFICATES)
    throw new NotDer('wrong number of signers or certificates');
  return {
    certificates: certificates.filter((one) => one instanceof Certificate).map(bytesOf),
    signer: readName(info.sid),
    digest: info.digestAlgorithm.algorithmId,
    algorithm: info.signatureAlgorithm,
    attributes: info.signedAttrs && readAttributes(info.signedAttrs),
    value: Buffer.from(info.signature.getValue()),
  };
}

/** Returns the certificate as DER; the signed part keeps its original encoding. */
function bytesOf(certificate: Certificate): Buffer {
  return Buffer.from(certificate.toSchema().toBER());
}

function readName(sid: unknown): SignerName {
  if (sid instanceof IssuerAndSerialNumber) {
    return { issuer: Buffer.from(sid.issuer.valueBeforeDecode), serial: sid.serialNumber.toBigInt() };
  }
  // pkijs leaves it implicitly tagged, as a primitive of unknown type.
  const { valueBlock } = sid as { valueBlock?: { valueHexView?: unknown } };
  if (!(valueBlock?.valueHexView instanceof Uint8Array)) throw new NotDer('missing signer identifier');
  return { keyId: Buffer.from(valueBlock.valueHexView) };
}

function readAttributes({ attributes, encodedValue }: SignedAndUnsignedAttributes): SignedAttributes {
  const found = new Map<string, readonly unknown[]>();
  for (const { type, values } of attributes) {
    if (found.has(type)) throw new NotDer('duplicate attribute');
    found.set(type, values);
  }
  const one = (oid: string) => {
    const values = found.get(oid);
    if (values?.length !== 1) throw new NotDer('missing or multi-valued attribute');
    return values[0];
  };
  const [contentType, messageDigest] = [one(CONTENT_TYPE), one(MESSAGE_DIGEST)];
  if (!(contentType instanceof ObjectIdentifier) || !(messageDigest instanceof OctetString)) {
    throw new NotDer('unexpected attribute type');
  }
  return {
    bytes: Buffer.from(encodedValue),
    contentType: contentType.getValue(),
    messageDigest: Buffer.from(messageDigest.getValue()),
    signingTime: found.has(SIGNING_TIME) ? readTime(one(SIGNING_TIME)) : undefined,
  };
}

function readTime(time: unknown): Date {
  if (!(time instanceof UTCTime || time instanceof GeneralizedTime)) throw new NotDer('invalid time');
  const date = time.toDate();
  if (Number.isNaN(date.getTime())) throw new NotDer('invalid time');
  return date;
}
