import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

/** Encodes a DER element. */
export function der(tag: number, ...content: readonly (Buffer | string)[]): Buffer {
  const body = Buffer.concat(content.map((part) => Buffer.from(part as string)));
  return Buffer.concat([Buffer.from([tag, ...lengthOf(body.length)]), body]);
}

function lengthOf(bytes: number): number[] {
  if (bytes < 0x80) return [bytes];
  if (bytes < 0x100) return [0x81, bytes];
  return bytes < 0x10000 ? [0x82, bytes >> 8, bytes & 0xff] : [0x83, bytes >> 16, (bytes >> 8) & 0xff, bytes & 0xff];
}

export const sequence = (...parts: Buffer[]) => der(0x30, ...parts);
export const set = (...parts: Buffer[]) => der(0x31, ...parts);
export const octets = (content: Buffer) => der(0x04, content);

export function oid(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split('.').map(Number);
  const bytes = [first * 40 + second, ...rest].flatMap((arc) => {
    const digits = [arc & 0x7f];
    for (let left = arc >>> 7; left > 0; left >>>= 7) digits.unshift((left & 0x7f) | 0x80);
    return digits;
  });
  return der(0x06, Buffer.from(bytes));
}

const time = (date: Date) => der(0x17, date.toISOString().replace(/^..|[-T:]|\.\d+/g, ''));
const attributeType = {
  C: '2.5.4.6',
  O: '2.5.4.10',
  OU: '2.5.4.11',
  CN: '2.5.4.3',
  emailAddress: '1.2.840.113549.1.9.1',
};

/** A distinguished name, most general part first. */
export function distinguishedName(parts: Partial<Record<keyof typeof attributeType, string>>): Buffer {
  const pairs = Object.entries(parts) as [keyof typeof attributeType, string][];
  return sequence(
    ...pairs.map(([type, text]) =>
      set(sequence(oid(attributeType[type]), der(type === 'emailAddress' ? 0x16 : 0x0c, text))),
    ),
  );
}

const sha256WithRsa = sequence(oid('1.2.840.113549.1.1.11'), der(0x05));
const ecdsaWithSha256 = sequence(oid('1.2.840.10045.4.3.2'));
export const sha256 = sequence(oid('2.16.840.1.101.3.4.2.1'), der(0x05));
const algorithmOf = (key: KeyObject) => (key.asymmetricKeyType === 'rsa' ? sha256WithRsa : ecdsaWithSha256);
const day = 24 * 60 * 60 * 1000;

/** A certificate with its key. */
export interface Identity {
  readonly certificate: Buffer;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  readonly name: Buffer;
  readonly issuerName: Buffer;
  readonly serial: bigint;
}

/** Options of a certificate. */
export interface IssueOptions {
  name?: Buffer;
  /** Self-signed if absent. */
  issuer?: Identity;
  emails?: readonly string[];
  isAuthority?: boolean;
  pathLength?: number;
  keyUsage?: number;
  purposes?: readonly string[];
  crlUrl?: string | null;
  from?: Date;
  to?: Date;
  serial?: bigint;
  keys?: { privateKey: KeyObject; publicKey: KeyObject };
  /** Additional extensions. */
  more?: readonly Buffer[];
  /** OIDs of extensions to omit. */
  without?: readonly string[];
}

export function extension(id: string, value: Buffer, critical = false): Buffer {
  return sequence(oid(id), ...(critical ? [der(0x01, Buffer.from([0xff]))] : []), octets(value));
}

const keyIdOf = (key: KeyObject) =>
  createHash('sha1')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest();

function extensionsOf(wishes: IssueOptions, publicKey: KeyObject, issuerKey: KeyObject): Buffer[] {
  const { emails = [], isAuthority = false, pathLength, crlUrl, purposes } = wishes;
  const limit = pathLength === undefined ? [] : [der(0x02, Buffer.from([pathLength]))];
  const basic = isAuthority ? sequence(der(0x01, Buffer.from([0xff])), ...limit) : sequence();
  const usage = Buffer.from([1, wishes.keyUsage ?? (isAuthority ? 0x06 : 0x80)]);
  const point = (url: string) => sequence(der(0xa0, der(0xa0, der(0x86, url))));
  const all: Record<string, Buffer | false> = {
    '2.5.29.19': extension('2.5.29.19', basic, true),
    '2.5.29.15': extension('2.5.29.15', der(0x03, usage), true),
    '2.5.29.37': purposes !== undefined && extension('2.5.29.37', sequence(...purposes.map(oid))),
    '2.5.29.17': emails.length > 0 && extension('2.5.29.17', sequence(...emails.map((email) => der(0x81, email)))),
    '2.5.29.14': extension('2.5.29.14', octets(keyIdOf(publicKey))),
    '2.5.29.35': extension('2.5.29.35', sequence(der(0x80, keyIdOf(issuerKey)))),
    '2.5.29.31': crlUrl !== null && extension('2.5.29.31', sequence(point(crlUrl ?? 'http://crl.example.com/pki.crl'))),
  };
  const wanted = Object.entries(all).filter(([id]) => !wishes.without?.includes(id));
  return [...wanted.flatMap(([, value]) => (value ? [value] : [])), ...(wishes.more ?? [])];
}

function integer(value: bigint): Buffer {
  const hex = value.toString(16);
  // A leading byte of 0x80 or more would make the number negative.
  const digits = /^[89a-f]/.test(hex) || hex.length % 2 === 1 ? `0${hex}` : hex;
  return der(0x02, Buffer.from(digits.padStart(digits.length + (digits.length % 2), '0'), 'hex'));
}

let names = 0;

/** Issues a certificate, with an EC key by default, as these are fast to generate. */
export function issue(wishes: IssueOptions = {}): Identity {
  const keys = wishes.keys ?? generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const name = wishes.name ?? distinguishedName({ O: 'World', OU: 'Example', CN: `Nobody ${++names}` });
  const serial = wishes.serial ?? BigInt(`0x40${randomBytes(15).toString('hex')}`);
  const by = wishes.issuer ?? { ...keys, name };
  const now = Date.now();
  const signed = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    integer(serial),
    algorithmOf(by.privateKey),
    by.name,
    sequence(time(wishes.from ?? new Date(now - day)), time(wishes.to ?? new Date(now + 365 * day))),
    name,
    keys.publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(...extensionsOf(wishes, keys.publicKey, by.publicKey))),
  );
  const value = sign('sha256', signed, by.privateKey);
  const certificate = sequence(signed, algorithmOf(by.privateKey), der(0x03, Buffer.from([0]), value));
  return { certificate, ...keys, name, issuerName: by.name, serial };
}

/** Issues a self-signed root certificate. */
export function issueRoot(wishes: IssueOptions = {}): Identity {
  const name = wishes.name ?? distinguishedName({ O: 'World', OU: 'Example', CN: 'PKI' });
  return issue({ isAuthority: true, crlUrl: null, ...wishes, name });
}

export function pem({ certificate }: Identity): string {
  const lines = certificate.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}

/** A certificate revocation list with these serial numbers. */
export function revocationList(
  issuer: Identity,
  serials: readonly bigint[],
  more: { extensions?: Buffer[] } = {},
): Buffer {
  const now = new Date();
  const entries = serials.map((serial) => sequence(integer(serial), time(now)));
  const signed = sequence(
    der(0x02, Buffer.from([1])),
    algorithmOf(issuer.privateKey),
    issuer.name,
    time(now),
    time(new Date(now.getTime() + day)),
    ...(entries.length > 0 ? [sequence(...entries)] : []),
    ...(more.extensions ? [der(0xa0, sequence(...more.extensions))] : []),
  );
  const value = sign('sha256', signed, issuer.privateKey);
  return sequence(signed, algorithmOf(issuer.privateKey), der(0x03, Buffer.from([0]), value));
}

/** Options of a signature. */
export interface Signing {
  /** Certificates to include. */
  chain?: readonly Identity[];
  /** Null for no signing time. */
  at?: Date | null;
  digest?: Buffer;
  algorithm?: Buffer;
  sign?: (bytes: Buffer) => Buffer;
  /** Identifies the signer by subject key ID. */
  byKeyId?: boolean;
  /** Signs the content directly, without signed attributes. */
  bare?: boolean;
  content?: Buffer;
  messageDigest?: Buffer;
  signers?: number;
}

/** Creates a CMS signature in DER. */
export function signCms(payload: Buffer, signer: Identity, signing: Signing = {}): Buffer {
  const { digest = sha256, chain = [], at = new Date() } = signing;
  const messageDigest = signing.messageDigest ?? createHash('sha256').update(payload).digest();
  const attributes = [
    sequence(oid('1.2.840.113549.1.9.3'), set(oid('1.2.840.113549.1.7.1'))),
    ...(at === null ? [] : [sequence(oid('1.2.840.113549.1.9.5'), set(time(at)))]),
    sequence(oid('1.2.840.113549.1.9.4'), set(octets(messageDigest))),
  ];
  const make = signing.sign ?? ((bytes: Buffer) => sign('sha256', bytes, signer.privateKey));
  const info = sequence(
    der(0x02, Buffer.from([1])),
    signing.byKeyId ? der(0x80, keyIdOf(signer.publicKey)) : sequence(signer.issuerName, integer(signer.serial)),
    digest,
    ...(signing.bare ? [] : [der(0xa0, ...attributes)]),
    signing.algorithm ?? algorithmOf(signer.privateKey),
    octets(make(signing.bare ? payload : set(...attributes))),
  );
  const own = signing.content ? [der(0xa0, octets(signing.content))] : [];
  const data = sequence(
    der(0x02, Buffer.from([1])),
    set(digest),
    sequence(oid('1.2.840.113549.1.7.1'), ...own),
    der(0xa0, signer.certificate, ...chain.map(({ certificate }) => certificate)),
    set(...Array.from({ length: signing.signers ?? 1 }, () => info)),
  );
  return sequence(oid('1.2.840.113549.1.7.2'), der(0xa0, data));
}

/** Encodes a signature like git. */
export function armor(cms: Buffer): string {
  const lines = cms.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN SIGNED MESSAGE-----\n${lines.join('\n')}\n-----END SIGNED MESSAGE-----\n`;
}
