import assert from 'node:assert/strict';
import { createSecretKey, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { decryptState, encryptState } from '../../../src/ci/terraform-states/sealed.ts';
import { SerialScanner } from '../../../src/ci/terraform-states/serial.ts';
import { createEncryption } from '../../../src/platform/secrets/encryption.ts';

const none = { problem: 'No serial in payload' };
const broken = { problem: 'invalid JSON' };
const cases: readonly (readonly [text: string, found: object])[] = [
  ['{"version":4,"terraform_version":"1.9.0","serial":7,"lineage":"x","resources":[]}', { serial: 7 }],
  ['{\n  "version": 4,\n  "serial": 0\n}\n', { serial: 0 }],
  ['{"resources":[{"serial":1}],"serial":2}', { serial: 2 }],
  ['{"resources":[{"serial":1}]}', none],
  ['{"outputs":{"serial":3},"a":"\\"serial\\":4"}', none],
  ['{"a":"\\\\","serial":5}', { serial: 5 }],
  ['{"a":"{[","serial":6}', { serial: 6 }],
  ['{"serial":"7"}', none],
  ['{"serial":-1}', none],
  ['{"serial":1.5}', none],
  ['{"serial":99999999999999999999}', none],
  ['{"serial":{"a":1}}', none],
  ['{"serial":null}', none],
  ['{}', none],
  ['[{"serial":1}]', broken],
  ['{"serial":1', broken],
  ['{"serial":1}}', broken],
  ['{"serial":1} {"serial":2}', broken],
  ['{"a":"', broken],
  ['serial', broken],
  ['', broken],
];

describe('SerialScanner', () => {
  for (const [text, found] of cases) {
    it(JSON.stringify(text), () => {
      for (const pieces of [[Buffer.from(text)], [...text].map((letter) => Buffer.from(letter))]) {
        const scanner = new SerialScanner();
        for (const piece of pieces) scanner.take(piece);
        assert.deepEqual(scanner.end(), found);
      }
    });
  }
});

describe('encrypted Terraform states', () => {
  const encryption = createEncryption([{ id: '0123abcd', secret: createSecretKey(randomBytes(32)) }]);
  const bytes = randomBytes(200_000);
  const seal = (file: string) => buffer(Readable.from(encryptState(encryption, file, Readable.from([bytes]))));
  const open = (file: string, kept: Buffer) =>
    buffer(Readable.from(decryptState(encryption, file, Readable.from([kept]))));

  it('decrypt to the original bytes and do not contain them', async () => {
    const kept = await seal('a');
    assert.deepEqual(await open('a', kept), bytes);
    assert.ok(!kept.includes(bytes.subarray(0, 16)));
  });

  it('are rejected if truncated, reordered or bound to another file', async () => {
    const kept = await seal('a');
    const lines = kept.toString().split('\n');
    assert.equal(lines.length, 6);
    const [first = '', second = '', ...rest] = lines;
    await assert.rejects(open('a', Buffer.from(lines.slice(0, 3).join('\n'))));
    await assert.rejects(open('a', Buffer.from(`${lines.slice(0, 4).join('\n')}\n`)));
    await assert.rejects(open('a', Buffer.from([second, first, ...rest].join('\n'))));
    await assert.rejects(open('b', kept));
    await assert.rejects(open('a', Buffer.alloc(0)));
  });
});
