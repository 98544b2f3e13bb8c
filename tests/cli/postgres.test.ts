import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { test } from 'node:test';
import { testDatabasePlace } from '../support/engines.ts';
import { Hearth, hearth, newDirectory } from './hearth.ts';

test('every command works with an empty PostgreSQL database', async () => {
  const { url } = await testDatabasePlace('postgres', []);
  const data = await newDirectory();
  const env = { DATABASE_URL: url, HEARTH_DATA: data };

  assert.match((await hearth(['doctor'], env)).stdout, /ok {7}database {2}postgres, \d+ migrations to apply/);
  assert.match(
    (await hearth(['migrate'], env)).stdout,
    /^(applied .*\n)*applied 0001-people\n(.*\n)*The database is up to date\.$/,
  );
  assert.match((await hearth(['doctor'], env)).stdout, /ok {7}database {2}postgres, up to date/);

  const { stdout: token } = await hearth(['admin', 'create-token', '--username', 'root', '--name', 'x'], env);
  const server = new Hearth(['serve', '--port', '0', '--log-level', 'error'], env);
  const answer = await fetch(`${await server.address()}/api/v4/user`, { headers: { 'private-token': token } });
  assert.equal(answer.status, 200);
  await answer.text();
  server.kill('SIGTERM');
  assert.equal((await server.ended).code, 0);
  assert.deepEqual(
    (await readdir(data)).filter((name) => name.startsWith('hearth.db')),
    [],
  );
});
