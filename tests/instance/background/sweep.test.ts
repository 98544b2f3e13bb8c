import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { before, it } from 'node:test';
import type { Project } from '../../../src/access/tables.ts';
import { repairPushes } from '../../../src/code/pushes/public.ts';
import { forEachEngine } from '../../support/engines.ts';
import { GitClient, withCredentials } from '../../support/git-client.ts';
import { addPerson, addProject, type Person } from '../../support/scene.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

const minute = 60_000;
const day = 24 * 60 * minute;

/** Creates a file or folder with a modification time in the past, as a crash would leave it. */
function plant(path: string, age: number, kind: 'file' | 'folder' = 'file'): string {
  mkdirSync(kind === 'folder' ? path : dirname(path), { recursive: true });
  if (kind === 'file') writeFileSync(path, 'left behind');
  const then = (Date.now() - age) / 1000;
  utimesSync(path, then, then);
  return path;
}

forEachEngine((engine) => {
  let server: TestServer;
  let owner: Person;
  let client: GitClient;

  const pathOf = (project: Project) => server.running.services.git.repository(project.id).path;
  const push = (project: Project, ref: string) =>
    client.run(
      'push',
      withCredentials(server.url, `${owner.user.username}/${project.path}`, 'any', owner.token),
      `HEAD:${ref}`,
    );
  /** Runs the hourly sweep now. */
  const sweep = async () => {
    await server.db.write((trx) =>
      trx.updateTable('recurring_jobs').set({ next_run_at: 1 }).where('name', '=', 'repositories.sweep').execute(),
    );
    await server.running.services.queue.drain();
  };

  const intend = (project: Project, branch: string) =>
    server.db.write((trx) =>
      trx
        .insertInto('pushes')
        .values({
          project_id: project.id,
          user_id: owner.user.id,
          deploy_key_id: null,
          protocol: 'http',
          state: 'pending',
          changes: JSON.stringify([{ ref: `refs/heads/${branch}`, old: null, new: 'a'.repeat(40) }]),
          push_options: '[]',
          created_at: Date.now() - 2 * minute,
        })
        .execute(),
    );

  before(async () => {
    server = await startTestServer(engine);
    owner = await addPerson(server, 'owner');
    client = new GitClient();
    await client.init();
    await client.commit({ a: 'a' });
  });

  it('a lock left by a crash rejects pushes until it is repaired', async () => {
    const project = await addProject(server, owner, 'locked');
    assert.equal((await push(project, 'main')).code, 0);
    // The repair also runs by itself every minute.
    await server.running.services.queue.stop();
    const lock = plant(join(pathOf(project), 'refs/heads/stuck.lock'), minute);
    const fresh = plant(join(pathOf(project), 'refs/heads/fresh.lock'), 0);
    // What the crashed server recorded before it let Git update the ref.
    await intend(project, 'stuck');
    const refused = await push(project, 'stuck');
    assert.match(refused.stderr, /failed to update ref|cannot lock ref/i);
    assert.equal((await repairPushes(server.running.services)).unlocked, 1);
    assert.deepEqual([existsSync(lock), existsSync(fresh)], [false, true]);
    assert.equal((await push(project, 'stuck')).code, 0);
    await server.running.services.queue.start();
  });

  it('a repository that cannot be repaired does not affect others', async () => {
    const [broken, whole] = [await addProject(server, owner, 'broken'), await addProject(server, owner, 'whole')];
    for (const project of [broken, whole]) assert.equal((await push(project, 'main')).code, 0);
    await server.running.services.queue.stop();
    for (const project of [broken, whole]) await intend(project, 'stuck');
    const lock = plant(join(pathOf(whole), 'refs/heads/stuck.lock'), minute);
    plant(join(pathOf(broken), 'packed-refs'), minute, 'folder');
    assert.equal((await repairPushes(server.running.services)).unlocked, 1);
    assert.equal(existsSync(lock), false);
    rmSync(join(pathOf(broken), 'packed-refs'), { recursive: true });
    await server.running.services.queue.start();
  });

  it('leftovers of crashes are swept hourly, and nothing else', async () => {
    const project = await addProject(server, owner, 'littered');
    await push(project, 'main');
    const repo = pathOf(project);
    const gone = [
      plant(join(repo, 'packed-refs.lock'), minute),
      plant(join(repo, 'refs/heads/a/b.lock'), minute),
      plant(join(repo, `HEAD+${randomUUID()}`), minute),
      plant(join(repo, 'objects/pack/multi-pack-index.lock'), day),
      plant(join(repo, 'objects/info/commit-graphs/commit-graph-chain.lock'), day),
      plant(join(repo, 'objects/pack/tmp_pack_x1y2z3'), 2 * day),
      plant(join(repo, 'objects/tmp_objdir-incoming-x1y2z3'), 2 * day, 'folder'),
      plant(`${repo}+new-${randomUUID()}`, 2 * day, 'folder'),
      plant(`${repo}+fork-${randomUUID()}`, 2 * day, 'folder'),
      plant(`${repo}+deleted-${randomUUID()}`, 2 * day, 'folder'),
    ];
    const kept = [
      plant(join(repo, 'HEAD.lock'), 0),
      plant(join(repo, 'objects/info/commit-graph.lock'), minute),
      plant(join(repo, 'objects/pack/tmp_pack_fresh'), minute),
      plant(join(repo, 'objects/tmp_objdir-incoming-fresh'), minute, 'folder'),
      plant(`${repo}+fork-${randomUUID()}`, minute, 'folder'),
    ];
    await sweep();
    assert.deepEqual(gone.filter(existsSync), []);
    assert.deepEqual(
      kept.filter((path) => !existsSync(path)),
      [],
    );
    await client.git('-C', repo, 'fsck', '--strict');
  });

  it('repositories of deleted projects are removed, unknown ones kept', async () => {
    const { git } = server.running.services;
    const [removed, recent, alive] = [
      await addProject(server, owner, 'removed'),
      await addProject(server, owner, 'recent'),
      await addProject(server, owner, 'alive'),
    ];
    for (const { id } of [removed, recent]) {
      await server.db.write((trx) => trx.deleteFrom('projects').where('id', '=', id).execute());
    }
    const unknown = await git.create(alive.id + 1000, { defaultBranch: 'main' });
    for (const path of [pathOf(removed), pathOf(alive), unknown.path]) utimesSync(path, 1, 1);
    await sweep();
    const there = [pathOf(removed), pathOf(recent), pathOf(alive), unknown.path].map(existsSync);
    assert.deepEqual(there, [false, true, true, true]);
  });
});
