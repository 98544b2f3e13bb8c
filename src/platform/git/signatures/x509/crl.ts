import { AlgorithmIdentifier, Extensions, IssuingDistributionPoint } from 'pkijs';
import { isSignedBy, schemeOf } from './algorithm.ts';
import type { Certificate } from './certificate.ts';
import { NotDer, readDer } from './der.ts';

/**
 * A DER element, located in place. With pkijs, a list of 20,000 entries, half a megabyte, takes four seconds and 200 MB
 * of objects, during which the server is blocked; lists of 16 MB are in use. Parsed in place, it takes 60 ms and no
 * memory.
 */
interface Span {
  readonly tag: number;
  /** Including tag and length. */
  readonly raw: Buffer;
  readonly content: Buffer;
}

const ISSUING_DISTRIBUTION_POINT = '2.5.29.28';
const PEM = /-----BEGIN X509 CRL-----([^-]+)-----END X509 CRL-----/;

/**
 * Returns those serial numbers that the issuer's list revokes; throws `NotDer` for a list of another issuer or an
 * unsupported one.
 */
export function findRevoked(list: Buffer, issuer: Certificate, serials: Iterable<bigint>): bigint[] {
  const [signed, algorithm, signature] = [...spans(bytesOf(list))].flatMap(({ content }) => [...spans(content)]);
  if (!signed || !algorithm || signature?.tag !== 0x03 || signature.content[0] !== 0)
    throw new NotDer('not a revocation list');
  const scheme = schemeOf(new AlgorithmIdentifier({ schema: readDer(algorithm.raw) }));
  const { publicKey } = issuer.x509;
  if (
    !scheme ||
    !issuer.extensions.maySignLists ||
    !isSignedBy(publicKey, scheme, signed.raw, signature.content.subarray(1))
  ) {
    throw new NotDer('not signed by the issuer');
  }
  return [...revokedIn(readList(signed, algorithm, issuer), serials)];
}

function* revokedIn(entries: Buffer, serials: Iterable<bigint>): Generator<bigint> {
  const bySerial = new Map(Array.from(serials, (serial) => [hexOf(serial), serial]));
  for (const { content } of spans(entries)) {
    const [number] = spans(content);
    const found = number && bySerial.get(number.content.toString('hex'));
    if (found !== undefined) yield found;
  }
}

/** Returns the entries of a list that covers all certificates of its issuer. */
function readList(signed: Span, algorithm: Span, issuer: Certificate): Buffer {
  const fields = [...spans(signed.content)].filter(({ tag }, index) => index > 0 || tag !== 0x02);
  const [inside, name, , ...rest] = fields;
  if (!inside?.raw.equals(algorithm.raw) || !name?.raw.equals(issuer.subjectName)) throw new NotDer('wrong issuer');
  const extensions = rest.find(({ tag }) => tag === 0xa0);
  if (extensions) checkExtensions(new Extensions({ schema: readDer(extensions.content) }));
  return rest.find(({ tag }) => tag === 0x30)?.content ?? Buffer.alloc(0);
}

function checkExtensions({ extensions }: Extensions): void {
  for (const { extnID, critical, parsedValue } of extensions) {
    if (!critical) continue;
    // For example a delta list, or an unknown extension.
    if (extnID !== ISSUING_DISTRIBUTION_POINT) throw new NotDer('unknown critical extension');
    const place = parsedValue instanceof IssuingDistributionPoint ? parsedValue : undefined;
    if (!place || place.indirectCRL || 'parsingError' in place) throw new NotDer('indirect list');
  }
}

function bytesOf(list: Buffer): Buffer {
  if (list[0] === 0x30) return list;
  return Buffer.from(PEM.exec(list.toString('latin1'))?.[1] ?? '', 'base64');
}

/** Formats a serial number as encoded in a list. */
function hexOf(serial: bigint): string {
  const hex = serial.toString(16);
  const even = hex.length % 2 === 0 ? hex : `0${hex}`;
  return /^[89a-f]/.test(even) ? `00${even}` : even;
}

/** Yields the consecutive elements in the bytes. */
function* spans(bytes: Buffer): Generator<Span> {
  for (let at = 0; at < bytes.length; ) {
    const first = bytes[at + 1] ?? 0;
    const digits = first < 0x80 ? 0 : first & 0x7f;
    if (digits > 4 || first === 0x80 || at + 2 + digits > bytes.length) throw new NotDer('indefinite length');
    const start = at + 2 + digits;
    const end = start + (digits === 0 ? first : bytes.readUIntBE(at + 2, digits));
    if (end > bytes.length) throw new NotDer('truncated');
    yield { tag: bytes[at] ?? 0, raw: bytes.subarray(at, end), content: bytes.subarray(start, end) };
    at = end;
  }
}
