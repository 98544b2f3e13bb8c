import { BitString, OctetString } from 'asn1js';
import {
  AltName,
  AuthorityKeyIdentifier,
  BasicConstraints,
  CRLDistributionPoints,
  type Extension,
  ExtKeyUsage,
  GeneralName,
  NameConstraints as NameConstraintsExtension,
} from 'pkijs';
import { type NameConstraints, readNameConstraints } from './constraints.ts';
import { NotDer } from './der.ts';
import { nameKinds, textsOf } from './general-names.ts';

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
/** Reads the extensions; a certificate of the oldest kind has none. */
export function readExtensions(extensions: readonly Extension[]): Extensions {
  const found = new Map(extensions.map((extension) => [extension.extnID, extension]));
  if (found.size < extensions.length) throw new NotDer('an extension twice');
  const read = <T>(oid: string, kind: new () => T): T | undefined => {
    const extension = found.get(oid);
    const value: unknown = extension?.parsedValue;
    if (!extension) return undefined;
    if (!(value instanceof kind) || (value as { parsingError?: string }).parsingError) {
      throw new NotDer(`the extension ${oid} is broken`);
    }
    return value;
  };
  const constraints = read(NAME_CONSTRAINTS, NameConstraintsExtension);
  const usage = read(KEY_USAGE, BitString)?.valueBlock.valueHexView;
  const purposes = read(EXT_KEY_USAGE, ExtKeyUsage)?.keyPurposes;
  const pathLength = read(BASIC_CONSTRAINTS, BasicConstraints)?.pathLenConstraint;
  return {
    subjectKeyId: keyId(read(SUBJECT_KEY_ID, OctetString)),
    authorityKeyId: keyId(read(AUTHORITY_KEY_ID, AuthorityKeyIdentifier)?.keyIdentifier),
    emails: textsOf(read(SUBJECT_ALT_NAME, AltName)?.altNames ?? [], nameKinds.email),
    crlUrl: crlUrlOf(read(CRL_DISTRIBUTION_POINTS, CRLDistributionPoints)),
    maySignMail: usage === undefined || ((usage[0] ?? 0) & SIGNS) !== 0,
    maySignLists: usage === undefined || ((usage[0] ?? 0) & SIGNS_LISTS) !== 0,
    forMail: !purposes || purposes.some((oid) => oid === EMAIL_PROTECTION || oid === ANY_PURPOSE),
    // One that does not fit a number is as good as none.
    pathLength: typeof pathLength === 'number' ? pathLength : Number.POSITIVE_INFINITY,
    constraints: constraints && readNameConstraints(constraints),
    isUnknown: extensions.some(({ critical, extnID }) => critical && !UNDERSTOOD.has(extnID)),
  };
}

function keyId(octets: OctetString | undefined): string | undefined {
  return octets && Buffer.from(octets.getValue()).toString('hex').toUpperCase().match(/../g)?.join(':');
}

/** The first address on the web. */
function crlUrlOf(points: CRLDistributionPoints | undefined): string | undefined {
  const names = (points?.distributionPoints ?? []).flatMap(({ distributionPoint }) =>
    Array.isArray(distributionPoint) ? distributionPoint.filter((name) => name instanceof GeneralName) : [],
  );
  return textsOf(names, nameKinds.uri).find((url) => /^https?:\/\/[\x21-\x7e]{1,1000}$/i.test(url));
}
