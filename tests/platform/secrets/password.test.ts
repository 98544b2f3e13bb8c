import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Busy } from '../../../src/platform/concurrency.ts';
import { createPasswords } from '../../../src/platform/secrets/password.ts';
import { formatPhc, parsePhc } from '../../../src/platform/secrets/phc.ts';

const cheap = { memory: 64, passes: 1, parallelism: 1 };
const passwords = createPasswords({ cost: cheap });

describe('passwords', () => {
  test('accepts the right password and rejects others', async () => {
    const stored = await passwords.hash('correct horse');
    assert.match(stored, /^\$argon2id\$v=19\$m=64,t=1,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
    assert.equal(await passwords.verify('correct horse', stored), true);
    for (const wrong of ['', 'correct', 'correct horse ', 'Correct horse']) {
      assert.equal(await passwords.verify(wrong, stored), false, wrong);
    }
  });

  test('hashes the same password differently each time', async () => {
    assert.notEqual(await passwords.hash('same'), await passwords.hash('same'));
  });

  test('rejects every password for accounts without one', async () => {
    for (const stored of [undefined, null, '']) assert.equal(await passwords.verify('', stored), false);
  });

  test('normalizes accented letters', async () => {
    const stored = await passwords.hash('caf\u00e9');
    assert.equal(await passwords.verify('cafe\u0301', stored), true);
  });

  test('verifies a hash of another implementation', async () => {
    // A published vector of the reference implementation: password "password", salt "somesalt", t=2, m=2^16, p=1.
    const known = '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc';
    assert.equal(await passwords.verify('password', known), true);
    assert.equal(await passwords.verify('passwore', known), false);
  });

  test('a higher cost keeps old hashes valid and requests a rehash', async () => {
    const stored = await passwords.hash('secret');
    const costlier = createPasswords({ cost: { ...cheap, passes: 2 } });
    assert.equal(passwords.needsRehash(stored), false);
    assert.equal(costlier.needsRehash(stored), true);
    assert.equal(await costlier.verify('secret', stored), true);
  });

  test('throws for an invalid hash', async () => {
    for (const stored of ['secret', '$2b$10$abcdefghijklmnopqrstuv', '$argon2id$v=16$m=64,t=1,p=1$c2FsdA$aGFzaA']) {
      await assert.rejects(passwords.verify('secret', stored), /not an argon2id hash/);
    }
  });

  test('hashes off the main thread', async () => {
    let turns = 0;
    let hashed = false;
    const done = createPasswords()
      .hash('secret')
      .then(() => {
        hashed = true;
      });
    while (!hashed) {
      turns += 1;
      await new Promise(setImmediate);
    }
    await done;
    // Work on the main thread would be over within the first turn.
    assert.ok(turns > 2, `the loop turned ${turns} times meanwhile`);
  });

  test('rejects calls beyond the queue limit', async () => {
    const few = createPasswords({ cost: cheap, concurrency: 1, waiting: 3 });
    const outcomes = await Promise.allSettled(Array.from({ length: 10 }, () => few.hash('secret')));
    const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
    assert.equal(refused.length, 6);
    for (const outcome of refused) assert.ok(outcome.reason instanceof Busy);
    assert.ok(await few.hash('afterwards it works again'));
  });
});

test('PHC strings survive formatting and parsing', () => {
  const hash = { memory: 19_456, passes: 2, parallelism: 1, salt: Buffer.alloc(16, 7), hash: Buffer.alloc(32, 9) };
  assert.deepEqual(parsePhc(formatPhc(hash)), hash);
});
