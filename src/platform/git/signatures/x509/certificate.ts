import { X509Certificate } from 'node:crypto';
import { type Scheme, schemeOf } from './algorithm.ts';
import { Der, NotDer } from './der.ts';
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

/** Reads a certificate; throws `NotDer`, or what OpenSSL has to say, when it is none. */
export function readCertificate(bytes: Buffer): Certificate {
  const x509 = new X509Certificate(bytes);
  const whole = Der.read(bytes).as(0x30);
  const [serial, algorithm, issuerName, , subjectName, , ...rest] = fields(whole.at(0).as(0x30));
  if (!serial || !algorithm || !issuerName || !subjectName) throw new NotDer('a part is missing');
  // What says how it is signed is outside of what is signed; the same stands inside.
  if (!algorithm.raw.equals(whole.at(1).raw)) throw new NotDer('two algorithms');
  const extensions = readExtensions(rest.find(({ tag }) => tag === 0xa3)?.at(0));
  const inNames = extensions.emails.length > 0 ? extensions.emails : emailsIn(subjectName);
  return {
    x509,
    issuerName: issuerName.raw,
    subjectName: subjectName.raw,
    nameParts: subjectName.parts.map(({ raw }) => raw),
    serial: serial.integer,
    subject: shown(x509.subject),
    issuer: shown(x509.issuer),
    scheme: schemeOf(algorithm),
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

/** The fields of what is signed, the version left out: it is not there in the first. */
function fields(signed: Der): Der[] {
  const { parts } = signed;
  return parts[0]?.tag === 0xa0 ? parts.slice(1) : parts;
}

/** Where addresses stood before there was a place for them. */
function emailsIn(name: Der): string[] {
  const pairs = name.parts.flatMap(({ parts }) => parts);
  return pairs.filter((pair) => pair.at(0).oid === EMAIL_ADDRESS).map((pair) => pair.at(1).as(0x16).content.toString());
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
