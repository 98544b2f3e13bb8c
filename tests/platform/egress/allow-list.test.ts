import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readAllowList } from '../../../src/platform/egress/allow-list.ts';

// entry, host, address, port, expected
const cases: [string, string, string, number, boolean][] = [
  ['forge.internal', 'forge.internal', '10.0.0.1', 80, true],
  ['Forge.Internal.', 'forge.internal', '10.0.0.1', 80, true],
  ['forge.internal', 'forge.internal.evil.com', '10.0.0.1', 80, false],
  ['forge.internal', 'evil-forge.internal', '10.0.0.1', 80, false],
  ['forge.internal', 'sub.forge.internal', '10.0.0.1', 80, false],
  ['forge.internal:8080', 'forge.internal', '10.0.0.1', 8080, true],
  ['forge.internal:8080', 'forge.internal', '10.0.0.1', 80, false],
  ['10.0.0.1', 'anything', '10.0.0.1', 80, true],
  ['10.0.0.1', 'anything', '::ffff:10.0.0.1', 80, true],
  ['10.0.0.1', 'anything', '10.0.0.2', 80, false],
  ['10.0.0.1:81', 'anything', '10.0.0.1', 81, true],
  ['10.0.0.1:81', 'anything', '10.0.0.1', 80, false],
  ['10.0.0.0/8', 'anything', '10.200.0.1', 80, true],
  ['10.0.0.0/8', 'anything', '11.0.0.1', 80, false],
  ['10.0.0.0/8:443', 'anything', '10.1.1.1', 443, true],
  ['10.0.0.0/8:443', 'anything', '10.1.1.1', 80, false],
  ['0.0.0.0/0', 'anything', '192.168.1.1', 80, true],
  ['0.0.0.0/0', 'anything', 'fd00::1', 80, false],
  ['fd00::1', 'anything', 'fd00:0:0::1', 80, true],
  ['[fd00::1]:8080', 'anything', 'fd00::1', 8080, true],
  ['[fd00::1]:8080', 'anything', 'fd00::1', 80, false],
  ['fd00::/8', 'anything', 'fdab::1', 80, true],
  ['::1', 'localhost', '::1', 3000, true],
];

test('an entry allows exactly what it names', () => {
  for (const [entry, host, address, port, expected] of cases) {
    const label = `${entry} for ${host} ${address} ${port}`;
    assert.equal(readAllowList([entry])(host, address, port), expected, label);
  }
});

test('an empty list allows nothing', () => {
  assert.equal(readAllowList([])('localhost', '127.0.0.1', 80), false);
});

test('invalid entries throw', () => {
  const wrong = [
    '',
    '10.0.0.0/33',
    '10.0.0.300',
    '10.0',
    'http://host',
    'a b',
    '*.internal',
    'host:99999',
    '-x',
    '::1/129',
  ];
  for (const entry of wrong) assert.throws(() => readAllowList([entry]), /not a host/, entry);
});
