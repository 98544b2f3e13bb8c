import { type Address, embedded4, matchesPrefix, type Prefix, parseAddress, parsePrefix } from './address.ts';

/** Why requests to an address are forbidden. */
export type ForbiddenAddressKind = 'localhost' | 'local' | 'link-local' | 'metadata' | 'reserved';

/** The error message for each kind of address. */
export const refusals: Readonly<Record<ForbiddenAddressKind, string>> = {
  localhost: 'Requests to localhost are not allowed',
  local: 'Requests to the local network are not allowed',
  'link-local': 'Requests to the link local network are not allowed',
  metadata: 'Requests to the link local network are not allowed',
  reserved: 'Requests to reserved addresses are not allowed',
};

// The IANA registries of special-purpose addresses, multicast, and the metadata services of cloud providers. The first
// match decides, so single addresses come first.
const registry = prefixes({
  metadata: [
    '169.254.169.254', // AWS, Azure, Google and most others
    '169.254.170.2', // AWS container credentials
    '169.254.170.23', // AWS pod identity
    '168.63.129.16', // Azure: a public address that only its machines reach
    '100.100.100.200', // Alibaba
    '192.0.0.192', // Oracle
    'fd00:ec2::254', // AWS
    'fd00:ec2::23', // AWS pod identity
    'fd20:ce::254', // Google
  ],
  localhost: ['127.0.0.0/8', '0.0.0.0/8', '::1', '::'],
  'link-local': ['169.254.0.0/16', 'fe80::/10'],
  local: [
    '10.0.0.0/8',
    '172.16.0.0/12',
    '192.168.0.0/16',
    '100.64.0.0/10', // carrier-grade NAT
    'fc00::/7',
    'fec0::/10', // deprecated site-local
    '64:ff9b:1::/48', // local-use NAT64
  ],
  reserved: [
    '192.0.0.0/24', // protocol assignments
    '192.0.2.0/24', // documentation, like the next two
    '198.51.100.0/24',
    '203.0.113.0/24',
    '192.88.99.0/24', // 6to4 relays
    '198.18.0.0/15', // benchmarks
    '224.0.0.0/4', // multicast
    '240.0.0.0/4', // future use and broadcast
    '2001::/23', // protocol assignments; Teredo is in it
    '2001:db8::/32', // documentation, like the next
    '3fff::/20',
    '2002::/16', // 6to4
  ],
});

const globalUnicast = prefix('2000::/3');
const nat64 = prefix('64:ff9b::/96');

// IPv6 ranges that embed an IPv4 address: some networks deliver to that address, so it is the one checked.
const carriers: readonly { prefix: Prefix; shift: number; invert?: boolean }[] = [
  { prefix: prefix('::/96'), shift: 0 }, // deprecated IPv4-compatible
  { prefix: prefix('::ffff:0:0:0/96'), shift: 0 }, // translated
  { prefix: nat64, shift: 0 },
  { prefix: prefix('2002::/16'), shift: 80 }, // 6to4
  { prefix: prefix('2001::/32'), shift: 0, invert: true }, // Teredo: the client's address, inverted
];

/** The kind of a special address; undefined for a public one. Unparsable addresses count as reserved. */
export function forbiddenAddressKind(text: string): ForbiddenAddressKind | undefined {
  const address = parseAddress(text);
  // A zone id refers to an interface of this machine.
  if (!address) return text.includes('%') ? 'link-local' : 'reserved';
  return reach(address);
}

function reach(address: Address): ForbiddenAddressKind | undefined {
  const own = registry.find(({ prefix }) => matchesPrefix(address, prefix))?.reach;
  if (address.family === 4 || (own && own !== 'reserved')) return own;
  return reachThrough(address) ?? own ?? outsideAllocated(address);
}

function reachThrough(address: Address): ForbiddenAddressKind | undefined {
  for (const { prefix, shift, invert } of carriers) {
    if (!matchesPrefix(address, prefix)) continue;
    const carried = embedded4(address, shift);
    return reach(invert ? { family: 4, value: carried.value ^ 0xffff_ffffn } : carried);
  }
  // ISATAP embeds IPv4 in the last half of any prefix, after 0:5efe with or without the "universal" bit.
  const marker = (address.value >> 32n) & 0xfdff_ffffn;
  return marker === 0x5efen ? reach(embedded4(address)) : undefined;
}

// Only 2000::/3 is allocated; a NAT64 address represents an IPv4 address, which was found to be public above.
function outsideAllocated(address: Address): ForbiddenAddressKind | undefined {
  return matchesPrefix(address, globalUnicast) || matchesPrefix(address, nat64) ? undefined : 'reserved';
}

function prefixes(
  table: Partial<Record<ForbiddenAddressKind, string[]>>,
): { reach: ForbiddenAddressKind; prefix: Prefix }[] {
  return Object.entries(table).flatMap(([reach, texts]) =>
    texts.map((text) => ({ reach: reach as ForbiddenAddressKind, prefix: prefix(text) })),
  );
}

function prefix(text: string): Prefix {
  const found = parsePrefix(text);
  if (!found) throw new Error(`not a prefix: ${text}`);
  return found;
}
