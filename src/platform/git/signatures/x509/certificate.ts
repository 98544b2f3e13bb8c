import { X509Certificate } from 'node:crypto';
import { Certificate as Parsed, type RelativeDistinguishedNames } from 'pkijs';
import { type Scheme, schemeOf } from './algorithm.ts';
import { namePartsOf } from './constraints.ts';
import { NotDer, readDer } from './der.ts';
import { type Extensions, readExtensions } from './extensions.ts';

/** A parsed certificate. */
export interface Certificate {
  readonly x509: X509Certificate;
  /** Names in DER, for comparison. */
  readonly issuerName: Buffer;
  readonly subjectName: Buffer;
  /** The parts of the subject name in DER, most general first. */
  readonly nameParts: readonly Buffer[];
  readonly serial: bigint;
  /** Names for display: `CN=Ann,O=Example`, most specific first. */
  readonly subject: string;
  readonly issuer: string;
  /** How the issuer signed it; undefined for an insecure algorithm. */
  readonly scheme: Scheme | undefined;
  readonly extensions: Extensions;
  /** E-mail addresses of the subject, in lower case. */
  readonly emails: readonly string[];
}

const EMAIL_ADDRESS = '1.2.840.113549.1.9.1';
const MAX_NAME = 2000;

/** Parses a certificate; throws when it is malformed. */
export function readCertificate(bytes: Buffer): Certificate {
  const x509 = new X509Certificate(bytes);
  const parsed = new Parsed({ schema: readDer(bytes) });
  const { issuer, subject, serialNumber, signature } = parsed;
  // The outer algorithm is not covered by the signature, so it must equal the inner one.
  if (!signature.isEqual(parsed.signatureAlgorithm)) throw new NotDer('signature algorithms differ');
  const extensions = readExtensions(parsed.extensions ?? []);
  const inNames = extensions.emails.length > 0 ? extensions.emails : emailsIn(subject);
  return {
    x509,
    issuerName: Buffer.from(issuer.valueBeforeDecode),
    subjectName: Buffer.from(subject.valueBeforeDecode),
    nameParts: namePartsOf(subject),
    serial: serialNumber.toBigInt(),
    subject: formatName(x509.subject),
    issuer: formatName(x509.issuer),
    scheme: schemeOf(signature),
    extensions,
    emails: inNames.filter(isAddress).map((email) => email.toLowerCase()),
  };
}

/** Parses several certificates and skips malformed ones. */
export function readCertificates(all: readonly Buffer[]): Certificate[] {
  return all.flatMap((bytes) => {
    try {
      return [readCertificate(bytes)];
    } catch {
      // A malformed certificate does not affect the others.
      return [];
    }
  });
}

/** Returns the e-mail addresses in the subject name, their place before the subjectAltName extension. */
function emailsIn({ typesAndValues }: RelativeDistinguishedNames): string[] {
  return typesAndValues.filter(({ type }) => type === EMAIL_ADDRESS).map(({ value }) => String(value.valueBlock.value));
}

function isAddress(text: string): boolean {
  return text.length <= 254 && /^[\x21-\x3f\x41-\x7e]+@[\x21-\x3f\x41-\x7e]+$/.test(text);
}

/** Formats Node's multi-line name, most general first, as in RFC 2253. */
function formatName(lines: string | undefined): string {
  const text = (lines ?? '').split('\n').reverse().join(',').replaceAll(' + ', '+');
  if (text.length > MAX_NAME) throw new NotDer('name too long');
  return text;
}
