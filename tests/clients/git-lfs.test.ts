import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { forEachEngine } from '../support/engines.ts';
import { GitClient, withCredentials } from '../support/git-client.ts';
import { rootToken, startTestServer } from '../support/server.ts';

const isInstalled = spawnSync('git', ['lfs', 'version']).status === 0;

forEachEngine((engine) => {
  describe('git lfs', { skip: isInstalled ? false : 'git-lfs is not installed' }, () => {
    let address: string;
    const content = randomBytes(300_000);

    before(async () => {
      const server = await startTestServer(engine);
      await server.must('POST /projects', { json: { name: 'large' } });
      address = withCredentials(server.url, 'root/large', 'root', rootToken);
    });

    /** Creates a work tree with LFS support and the project as origin. */
    async function client(): Promise<GitClient> {
      const made = new GitClient();
      await made.init();
      await made.git('lfs', 'install', '--local');
      await made.git('remote', 'add', 'origin', address);
      await made.git('config', `lfs.${address}/info/lfs.locksverify`, 'true');
      return made;
    }

    async function fetched(): Promise<GitClient> {
      const made = await client();
      await made.git('pull', '-q', 'origin', 'main');
      return made;
    }

    it('uploads on push and downloads on checkout', async () => {
      const one = await client();
      await one.git('lfs', 'track', '*.bin');
      await one.commit({ 'a.bin': content, 'b.bin': 'small' });
      assert.match(await one.git('show', 'HEAD:a.bin'), /^version https:\/\/git-lfs/);
      await one.git('push', '-q', 'origin', 'main');
      const two = await fetched();
      assert.deepEqual(readFileSync(join(two.folder, 'a.bin')), content);
      assert.equal(readFileSync(join(two.folder, 'b.bin'), 'utf8'), 'small');
      assert.match(await two.git('lfs', 'fsck'), /OK/);
    });

    it('locks and unlocks files', async () => {
      const [one, two] = [await fetched(), await fetched()];
      await one.git('lfs', 'lock', 'a.bin');
      assert.match(await two.git('lfs', 'locks'), /^a\.bin\s+Administrator\s+ID:\d+$/);
      const again = await two.run('lfs', 'lock', 'a.bin');
      assert.notEqual(again.code, 0);
      assert.match(again.stderr, /already (locked|created lock)/);
      await one.git('lfs', 'unlock', 'a.bin');
      assert.equal(await two.git('lfs', 'locks'), '');
    });
  });
});
