import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { migrations } from '../../src/migrations/list.ts';
import { openDatabase } from '../../src/platform/database/database.ts';
import { migrate } from '../../src/platform/database/migrator.ts';
import { forEachEngine, testDatabasePlace } from '../support/engines.ts';
import { Hearth, hearth, newDirectory } from './hearth.ts';

/** The migrations of a newer version. */
const newer = [...migrations, { name: '9999-later', up: () => ['create table later (id bigint)'] }];
const reason = /the database is newer than this version of Hearth: it has 9999-later/;

forEachEngine((engine) => {
  for (const workers of ['1', '2']) {
    test(`a server with ${workers} workers stops when its database is migrated to a newer version`, async () => {
      const data = join(await newDirectory(), 'data');
      const url = engine === 'postgres' ? (await testDatabasePlace(engine, [])).url : undefined;
      const env: Record<string, string> = url === undefined ? {} : { DATABASE_URL: url };
      const args = ['serve', '--port', '0', '--data', data, '--workers', workers];
      const server = new Hearth(args, env);
      await server.line(/http/);
      const db = await openDatabase(url === undefined ? { file: join(data, 'hearth.db') } : { url });
      await migrate(db, newer);
      await db.close();
      const { code, stderr } = await server.ended;
      assert.equal(code, 1, stderr);
      assert.match(stderr, reason);
      // A restart fails for the same reason.
      const again = await hearth(args, env);
      assert.equal(again.code, 1);
      assert.match(again.stderr, reason);
    });
  }
});
