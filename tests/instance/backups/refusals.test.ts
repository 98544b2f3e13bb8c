import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import { restoreBackup } from '../../../src/instance/backups/restore.ts';
import { migrations } from '../../../src/migrations/list.ts';
import { databaseOptions } from '../../../src/open-services.ts';
import { hearth } from '../../cli/hearth.ts';
import { forEachEngine, testDatabasePlace } from '../../support/engines.ts';
import { startTestServer } from '../../support/server.ts';
import { backUp, emptyPlace, newFolder } from './restored.ts';

forEachEngine((engine) => {
  it('a restore that cannot succeed says why and changes nothing', async () => {
    const server = await startTestServer(engine);
    const parent = await newFolder();
    const { folder } = await backUp(server, parent);
    const config = await emptyPlace(engine);
    const target = { data: config.data, database: databaseOptions(config), migrations };
    const refused = async (from: string, message: RegExp) => {
      await assert.rejects(restoreBackup(from, target), { message });
      await assert.rejects(readdir(config.data), { code: 'ENOENT' });
    };

    await refused(await newFolder(), /holds no complete backup/);

    const unfinished = await newFolder();
    await mkdir(join(unfinished, '.2026-01-01T000000Z.unfinished'));
    await mkdir(join(unfinished, '2026-01-01T000000Z'));
    await refused(unfinished, /holds no complete backup/);

    const manifest = join(folder, 'backup.json');
    const text = await readFile(manifest, 'utf8');
    await writeFile(manifest, text.replace('"migrations": [', '"migrations": ["9999-from-the-future",'));
    await refused(folder, /newer than this version of Hearth: it has 9999-from-the-future/);
    await writeFile(manifest, '{}');
    await refused(folder, /does not match its schema/);
    await writeFile(manifest, text);

    const users = join(folder, 'database', 'users.jsonl.zst');
    const bytes = await readFile(users);
    await writeFile(users, Buffer.concat([bytes, Buffer.from('x')]));
    await refused(folder, /users\.jsonl\.zst is damaged/);
    await rm(users);
    await refused(folder, /users\.jsonl\.zst is missing/);
    await writeFile(users, bytes);

    await mkdir(config.data);
    await writeFile(join(config.data, 'mine'), 'keep');
    await assert.rejects(restoreBackup(folder, target), { message: /is not empty/ });
    assert.deepEqual(await readdir(config.data), ['mine']);
    await rm(config.data, { recursive: true });

    if (engine === 'postgres') {
      const occupied = { ...target, database: await testDatabasePlace(engine, migrations) };
      await assert.rejects(restoreBackup(folder, occupied), { message: /has tables/ });
    }
    await restoreBackup(folder, target);
  });
});

forEachEngine((engine) => {
  it('after an interrupted restore, a start and another restore say so', async () => {
    const server = await startTestServer(engine);
    const from = await newFolder();
    await backUp(server, from);
    const config = await emptyPlace(engine);
    const env = config.databaseUrl === undefined ? {} : { DATABASE_URL: config.databaseUrl };
    const restore = ['restore', '--data', config.data, '--from', from];
    await hearth(restore, { ...env, HEARTH_FAULT: 'restore.files' });
    const reason =
      /a restore into the data directory has not finished: if none is running, remove .*, and restore again/;
    for (const command of [
      restore,
      ['serve', '--port', '0', '--data', config.data],
      ['doctor', '--data', config.data],
    ]) {
      const { code, stdout, stderr } = await hearth(command, env);
      assert.equal(code, 1);
      assert.match(`${stdout}${stderr}`.replace(/\n\s+/g, ': '), /a restore into the data directory has not finished/);
      if (command[0] !== 'doctor') assert.match(stderr, reason);
    }
    await rm(config.data, { recursive: true });
    assert.equal((await hearth(restore, env)).code, 0);
    assert.ok(!(await readdir(config.data)).includes('restore-unfinished'));
  });
});

it('the command line backs up and restores, and reports missing options', async () => {
  const parent = await newFolder();
  const data = join(parent, 'data');
  assert.equal((await hearth(['migrate', '--data', data])).code, 0);
  assert.match((await hearth(['backup', '--data', data])).stderr, /--to: needed here/);
  const created = await hearth(['backup', '--data', data, '--to', join(parent, 'backups'), '--keep', '3']);
  assert.match(created.stdout, /\d{4}-\d\d-\d\dT\d{6}Z: \d+ rows, 0 repositories, 0 files$/);
  const again = await hearth(['restore', '--data', data, '--from', join(parent, 'backups')]);
  assert.equal(again.code, 1);
  assert.match(again.stderr, /^.*is not empty; restore into a new folder with --data$/m);
  const restored = await hearth(['restore', '--data', join(parent, 'other'), '--from', join(parent, 'backups')]);
  assert.equal(restored.code, 0, restored.stderr);
  assert.match(restored.stdout, /^Restored /);
  assert.match(
    (await hearth(['doctor', '--data', join(parent, 'other')])).stdout,
    /ok {7}database {2}sqlite, up to date/,
  );
});
