import assert from 'node:assert/strict';
import { test } from 'node:test';
import Type from 'typebox';
import { type Encryption, Undecryptable } from '../../../src/platform/secrets/encryption.ts';
import { sealedJson } from '../../../src/platform/secrets/sealed-json.ts';

/** A fake that only records the purpose; the tests of encryption cover security. */
const encryption: Pick<Encryption, 'encrypt' | 'decrypt'> = {
  encrypt: (plain, purpose) => `${purpose}|${plain}`,
  decrypt(text, purpose) {
    if (!text.startsWith(`${purpose}|`)) throw new Undecryptable('not for this');
    return text.slice(purpose.length + 1);
  },
};
const tickets = sealedJson('tickets', Type.Object({ seat: Type.Integer() }));

test('sealed JSON can only be opened for its purpose', () => {
  const sealed = tickets.seal(encryption, { seat: 7 });
  assert.deepEqual(tickets.open(encryption, sealed), { seat: 7 });
  assert.equal(sealedJson('meals', Type.Object({ seat: Type.Integer() })).open(encryption, sealed), undefined);
  assert.equal(tickets.open(encryption, 'made up'), undefined);
});

test('sealed JSON that does not match the schema throws', () => {
  assert.throws(() => tickets.open(encryption, encryption.encrypt('{"seat":"seven"}', 'tickets')), TypeError);
});
