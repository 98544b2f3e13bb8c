import assert from 'node:assert/strict';
import { test } from 'node:test';
import { migrations } from '../../src/migrations/list.ts';
import { migrate } from '../../src/platform/database/migrator.ts';
import { forEachEngine, openTestDatabase } from '../support/engines.ts';

forEachEngine((engine) => {
  test('the subkeys of existing keys get their own rows', async () => {
    const at = migrations.findIndex(({ name }) => name === '0032-signatures');
    const db = await openTestDatabase(engine, migrations.slice(0, at));
    const key = (fingerprint: string, subkeys: string[]) => ({
      key: 'key',
      fingerprint,
      primary_keyid: fingerprint,
      subkeys: JSON.stringify(subkeys),
      created_at: 0,
    });
    await db.write(async (trx) => {
      const user = { username: 'ann', name: 'Ann', email: 'ann@example.com', created_at: 0, updated_at: 0 };
      const { id } = await trx.insertInto('users').values(user).returning('id').executeTakeFirstOrThrow();
      const keys = [key('A', ['A2', 'A1']), key('B', []), key('C', ['C1'])];
      for (const row of keys)
        await trx
          .insertInto('gpg_keys')
          .values({ ...row, user_id: id })
          .execute();
    });
    await migrate(db, migrations);
    const rows = await db.read
      .selectFrom('gpg_key_subkeys as s')
      .innerJoin('gpg_keys as k', 'k.id', 's.gpg_key_id')
      .select(['k.fingerprint', 's.keyid'])
      .orderBy('s.id')
      .execute();
    assert.deepEqual(
      rows.map(({ fingerprint, keyid }) => [fingerprint, keyid]),
      [
        ['A', 'A2'],
        ['A', 'A1'],
        ['C', 'C1'],
      ],
    );
  });
});
