import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { Role } from '../../../src/access/roles.ts';
import type { Project } from '../../../src/access/tables.ts';
import { housekeep } from '../../../src/platform/git/upkeep/housekeeping.ts';
import { forEachEngine } from '../../support/engines.ts';
import { GitClient } from '../../support/git-client.ts';
import { addFilledProject } from '../../support/git-project.ts';
import { addMember, addPerson, addProject, type Person } from '../../support/scene.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

const day = 24 * 60 * 60_000;

/** Lists all files below a folder with their sizes. */
function files(folder: string): { path: string; size: number }[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => ({ path, size: statSync(path).size }));
}

forEachEngine((engine) => {
  describe('repository health API', () => {
    let server: TestServer;
    let owner: Person;
    let project: Project;
    let source: GitClient;

    const call = (query = '') => `GET /projects/${project.id}/repository/health${query}`;
    const repo = () => server.running.services.git.repository(project.id);
    const git = (args: readonly string[], input = '') => {
      const env = { ...source.env, GIT_DIR: repo().path };
      return execFileSync('git', args, { env, input, encoding: 'utf8', stdio: 'pipe' }).trim();
    };
    /** The output of `git count-objects -v`. */
    const counted = () =>
      Object.fromEntries(
        [...git(['count-objects', '-v']).matchAll(/^(.*): (\d+)$/gm)].map((m) => [m[1], Number(m[2])]),
      );
    const generate = (of = project) =>
      server.must(`GET /projects/${of.id}/repository/health?generate=true`, { token: owner.token });

    before(async () => {
      server = await startTestServer(engine, ['--health-rate', '5/1h']);
      owner = await addPerson(server, 'owner');
      source = new GitClient();
      await source.init();
      for (let i = 0; i < 3; i++) await source.commit({ [`file-${i}`]: `content ${i}\n` }, `Commit ${i}`);
      await source.git('branch', 'side');
      project = await addFilledProject(server, owner, 'healthy', source, 'public');
    });

    it('answers 404 until a report has been generated', async () => {
      const answer = await server.api(call(), { token: owner.token });
      assert.deepEqual([answer.status, answer.body], [404, { message: '404 Not Found' }]);
    });

    it('matches git and the file system for a loose, recent repository', async () => {
      const report = await generate();
      assert.equal(report.objects.loose_objects_count, counted().count);
      assert.equal(report.objects.packfile_count, counted().packs);
      assert.equal(report.references.loose_count, git(['for-each-ref']).split('\n').length);
      assert.deepEqual(
        [report.references.reference_backend, report.references.packed_size],
        ['REFERENCE_BACKEND_FILES', 0],
      );
      const all = files(repo().path);
      assert.equal(
        report.size,
        all.reduce((sum, file) => sum + file.size, 0),
      );
      assert.deepEqual([report.bitmap, report.multi_pack_index, report.multi_pack_index_bitmap], [null, null, null]);
      assert.deepEqual([report.alternates, report.is_object_pool, report.last_full_repack], [null, false, null]);
      assert.deepEqual(report.commit_graph, {
        commit_graph_chain_length: 0,
        has_bloom_filters: false,
        has_generation_data: false,
        has_generation_data_overflow: false,
      });
      assert.deepEqual(await server.must(call(), { token: owner.token }), report);
    });

    it('matches git and the file system for a packed, old repository', async () => {
      const older = (await server.must(call(), { token: owner.token })).updated_at;
      await housekeep(repo(), { actions: ['pack-refs', 'full-repack', 'commit-graph'] });
      const objects = join(repo().path, 'objects');
      // An unreachable object that is weeks old, and a file that is not an object.
      const stray = git(['hash-object', '-w', '--stdin'], 'stray');
      const folder = join(objects, stray.slice(0, 2));
      const loose = join(folder, stray.slice(2));
      const then = (Date.now() - 20 * day) / 1000;
      utimesSync(loose, then, then);
      const { size } = statSync(loose);
      writeFileSync(join(folder, 'tmp_obj_x'), 'garbage');
      const report = await generate();
      assert.notEqual(report.updated_at, older);
      const packs = files(join(objects, 'pack')).filter(({ path }) => path.endsWith('.pack'));
      const bytes = packs.reduce((sum, { size }) => sum + size, 0);
      assert.deepEqual(report.objects, {
        size: bytes + size,
        recent_size: bytes,
        stale_size: size,
        keep_size: 0,
        packfile_count: counted().packs,
        reverse_index_count: packs.length,
        cruft_count: 0,
        keep_count: 0,
        loose_objects_count: counted().count,
        stale_loose_objects_count: 1,
        loose_objects_garbage_count: 1,
      });
      assert.equal(report.references.loose_count, 0);
      assert.equal(report.references.packed_size, statSync(join(repo().path, 'packed-refs')).size);
      assert.deepEqual(report.commit_graph, {
        commit_graph_chain_length: 1,
        has_bloom_filters: true,
        has_generation_data: true,
        has_generation_data_overflow: false,
      });
      assert.deepEqual(report.bitmap ?? report.multi_pack_index_bitmap, {
        has_hash_cache: true,
        has_lookup_table: false,
        version: 1,
      });
      assert.equal(typeof report.last_full_repack.seconds, 'number');
    });

    it('reports kept packs, cruft packs and multi-pack indexes', async () => {
      git(['repack', '-q', '-d', '--cruft', '--cruft-expiration=never']);
      const pack = files(join(repo().path, 'objects/pack')).find(({ path }) => path.endsWith('.pack'));
      assert.ok(pack);
      writeFileSync(pack.path.replace(/pack$/, 'keep'), '');
      git(['multi-pack-index', 'write']);
      const { objects, multi_pack_index } = await generate();
      assert.deepEqual([objects.keep_count, objects.keep_size], [1, pack.size]);
      assert.deepEqual([objects.cruft_count, objects.stale_size > 0, objects.loose_objects_count], [1, true, 0]);
      assert.deepEqual(multi_pack_index, { packfile_count: counted().packs, version: 1 });
    });

    it('requires push access', async () => {
      const [reporter, developer] = [await addPerson(server, 'reporter'), await addPerson(server, 'developer')];
      await addMember(server, project, reporter, Role.reporter);
      await addMember(server, project, developer, Role.developer);
      assert.equal((await server.api(call(), { token: developer.token })).status, 200);
      assert.equal((await server.api(call(), { token: reporter.token })).status, 403);
      assert.equal((await server.api(call(), { token: null })).status, 403);
      assert.equal((await server.api('GET /projects/987654/repository/health')).status, 404);
      const wrong = await server.api(call('?generate=maybe'), { token: owner.token });
      assert.deepEqual([wrong.status, wrong.body], [400, { error: 'generate is invalid' }]);
    });

    it('limits new reports to five per hour', async () => {
      const other = await addProject(server, owner, 'asked');
      for (let i = 0; i < 5; i++) await generate(other);
      const answer = await server.api(`GET /projects/${other.id}/repository/health?generate=true`, owner);
      assert.deepEqual(
        [answer.status, answer.body],
        [429, { message: { error: 'Repository health has been requested too many times. Try again later.' } }],
      );
      assert.equal(answer.headers.get('retry-after'), null);
      assert.equal((await server.api(`GET /projects/${other.id}/repository/health`, owner)).status, 200);
      assert.equal((await server.must(`GET /projects/${other.id}/repository/health`, owner)).objects.size, 0);
    });
  });
});
