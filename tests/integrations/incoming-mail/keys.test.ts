import assert from 'node:assert/strict';
import { createSecretKey } from 'node:crypto';
import { describe, it } from 'node:test';
import { addressFor, keyIn, maxKeyLength } from '../../../src/integrations/incoming-mail/addresses/address.ts';
import {
  fromBase32,
  readNumbers,
  toBase32,
  writeNumbers,
} from '../../../src/integrations/incoming-mail/addresses/compact.ts';
import {
  isGenuine,
  issueKey,
  issueToken,
  readKey,
  replyKey,
} from '../../../src/integrations/incoming-mail/addresses/keys.ts';
import { createEncryption } from '../../../src/platform/secrets/encryption.ts';

const encryption = createEncryption([{ id: '00000000', secret: createSecretKey(Buffer.alloc(32, 1)) }]);
const others = createEncryption([{ id: '00000001', secret: createSecretKey(Buffer.alloc(32, 2)) }]);

describe('base32', () => {
  // RFC 4648, section 10, in lower case and without padding.
  const known = { '': '', f: 'my', fo: 'mzxq', foo: 'mzxw6', foob: 'mzxw6yq', fooba: 'mzxw6ytb', foobar: 'mzxw6ytboi' };
  for (const [text, coded] of Object.entries(known)) {
    it(`encodes and decodes ${JSON.stringify(text)}`, () => {
      assert.equal(toBase32(Buffer.from(text)), coded);
      assert.equal(fromBase32(coded)?.toString(), text);
    });
  }

  it('rejects non-canonical encodings', () => {
    for (const text of ['mz', 'm', 'MY', 'my=', 'm1', 'mzxw6y', ' my']) assert.equal(fromBase32(text), undefined, text);
  });
});

describe('variable-length integers', () => {
  it('round-trip, and have a single encoding', () => {
    for (const numbers of [[], [0], [1, 127, 128, 0], [300, 2 ** 31, 2 ** 32 + 1, Number.MAX_SAFE_INTEGER]]) {
      assert.deepEqual(readNumbers(writeNumbers(numbers)), numbers);
    }
    for (const bytes of [[128], [128, 0], [255, 255, 255, 255, 255, 255, 255, 127]]) {
      assert.equal(readNumbers(Buffer.from(bytes)), undefined);
    }
  });
});

describe('mail keys', () => {
  const reply = { userId: 7, type: 'MergeRequest', id: 123_456, noteId: 99 } as const;

  it('identify the user and the noteable, and cannot be altered', () => {
    const text = replyKey(encryption, reply, 0);
    const key = readKey(text);
    assert.ok(key?.kind === 'reply');
    assert.deepEqual([key.userId, key.type, key.id, key.noteId], [7, 'MergeRequest', 123_456, 99]);
    assert.equal(isGenuine(encryption, key, 0), true);
    assert.equal(isGenuine(encryption, key, 1), false);
    assert.equal(isGenuine(others, key, 0), false);
    for (let at = 0; at < text.length; at += 1) {
      const changed = text.slice(0, at) + (text[at] === 'a' ? 'b' : 'a') + text.slice(at + 1);
      const found = readKey(changed);
      assert.equal(found !== undefined && isGenuine(encryption, found, 0), false, changed);
    }
  });

  it('fit into the maximum length of a local part', () => {
    const large = { userId: 2 ** 31, type: 'Issue', id: 2 ** 40, noteId: 2 ** 40 } as const;
    const pattern = 'incoming+%{key}@example.com';
    assert.ok(replyKey(encryption, large, 9).length <= maxKeyLength(pattern));
    const token = issueToken(encryption, 2 ** 31, 0);
    for (const path of ['a/b', 'group/'.repeat(40), '---', 'Group.x/Pro_ject']) {
      const key = issueKey(path, 2 ** 31, token, maxKeyLength(pattern));
      assert.ok(key.length <= maxKeyLength(pattern), key);
      const read = readKey(key);
      assert.ok(read?.kind === 'issue' && read.projectId === 2 ** 31 && isGenuine(encryption, read, 0));
    }
    assert.match(issueKey('Group.x/Pro_ject', 7, token, 200), /^group-x-pro-ject-7-[a-z2-7]+-issue$/);
  });

  it('of one kind are not valid for the other', () => {
    const token = issueToken(encryption, 7, 0);
    const answer = replyKey(encryption, reply, 0);
    for (const text of [token, `1-${answer}-issue`, `x-${token}-issue`, `1-${token}-merge-request`, '', '-issue']) {
      assert.equal(readKey(text), undefined, text);
    }
  });
});

describe('keys in addresses', () => {
  const cases: readonly [pattern: string, address: string, key: string | undefined][] = [
    ['incoming+%{key}@example.com', 'incoming+abc@example.com', 'abc'],
    ['incoming+%{key}@example.com', ' INCOMING+ABC@EXAMPLE.COM ', 'abc'],
    ['Incoming+%{key}@Example.com', 'incoming+abc@example.com', 'abc'],
    ['incoming+%{key}@example.com', 'incoming+@example.com', undefined],
    ['incoming+%{key}@example.com', 'incoming@example.com', undefined],
    ['incoming+%{key}@example.com', 'incoming+abc@example.com.evil.org', undefined],
    ['incoming+%{key}@example.com', 'xincoming+abc@example.com', undefined],
    ['%{key}@in.example.com', 'abc@in.example.com', 'abc'],
    ['in-%{key}-x@example.com', 'in-x@example.com', undefined],
  ];
  for (const [pattern, address, key] of cases) {
    it(`are parsed from ${address} with pattern ${pattern}`, () => assert.equal(keyIn(pattern, address), key));
  }

  it('are inserted literally', () => assert.equal(addressFor('a+%{key}@b.c', '$&$1'), 'a+$&$1@b.c'));
});
