import { hash } from 'node:crypto';
import { readArmor } from './armor.ts';
import { readPackets } from './packets.ts';

/** What is kept of an OpenPGP public key beside its text. Ids are upper-case hex. */
export interface GpgKey {
  readonly fingerprint: string;
  readonly keyId: string;
  readonly subkeyIds: readonly string[];
  /** Lower-case addresses of its user ids; claims, until they are held against those of the owner. */
  readonly emails: readonly string[];
}

const tags = { secretKey: 5, publicKey: 6, secretSubkey: 7, userId: 13, publicSubkey: 14 };

/** Reads an armored block with one public key; undefined when it is anything else. */
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

/** By RFC 4880 for version 4, RFC 9580 for version 6; both digest the packet with its length before it. */
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
  throw new RangeError('a key of a version that is not read');
}

/** `Name (comment) <address>`, or the address alone. */
function addressOf(userId: string): string | undefined {
  const found = /<([^<>\s]+@[^<>\s]+)>\s*$/.exec(userId)?.[1] ?? /^[^<>\s]+@[^<>\s]+$/.exec(userId)?.[0];
  return found?.toLowerCase();
}
