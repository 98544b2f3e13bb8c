import { hash } from 'node:crypto';

/** A packet of an OpenPGP message. */
interface Packet {
  readonly tag: number;
  readonly body: Buffer;
}

/** Reads the packets of a message; throws if one is truncated or has no definite length. */
function* readPackets(bytes: Buffer): Generator<Packet> {
  let at = 0;
  while (at < bytes.length) {
    const header = bytes.readUInt8(at);
    if ((header & 0x80) === 0) throw new RangeError('not a packet');
    const isNew = (header & 0x40) !== 0;
    const tag = isNew ? header & 0x3f : (header >> 2) & 0x0f;
    const [length, start] = isNew ? newLength(bytes, at + 1) : oldLength(bytes, at + 1, header & 3);
    if (start + length > bytes.length) throw new RangeError('truncated packet');
    yield { tag, body: bytes.subarray(start, start + length) };
    at = start + length;
  }
}

/** Reads a packet length; returns the length and the offset of the content. */
function newLength(bytes: Buffer, at: number): [number, number] {
  const first = bytes.readUInt8(at);
  if (first < 192) return [first, at + 1];
  if (first < 224) return [((first - 192) << 8) + bytes.readUInt8(at + 1) + 192, at + 2];
  if (first === 255) return [bytes.readUInt32BE(at + 1), at + 5];
  throw new RangeError('partial body lengths are not allowed in a key');
}

function oldLength(bytes: Buffer, at: number, type: number): [number, number] {
  if (type === 0) return [bytes.readUInt8(at), at + 1];
  if (type === 1) return [bytes.readUInt16BE(at), at + 2];
  if (type === 2) return [bytes.readUInt32BE(at), at + 4];
  throw new RangeError('indeterminate lengths are not allowed in a key');
}

const block = /^-----BEGIN PGP PUBLIC KEY BLOCK-----\r?\n([\s\S]*?)\r?\n-----END PGP PUBLIC KEY BLOCK-----\s*$/;

/** Decodes an ASCII-armored public key; undefined for anything else, in particular private keys. */
function readArmor(text: string): Buffer | undefined {
  const body = block.exec(text.trim())?.[1];
  if (body === undefined) return undefined;
  const lines = body.split(/\r?\n/);
  // Headers, if any, end with a blank line; the checksum line starts with an equals sign.
  const blank = lines.findIndex((line) => line.trim() === '');
  if (lines.slice(0, Math.max(blank, 0)).some((line) => !/^[A-Za-z]+: /.test(line))) return undefined;
  const data = lines.slice(blank + 1).filter((line) => !line.startsWith('='));
  const encoded = data.join('').replaceAll(/\s/g, '');
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(encoded)) return undefined;
  const checksum = lines.findLast((line) => line.startsWith('='));
  const bytes = Buffer.from(encoded, 'base64');
  return checksum === undefined || checksum.slice(1).trim() === crc24(bytes) ? bytes : undefined;
}

/** Returns the armor checksum in base64. */
function crc24(bytes: Buffer): string {
  let crc = 0xb704ce;
  for (const byte of bytes) {
    crc ^= byte << 16;
    for (let bit = 0; bit < 8; bit++) {
      crc <<= 1;
      if (crc & 0x1000000) crc ^= 0x1864cfb;
    }
  }
  return Buffer.from([(crc >> 16) & 0xff, (crc >> 8) & 0xff, crc & 0xff]).toString('base64');
}

/** Stored properties of an OpenPGP public key. Ids are upper-case hex. */
export interface GpgKey {
  readonly fingerprint: string;
  readonly keyId: string;
  readonly subkeyIds: readonly string[];
  /** Lower-case e-mail addresses of its user ids; unverified until compared with those of the owner. */
  readonly emails: readonly string[];
}

const tags = { secretKey: 5, publicKey: 6, secretSubkey: 7, userId: 13, publicSubkey: 14 };

/** Parses an armored block with a single public key; undefined for anything else. */
export function parseGpgKey(text: string): GpgKey | undefined {
  const bytes = readArmor(text);
  if (!bytes) return undefined;
  try {
    return readKey(bytes);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function readKey(bytes: Buffer): GpgKey | undefined {
  let primary: Identity | undefined;
  const subkeyIds: string[] = [];
  const emails = new Set<string>();
  for (const { tag, body } of readPackets(bytes)) {
    if (tag === tags.secretKey || tag === tags.secretSubkey) return undefined;
    if (tag === tags.publicKey) {
      if (primary) return undefined;
      primary = identify(body);
    } else if (!primary) return undefined;
    else if (tag === tags.publicSubkey) subkeyIds.push(identify(body).keyId);
    else if (tag === tags.userId) {
      const email = addressOf(body.toString('utf8'));
      if (email) emails.add(email);
    }
  }
  return primary && { ...primary, subkeyIds, emails: [...emails] };
}

interface Identity {
  readonly fingerprint: string;
  readonly keyId: string;
}

/**
 * Computes fingerprint and key id as in RFC 4880 (version 4) and RFC 9580 (version 6); both hash the packet prefixed by
 * its length.
 */
function identify(body: Buffer): Identity {
  const version = body.readUInt8(0);
  if (version === 4) {
    const prefix = Buffer.from([0x99, body.length >> 8, body.length & 0xff]);
    const fingerprint = hash('sha1', Buffer.concat([prefix, body]), 'hex').toUpperCase();
    return { fingerprint, keyId: fingerprint.slice(-16) };
  }
  if (version === 6) {
    const prefix = Buffer.alloc(5);
    prefix.writeUInt8(0x9b);
    prefix.writeUInt32BE(body.length, 1);
    const fingerprint = hash('sha256', Buffer.concat([prefix, body]), 'hex').toUpperCase();
    return { fingerprint, keyId: fingerprint.slice(0, 16) };
  }
  throw new RangeError('unsupported key version');
}

/** Extracts the address from `Name (comment) <address>` or a bare address. */
function addressOf(userId: string): string | undefined {
  const found = /<([^<>\s@]+@[^<>\s@]+)>\s*$/.exec(userId)?.[1] ?? /^[^<>\s@]+@[^<>\s@]+$/.exec(userId)?.[0];
  return found?.toLowerCase();
}
