import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { MAX_CONTENTS } from '../../../src/platform/git/objects/batch-parser.ts';
import { formatTree, type TreeEntry } from '../../../src/platform/git/trees/tree.ts';
import { forEachEngine } from '../../support/engines.ts';
import { GitClient, withCredentials } from '../../support/git-client.ts';
import { type ProjectWithRoles, projectWithRoles } from '../../support/project-with-roles.ts';

const config = `
build: {script: make}
docs: {script: make, rules: [{changes: ['zzz*/**']}]}
others: {script: make, rules: [{changes: ['other/**']}]}
`;

forEachEngine((engine) => {
  describe('a push of a folder that exceeds the in-memory limit', () => {
    let fixture: ProjectWithRoles;
    const client = new GitClient();

    /** Long names make the tree as large as one of half a million files. */
    async function largeFolder(otherEntries: readonly TreeEntry[]): Promise<string> {
      const oid = (await client.git('rev-parse', 'HEAD:other.txt')).trim();
      const entries = Array.from({ length: 18_000 }, (_, at): TreeEntry => {
        return { mode: '100644', name: `file-${String(at).padStart(6, '0')}-${'x'.repeat(1900)}`, oid };
      });
      const tree = formatTree([...entries, ...otherEntries].sort((a, b) => (a.name < b.name ? -1 : 1)));
      assert.ok(tree.length > MAX_CONTENTS);
      writeFileSync(join(client.folder, '.git', 'large-tree'), tree);
      return client.git('hash-object', '-t', 'tree', '-w', '.git/large-tree');
    }

    before(async () => {
      await client.init();
      await client.commit({ '.gitlab-ci.yml': config, 'other.txt': 'x\n', 'README.md': '# Read\n', 'zzz/a.md': 'a\n' });
      fixture = await projectWithRoles(engine, 'large-folder', client);
    });

    it('starts a pipeline and serves the README and other files', async () => {
      const { base, asOwner, server } = fixture;
      const entry = async (name: string, mode: TreeEntry['mode'] = '100644') => {
        return { mode, name, oid: await client.git('rev-parse', `HEAD:${name}`) };
      };
      const otherEntries = [await entry('.gitlab-ci.yml'), await entry('README.md'), await entry('zzz', '040000')];
      const first = await client.git('rev-parse', 'HEAD');
      const sha = await client.git('commit-tree', await largeFolder(otherEntries), '-p', first, '-m', 'scans');
      const url = withCredentials(
        server.url,
        `${fixture.owner.user.username}/${fixture.project.path}`,
        'git',
        fixture.owner.token,
      );
      await client.git('push', '-q', url, `${sha}:refs/heads/main`);
      await server.running.services.queue.drain();
      const [pipeline] = (await asOwner(`GET ${base}/pipelines?sha=${sha}`)).body;
      assert.equal(pipeline?.source, 'push');
      const jobs = (await asOwner(`GET ${base}/pipelines/${pipeline.id}/jobs`)).body;
      // The files in the folder changed, `zzz` did not.
      assert.deepEqual(
        jobs.map(({ name }: { name: string }) => name),
        ['build'],
      );
      assert.match((await asOwner(`GET ${base}`)).body.readme_url, /README\.md$/);
      const file = await asOwner(`GET ${base}/repository/files/README.md/raw?ref=main`);
      assert.deepEqual([file.status, file.text], [200, '# Read\n']);
      assert.equal((await asOwner(`GET ${base}/repository/files/none.md/raw?ref=main`)).status, 404);
      assert.equal((await asOwner(`GET ${base}/repository/files/zzz%2Fa.md/raw?ref=main`)).status, 200);
      const failed = await server.db.read.selectFrom('jobs').selectAll().where('error', 'is not', null).execute();
      assert.deepEqual(failed, []);
    });
  });
});
