import assert from 'node:assert/strict';
import { test } from 'node:test';
import Type from 'typebox';
import { type Encryption, Undecryptable } from '../../../src/platform/secrets/encryption.ts';
import { sealedJson } from '../../../src/platform/secrets/sealed-json.ts';

/** Says for which purpose it was; that nobody can write such a text without the key is what tests of encryption show. */
const encryption: Pick<Encryption, 'encrypt' | 'decrypt'> = {
  encrypt: (plain, purpose) => `${purpose}|${plain}`,
  decrypt(text, purpose) {
    if (!text.startsWith(`${purpose}|`)) throw new Undecryptable('not for this');
    return text.slice(purpose.length + 1);
  },
};
const tickets = sealedJson('tickets', Type.Object({ seat: Type.Integer() }));

test('sealed JSON is opened for the purpose it was sealed for, and for no other', () => {
  const sealed = tickets.seal(encryption, { seat: 7 });
  assert.deepEqual(tickets.open(encryption, sealed), { seat: 7 });
  assert.equal(sealedJson('meals', Type.Object({ seat: Type.Integer() })).open(encryption, sealed), undefined);
  assert.equal(tickets.open(encryption, 'made up'), undefined);
});

test('sealed JSON of another shape is a mistake of ours, and thrown', () => {
  assert.throws(() => tickets.open(encryption, encryption.encrypt('{"seat":"seven"}', 'tickets')), TypeError);
});
