import { X509Certificate } from 'node:crypto';
import { Certificate as Parsed, type RelativeDistinguishedNames } from 'pkijs';
import { type Scheme, schemeOf } from './algorithm.ts';
import { namePartsOf } from './constraints.ts';
import { NotDer, readDer } from './der.ts';
import { type Extensions, readExtensions } from './extensions.ts';

/** A certificate, with what its issuer says in it. */
export interface Certificate {
  readonly x509: X509Certificate;
  /** Names in DER, to compare. */
  readonly issuerName: Buffer;
  readonly subjectName: Buffer;
  /** The parts of the subject's name in DER, the widest first. */
  readonly nameParts: readonly Buffer[];
  readonly serial: bigint;
  /** Names to show: `CN=Ann,O=Example`, the narrowest first. */
  readonly subject: string;
  readonly issuer: string;
  /** How its issuer signed it; undefined when that proves nothing. */
  readonly scheme: Scheme | undefined;
  readonly extensions: Extensions;
  /** The addresses it was issued for, in lower case. */
  readonly emails: readonly string[];
}

const EMAIL_ADDRESS = '1.2.840.113549.1.9.1';
const MAX_NAME = 2000;

/** Reads a certificate; throws when it is none. */
export function readCertificate(bytes: Buffer): Certificate {
  const x509 = new X509Certificate(bytes);
  const parsed = new Parsed({ schema: readDer(bytes) });
  const { issuer, subject, serialNumber, signature } = parsed;
  // What says how it is signed is outside of what is signed; the same stands inside.
  if (!signature.isEqual(parsed.signatureAlgorithm)) throw new NotDer('two algorithms');
  const extensions = readExtensions(parsed.extensions ?? []);
  const inNames = extensions.emails.length > 0 ? extensions.emails : emailsIn(subject);
  return {
    x509,
    issuerName: Buffer.from(issuer.valueBeforeDecode),
    subjectName: Buffer.from(subject.valueBeforeDecode),
    nameParts: namePartsOf(subject),
    serial: serialNumber.toBigInt(),
    subject: shown(x509.subject),
    issuer: shown(x509.issuer),
    scheme: schemeOf(signature),
    extensions,
    emails: inNames.filter(isAddress).map((email) => email.toLowerCase()),
  };
}

/** Those of several that can be read. */
export function readCertificates(all: readonly Buffer[]): Certificate[] {
  return all.flatMap((bytes) => {
    try {
      return [readCertificate(bytes)];
    } catch {
      // Of no use to anybody, but no reason to distrust the others.
      return [];
    }
  });
}

/** Where addresses stood before there was a place for them. */
function emailsIn({ typesAndValues }: RelativeDistinguishedNames): string[] {
  return typesAndValues.filter(({ type }) => type === EMAIL_ADDRESS).map(({ value }) => String(value.valueBlock.value));
}

function isAddress(text: string): boolean {
  return text.length <= 254 && /^[\x21-\x3f\x41-\x7e]+@[\x21-\x3f\x41-\x7e]+$/.test(text);
}

/** Node's lines, the widest first, as RFC 2253 has them. */
function shown(lines: string | undefined): string {
  const text = (lines ?? '').split('\n').reverse().join(',').replaceAll(' + ', '+');
  if (text.length > MAX_NAME) throw new NotDer('a name without end');
  return text;
}
