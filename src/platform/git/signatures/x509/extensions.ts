import { type NameConstraints, readNameConstraints } from './constraints.ts';
import { Der, NotDer } from './der.ts';

/** What the extensions of a certificate (RFC 5280, 4.2) say, as far as it matters to signatures. */
export interface Extensions {
  /** `AB:CD:…` */
  readonly subjectKeyId: string | undefined;
  readonly authorityKeyId: string | undefined;
  /** As they were written. */
  readonly emails: readonly string[];
  readonly crlUrl: string | undefined;
  /** Whether its key may sign messages of people, by what it is said to be for. */
  readonly maySignMail: boolean;
  /** Whether its key may sign lists of what is revoked. */
  readonly maySignLists: boolean;
  /** Whether mail is among its purposes; for one that issues others, among theirs. */
  readonly forMail: boolean;
  /** How many issuers may stand between it and the signer. */
  readonly pathLength: number;
  readonly constraints: NameConstraints | undefined;
  /** It holds a condition that is not understood here, and must not be used by who does not. */
  readonly isUnknown: boolean;
}

const SUBJECT_KEY_ID = '2.5.29.14';
const KEY_USAGE = '2.5.29.15';
const SUBJECT_ALT_NAME = '2.5.29.17';
const BASIC_CONSTRAINTS = '2.5.29.19';
const NAME_CONSTRAINTS = '2.5.29.30';
const CRL_DISTRIBUTION_POINTS = '2.5.29.31';
const AUTHORITY_KEY_ID = '2.5.29.35';
const EXT_KEY_USAGE = '2.5.29.37';
/** Certificate policies, their mappings and constraints: about how carefully it was issued, which is not asked here. */
const POLICIES = ['2.5.29.32', '2.5.29.33', '2.5.29.36', '2.5.29.54'];
const UNDERSTOOD = new Set([
  ...[SUBJECT_KEY_ID, KEY_USAGE, SUBJECT_ALT_NAME, BASIC_CONSTRAINTS, NAME_CONSTRAINTS],
  ...[CRL_DISTRIBUTION_POINTS, AUTHORITY_KEY_ID, EXT_KEY_USAGE, ...POLICIES],
]);
const EMAIL_PROTECTION = '1.3.6.1.5.5.7.3.4';
const ANY_PURPOSE = '2.5.29.37.0';
/** digitalSignature and nonRepudiation, the first two bits. */
const SIGNS = 0xc0;
const SIGNS_LISTS = 0x02;
const RFC822_NAME = 0x81;
const URI = 0x86;

/** Reads the extensions; a certificate of the oldest kind has none. */
export function readExtensions(sequence: Der | undefined): Extensions {
  const found = new Map<string, Buffer>();
  let isUnknown = false;
  for (const extension of sequence?.as(0x30).parts ?? []) {
    const { oid } = extension.at(0);
    if (found.has(oid)) throw new NotDer('an extension twice');
    const critical = extension.at(1).tag === 0x01 ? extension.at(1).content[0] !== 0 : undefined;
    found.set(oid, extension.at(critical === undefined ? 1 : 2).as(0x04).content);
    if (critical && !UNDERSTOOD.has(oid)) isUnknown = true;
  }
  const read = (oid: string) => {
    const content = found.get(oid);
    return content && Der.read(content);
  };
  const constraints = read(NAME_CONSTRAINTS);
  const usage = read(KEY_USAGE)?.as(0x03).content;
  return {
    subjectKeyId: keyId(read(SUBJECT_KEY_ID)?.as(0x04)),
    authorityKeyId: keyId(read(AUTHORITY_KEY_ID)?.parts.find(({ tag }) => tag === 0x80)),
    emails: texts(read(SUBJECT_ALT_NAME)?.parts ?? [], RFC822_NAME),
    crlUrl: readCrlUrl(read(CRL_DISTRIBUTION_POINTS)),
    maySignMail: usage === undefined || ((usage[1] ?? 0) & SIGNS) !== 0,
    maySignLists: usage === undefined || ((usage[1] ?? 0) & SIGNS_LISTS) !== 0,
    forMail: isForMail(read(EXT_KEY_USAGE)),
    pathLength: readPathLength(read(BASIC_CONSTRAINTS)),
    constraints: constraints && readNameConstraints(constraints),
    isUnknown,
  };
}

function keyId(der: Der | undefined): string | undefined {
  return der?.content.toString('hex').toUpperCase().match(/../g)?.join(':');
}

function texts(names: readonly Der[], kind: number): string[] {
  return names.filter(({ tag }) => tag === kind).map(({ content }) => content.toString('latin1'));
}

/** The first address on the web: `DistributionPoint.distributionPoint.fullName`. */
function readCrlUrl(points: Der | undefined): string | undefined {
  const names = (points?.parts ?? [])
    .flatMap((point) => point.parts.filter(({ tag }) => tag === 0xa0))
    .flatMap((place) => place.parts.filter(({ tag }) => tag === 0xa0))
    .flatMap((full) => texts(full.parts, URI));
  return names.find((url) => /^https?:\/\/[\x21-\x7e]{1,1000}$/i.test(url));
}

function isForMail(purposes: Der | undefined): boolean {
  return !purposes || purposes.parts.some(({ oid }) => oid === EMAIL_PROTECTION || oid === ANY_PURPOSE);
}

function readPathLength(constraints: Der | undefined): number {
  const given = constraints?.parts.find(({ tag }) => tag === 0x02)?.integer;
  return given === undefined ? Number.POSITIVE_INFINITY : Number(given);
}
