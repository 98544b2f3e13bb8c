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

/** The extensions of a certificate (RFC 5280, 4.2) that matter for signatures. */
export interface Extensions {
  /** `AB:CD:…` */
  readonly subjectKeyId: string | undefined;
  readonly authorityKeyId: string | undefined;
  /** In the original case. */
  readonly emails: readonly string[];
  readonly crlUrl: string | undefined;
  /** Whether the key usage allows signing messages. */
  readonly maySignMail: boolean;
  /** Whether the key usage allows signing revocation lists. */
  readonly maySignLists: boolean;
  /** Whether the extended key usage allows e-mail; for a CA, for the certificates it issues. */
  readonly forMail: boolean;
  /** Maximum number of intermediate issuers below this one. */
  readonly pathLength: number;
  readonly constraints: NameConstraints | undefined;
  /** Whether there is a critical extension that is not supported; the certificate must not be used then. */
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
/** Certificate policies, their mappings and constraints: issuing practices, which are not checked here. */
const POLICIES = ['2.5.29.32', '2.5.29.33', '2.5.29.36', '2.5.29.54'];
const UNDERSTOOD = new Set([
  ...[SUBJECT_KEY_ID, KEY_USAGE, SUBJECT_ALT_NAME, BASIC_CONSTRAINTS, NAME_CONSTRAINTS],
  ...[CRL_DISTRIBUTION_POINTS, AUTHORITY_KEY_ID, EXT_KEY_USAGE, ...POLICIES],
]);
const EMAIL_PROTECTION = '1.3.6.1.5.5.7.3.4';
const ANY_PURPOSE = '2.5.29.37.0';
/** The first two bits: digitalSignature and nonRepudiation. */
const SIGNS = 0xc0;
const SIGNS_LISTS = 0x02;
/** Parses the extensions; X.509 v1 certificates have none. */
export function readExtensions(extensions: readonly Extension[]): Extensions {
  const found = new Map(extensions.map((extension) => [extension.extnID, extension]));
  if (found.size < extensions.length) throw new NotDer('duplicate extension');
  const read = <T>(oid: string, kind: new () => T): T | undefined => {
    const extension = found.get(oid);
    const value: unknown = extension?.parsedValue;
    if (!extension) return undefined;
    if (!(value instanceof kind) || (value as { parsingError?: string }).parsingError) {
      throw new NotDer(`malformed extension ${oid}`);
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
    // A value too large for a number is no limit.
    pathLength: typeof pathLength === 'number' ? pathLength : Number.POSITIVE_INFINITY,
    constraints: constraints && readNameConstraints(constraints),
    isUnknown: extensions.some(({ critical, extnID }) => critical && !UNDERSTOOD.has(extnID)),
  };
}

function keyId(octets: OctetString | undefined): string | undefined {
  return octets && Buffer.from(octets.getValue()).toString('hex').toUpperCase().match(/../g)?.join(':');
}

/** Returns the first HTTP URL. */
function crlUrlOf(points: CRLDistributionPoints | undefined): string | undefined {
  const names = (points?.distributionPoints ?? []).flatMap(({ distributionPoint }) =>
    Array.isArray(distributionPoint) ? distributionPoint.filter((name) => name instanceof GeneralName) : [],
  );
  return textsOf(names, nameKinds.uri).find((url) => /^https?:\/\/[\x21-\x7e]{1,1000}$/i.test(url));
}
