import assert from 'node:assert/strict';
import { test } from 'node:test';
import { forbiddenAddressKind, refusals } from '../../../src/platform/egress/guard.ts';
import fc from '../../support/properties.ts';

const refusal = (address: string) => {
  const reach = forbiddenAddressKind(address);
  return reach && refusals[reach];
};

const localhost = 'Requests to localhost are not allowed';
const local = 'Requests to the local network are not allowed';
const linkLocal = 'Requests to the link local network are not allowed';
const reserved = 'Requests to reserved addresses are not allowed';

const refused: Record<string, string> = {
  '127.0.0.1': localhost,
  '127.255.255.255': localhost,
  '0.0.0.0': localhost,
  '0.1.2.3': localhost,
  '::1': localhost,
  '::': localhost,
  '0:0:0:0:0:0:0:1': localhost,
  '::0001': localhost,
  '10.0.0.0': local,
  '10.255.255.255': local,
  '172.16.0.0': local,
  '172.31.255.255': local,
  '192.168.0.1': local,
  '100.64.0.1': local,
  '100.127.255.255': local,
  'fc00::1': local,
  'fdff:ffff::1': local,
  'fec0::1': local,
  '64:ff9b:1::1': local,
  '169.254.0.1': linkLocal,
  'fe80::1': linkLocal,
  'febf::1': linkLocal,
  'fe80::1%eth0': linkLocal,
  '::1%lo': linkLocal,
  // Metadata services of cloud providers.
  '169.254.169.254': linkLocal,
  '169.254.170.2': linkLocal,
  '168.63.129.16': linkLocal,
  '100.100.100.200': linkLocal,
  '192.0.0.192': linkLocal,
  'fd00:ec2::254': linkLocal,
  'fd20:ce::254': linkLocal,
  '192.0.0.1': reserved,
  '192.0.2.1': reserved,
  '192.88.99.1': reserved,
  '198.18.0.1': reserved,
  '198.19.255.255': reserved,
  '198.51.100.1': reserved,
  '203.0.113.1': reserved,
  '224.0.0.1': reserved,
  '239.255.255.255': reserved,
  '240.0.0.1': reserved,
  '255.255.255.255': reserved,
  'ff02::1': reserved,
  'ff0e::1': reserved,
  '100::1': reserved,
  '5f00::1': reserved,
  '4000::1': reserved,
  '2001:db8::1': reserved,
  '3fff::1': reserved,
  '2001:2::1': reserved,
  '2001:10::1': reserved,
  // IPv4 embedded in IPv6.
  '::ffff:127.0.0.1': localhost,
  '::ffff:7f00:1': localhost,
  '0:0:0:0:0:ffff:a00:1': local,
  '::ffff:169.254.169.254': linkLocal,
  '::127.0.0.1': localhost,
  '::10.0.0.1': local,
  '::8.8.8.8': reserved,
  '::ffff:0:10.0.0.1': local,
  '::ffff:0:8.8.8.8': reserved,
  '64:ff9b::127.0.0.1': localhost,
  '64:ff9b::a9fe:a9fe': linkLocal,
  '64:ff9b::192.168.1.1': local,
  '2002:7f00:1::': localhost,
  '2002:a00:1::1': local,
  '2002:a9fe:a9fe::': linkLocal,
  '2002:808:808::1': reserved,
  '2001:0:4136:e378:8000:63bf:3fff:fdd2': reserved,
  '2001::f5ff:fffe': local,
  '2600:1f18::5efe:10.0.0.1': local,
  '2600:1f18::200:5efe:127.0.0.1': localhost,
  // Not addresses.
  '': reserved,
  localhost: reserved,
  '127.1': reserved,
  '[::1]': reserved,
  '0177.0.0.1': reserved,
};

const open = [
  '1.1.1.1',
  '8.8.8.8',
  '9.255.255.255',
  '11.0.0.0',
  '172.15.255.255',
  '172.32.0.0',
  '192.167.255.255',
  '192.169.0.0',
  '100.63.255.255',
  '100.128.0.0',
  '169.253.255.255',
  '169.255.0.0',
  '168.63.129.15',
  '198.17.255.255',
  '198.20.0.0',
  '223.255.255.255',
  '2606:4700:4700::1111',
  '2a00:1450:4001:831::200e',
  '2001:4860:4860::8888',
  '::ffff:8.8.8.8',
  '64:ff9b::8.8.8.8',
  '2600:1f18::5efe:8.8.8.8',
];

test('local, private and reserved addresses are rejected with their reason (CVE-2026-22874)', () => {
  for (const [address, reason] of Object.entries(refused)) assert.equal(refusal(address), reason, address);
});

test('public addresses are allowed', () => {
  for (const address of open) assert.equal(refusal(address), undefined, address);
});

test('embedding a rejected IPv4 address in IPv6 does not make it allowed', () => {
  const byte = fc.nat(255);
  const hex = (high: number, low: number) => ((high << 8) | low).toString(16);
  fc.assert(
    fc.property(byte, byte, byte, byte, (a, b, c, d) => {
      const plain = `${a}.${b}.${c}.${d}`;
      const pair = `${hex(a, b)}:${hex(c, d)}`;
      const inverted = `${hex(255 - a, 255 - b)}:${hex(255 - c, 255 - d)}`;
      const written = [
        `::ffff:${plain}`,
        `::ffff:${pair}`,
        `::${pair}`,
        `::ffff:0:${pair}`,
        `64:ff9b::${plain}`,
        `2002:${pair}::1`,
        `2001:0:1:1:0:0:${inverted}`,
        `2a00::5efe:${pair}`,
      ];
      if (refusal(plain) === undefined) return;
      for (const text of written) assert.notEqual(refusal(text), undefined, `${plain} as ${text}`);
    }),
    {
      numRuns: 2000,
      examples: [
        [127, 0, 0, 1],
        [10, 0, 0, 1],
        [169, 254, 169, 254],
        [0, 0, 0, 0],
      ],
    },
  );
});
