import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { before, it } from 'node:test';
import { actorOnBehalfOf } from '../../../src/access/actor.ts';
import { Role } from '../../../src/access/roles.ts';
import type { Project } from '../../../src/access/tables.ts';
import { deployKeyActor } from '../../../src/code/deploy/public.ts';
import { lfsObject, linkAllObjects, storeLfsObject } from '../../../src/code/lfs/public.ts';
import { sweepLfsObjects } from '../../../src/code/lfs/sweep.ts';
import { issueLfsToken, lfsAuthorization, readLfsToken } from '../../../src/code/lfs/token.ts';
import type { Writer } from '../../../src/platform/database/database.ts';
import { formatLfsPointer } from '../../../src/platform/git/objects/lfs-pointer.ts';
import { forEachEngine } from '../../support/engines.ts';
import { GitClient, withCredentials } from '../../support/git-client.ts';
import { addMember, addPerson, addProject, type Person } from '../../support/scene.ts';
import { type Answer, startTestServer, type TestServer } from '../../support/server.ts';
import { sshKeyPair } from '../../support/ssh-keys.ts';

const json = 'application/vnd.git-lfs+json';
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

forEachEngine((engine) => {
  let server: TestServer;
  let owner: Person;
  let reporter: Person;
  let project: Project;

  const address = (of: Project, person = owner) => `${server.url}/${person.user.username}/${of.path}.git`;
  const basic = (token: string) => ({ authorization: `Basic ${Buffer.from(`x:${token}`).toString('base64')}` });
  const post = async (url: string, body: unknown, headers: Record<string, string> = {}) => {
    const response = await fetch(url, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': json, ...headers },
    });
    return { status: response.status, headers: response.headers, body: (await response.json()) as Answer['body'] };
  };
  const batch = (
    of: Project,
    operation: string,
    objects: unknown,
    token: string | null = owner.token,
    holder = owner,
  ) =>
    post(
      `${address(of, holder)}/info/lfs/objects/batch`,
      { operation, objects, transfers: ['basic'] },
      token === null ? {} : basic(token),
    );
  const upload = async (of: Project, bytes: Buffer, holder = owner) => {
    const object = { oid: sha256(bytes), size: bytes.length };
    const { body } = await batch(of, 'upload', [object], holder.token, holder);
    const { href, header } = body.objects[0].actions.upload;
    const { 'Transfer-Encoding': _chunked, ...headers } = header;
    const answer = await fetch(href, { method: 'PUT', body: new Uint8Array(bytes), headers });
    assert.equal(answer.status, 200);
    return object;
  };

  before(async () => {
    server = await startTestServer(engine);
    owner = await addPerson(server, 'owner');
    reporter = await addPerson(server, 'reporter');
    project = await addProject(server, owner, 'p');
    await addMember(server, project, reporter, Role.reporter);
  });

  it('throttles requests per user if configured', async () => {
    const set = (sent: object) => server.must('PUT /application/settings', { json: sent });
    await set({
      throttle_authenticated_git_lfs_enabled: true,
      throttle_authenticated_git_lfs_requests_per_period: 1,
      throttle_authenticated_git_lfs_period_in_seconds: 60,
    });
    const object = { oid: 'a'.repeat(64), size: 1 };
    const ask = async (token: string) => (await batch(project, 'download', [object], token)).status;
    assert.deepEqual([await ask(owner.token), await ask(owner.token), await ask(reporter.token)], [200, 429, 200]);
    await set({ throttle_authenticated_git_lfs_enabled: false });
    assert.equal(await ask(owner.token), 200);
  });

  it('uploads an object by batch and downloads it in whole and in part', async () => {
    const bytes = randomBytes(100_000);
    const object = { oid: sha256(bytes), size: bytes.length };
    const asked = await batch(project, 'upload', [object]);
    assert.equal(asked.status, 200);
    assert.equal(asked.headers.get('content-type'), json);
    const [entry] = asked.body.objects;
    assert.equal(entry.actions.upload.href, `${address(project)}/gitlab-lfs/objects/${object.oid}/${object.size}`);
    assert.deepEqual(Object.keys(entry.actions.upload.header), ['Authorization', 'Content-Type', 'Transfer-Encoding']);
    await upload(project, bytes);
    const again = await batch(project, 'upload', [object]);
    assert.equal(again.body.objects[0].actions, undefined);
    const down = await batch(project, 'download', [object, { oid: 'f'.repeat(64), size: 1 }]);
    const [found, missing] = down.body.objects;
    assert.deepEqual(missing.error, {
      code: 404,
      message: "Object does not exist on the server or you don't have permissions to access it",
    });
    const { href, header } = found.actions.download;
    const got = await fetch(href, { headers: header });
    assert.equal(got.headers.get('content-type'), 'application/octet-stream');
    assert.ok(Buffer.from(await got.arrayBuffer()).equals(bytes));
    const part = await fetch(href, { headers: { ...header, range: 'bytes=10-19' } });
    assert.deepEqual([part.status, part.headers.get('content-range')], [206, 'bytes 10-19/100000']);
    assert.ok(Buffer.from(await part.arrayBuffer()).equals(bytes.subarray(10, 20)));
    const beyond = await fetch(href, { headers: { ...header, range: 'bytes=100000-' } });
    assert.equal(beyond.status, 416);
    const size = await server.db.read
      .selectFrom('projects')
      .select('lfs_objects_size')
      .where('id', '=', project.id)
      .executeTakeFirstOrThrow();
    assert.equal(size.lfs_objects_size, bytes.length);
  });

  it('links the objects of the source to a fork and counts them once', async () => {
    const source = await addProject(server, owner, 'lfs-source');
    const fork = await addProject(server, owner, 'lfs-fork');
    const store = async (to: Project, bytes: Buffer) => {
      const object = { oid: sha256(bytes), size: bytes.length };
      await storeLfsObject(server.running.services, to.id, object, Readable.from([bytes]));
    };
    const shared = randomBytes(300);
    await store(source, shared);
    await store(source, randomBytes(40));
    await store(fork, shared);
    const copy = () => server.db.write((trx) => linkAllObjects(trx, source.id, fork.id));
    await copy();
    await copy();
    const { lfs_objects_size: size } = await server.db.read
      .selectFrom('projects')
      .select('lfs_objects_size')
      .where('id', '=', fork.id)
      .executeTakeFirstOrThrow();
    assert.equal(size, 340);
  });

  it('accepts an empty object', async () => {
    const { oid } = await upload(project, Buffer.alloc(0));
    const got = await fetch(`${address(project)}/gitlab-lfs/objects/${oid}`, { headers: basic(owner.token) });
    assert.deepEqual([got.status, await got.text()], [200, '']);
  });

  it('rejects content that does not match its ID or size (GHSA-gmf8-978x-2fg2)', async () => {
    const bytes = randomBytes(1000);
    const put = (oid: string, size: number, body: Buffer) =>
      fetch(`${address(project)}/gitlab-lfs/objects/${oid}/${size}`, {
        method: 'PUT',
        body: new Uint8Array(body),
        headers: basic(owner.token),
      });
    assert.equal((await put(sha256(bytes), 1000, randomBytes(1000))).status, 422);
    assert.equal((await put(sha256(bytes), 1000, bytes.subarray(1))).status, 422);
    assert.equal((await put(sha256(bytes), 999, bytes)).status >= 400, true);
    assert.equal((await put('not-an-oid', 1000, bytes)).status, 404);
    assert.equal(await lfsObject(server.running.services, project.id, sha256(bytes)), undefined);
  });

  it('links an object of another project only after its content was uploaded (GHSA-6p9m-q3jp-47h4)', async () => {
    const bytes = randomBytes(500);
    const object = await upload(project, bytes);
    const stranger = await addPerson(server, 'stranger');
    const theirs = await addProject(server, stranger, 'theirs');
    const down = await batch(theirs, 'download', [object], stranger.token, stranger);
    assert.equal(down.body.objects[0].error.code, 404);
    const fetched = await fetch(`${address(theirs, stranger)}/gitlab-lfs/objects/${object.oid}`, {
      headers: basic(stranger.token),
    });
    assert.equal(fetched.status, 404);
    const up = await batch(theirs, 'upload', [object], stranger.token, stranger);
    assert.ok(up.body.objects[0].actions.upload);
    await upload(theirs, bytes, stranger);
    assert.equal(
      (await batch(theirs, 'download', [object], stranger.token, stranger)).body.objects[0].error,
      undefined,
    );
  });

  it('authenticates and answers errors in LFS format', async () => {
    const object = { oid: 'a'.repeat(64), size: 1 };
    const nobody = await batch(project, 'download', [object], null);
    assert.equal(nobody.status, 401);
    assert.equal(nobody.headers.get('lfs-authenticate'), 'Basic realm="GitLab"');
    const up = await batch(project, 'upload', [object], reporter.token);
    assert.deepEqual([up.status, up.body], [403, { message: 'Access forbidden. Check your access level.' }]);
    assert.equal((await batch(project, 'download', [object], reporter.token)).status, 200);
    const outsider = await addPerson(server, 'outsider');
    const hidden = await batch(project, 'download', [object], outsider.token);
    assert.deepEqual([hidden.status, hidden.body], [404, { message: 'Not found.' }]);
    assert.deepEqual((await batch(project, 'download', [])).body, { message: 'Not found.' });
    assert.equal((await batch(project, 'delete', [object])).status, 422);
    assert.equal((await batch(project, 'upload', [{ oid: 'x', size: -1 }])).status, 422);
    const old = await post(`${address(project)}/info/lfs/objects`, {}, basic(owner.token));
    assert.equal(old.status, 501);
    assert.ok(old.body.documentation_url);
    const open = await addProject(server, owner, 'open', 'public');
    const anybody = await batch(open, 'download', [object], null);
    assert.equal(anybody.status, 200);
    await server.db.write((trx) =>
      trx.updateTable('projects').set({ settings: '{"lfs_enabled":false}' }).where('id', '=', open.id).execute(),
    );
    assert.equal((await batch(open, 'download', [object])).status, 404);
  });

  it('issues tokens that are limited to the LFS objects of one project', async () => {
    const { services } = server.running;
    const token = issueLfsToken(services, actorOnBehalfOf(owner.user), project.id, 'download');
    const headers = { authorization: lfsAuthorization(token) };
    const ask = (url: string) => fetch(url, { headers }).then((answer) => answer.status);
    const body = { operation: 'download', objects: [{ oid: 'a'.repeat(64), size: 1 }] };
    assert.equal((await post(`${address(project)}/info/lfs/objects/batch`, body, headers)).status, 200);
    const up = { ...body, operation: 'upload' };
    assert.equal((await post(`${address(project)}/info/lfs/objects/batch`, up, headers)).status, 403);
    const other = await addProject(server, owner, 'other');
    assert.equal((await post(`${address(other)}/info/lfs/objects/batch`, body, headers)).status, 404);
    assert.equal(await ask(`${address(project)}/info/refs?service=git-upload-pack`), 401);
    const forged = { authorization: lfsAuthorization(`${token.slice(0, -2)}xx`) };
    assert.equal((await post(`${address(project)}/info/lfs/objects/batch`, body, forged)).status, 401);
  });

  it('issues tokens that expire with the credential they were issued for and cannot be renewed', async () => {
    const url = `${address(project)}/info/lfs/objects/batch`;
    const bytes = randomBytes(10);
    const body = { operation: 'download', objects: [await upload(project, bytes)] };
    const { id, token } = await server.must(`POST /users/${owner.user.id}/personal_access_tokens`, {
      json: { name: 'lfs', scopes: ['read_repository'] },
    });
    const { services } = server.running;
    const until = Date.now() + 60_000;
    const short = { ...actorOnBehalfOf(owner.user), lfs: { projectId: project.id, until } };
    const headers = { authorization: lfsAuthorization(issueLfsToken(services, short, project.id, 'download')) };
    const { download } = (await post(url, body, headers)).body.objects[0].actions;
    assert.ok(download.expires_in <= 60, `${download.expires_in}`);
    const again = Buffer.from(download.header.Authorization.replace('Basic ', ''), 'base64').toString();
    const actor = await readLfsToken(services, 'lfs', again.slice('lfs:'.length));
    assert.equal(actor?.lfs?.until, until);

    const granted = (await post(url, body, basic(token))).body.objects[0].actions.download;
    const fetched = () => fetch(granted.href, { headers: granted.header }).then(({ status }) => status);
    assert.equal(await fetched(), 200);
    await server.must(`DELETE /personal_access_tokens/${id}`);
    assert.equal(await fetched(), 401);
  });

  it('rejects texts with NUL characters', async () => {
    const locks = `${address(project)}/info/lfs/locks`;
    assert.equal((await post(locks, { path: 'a\0b' }, basic(owner.token))).status, 400);
    assert.equal((await post(`${locks}/verify`, { path: 'a\0b' }, basic(owner.token))).status, 400);
    assert.equal((await batch(project, 'download', [{ oid: 'a\0b', size: 1 }])).status, 400);
  });

  it('limits the token of a deploy key to the requested operation', async () => {
    const { id } = await server.must(`POST /projects/${project.id}/deploy_keys`, {
      json: { title: 'robot', key: sshKeyPair().public, can_push: true },
    });
    const statuses = await Promise.all(
      (['upload', 'download'] as const).map(async (issuedFor) => {
        const actor = deployKeyActor({ id, user_id: owner.user.id });
        const token = issueLfsToken(server.running.services, actor, project.id, issuedFor);
        const headers = { authorization: lfsAuthorization(token) };
        const objects = [{ oid: 'a'.repeat(64), size: 1 }];
        const url = `${address(project)}/info/lfs/objects/batch`;
        const ask = async (operation: string) => (await post(url, { operation, objects }, headers)).status;
        return [await ask('upload'), await ask('download')];
      }),
    );
    assert.deepEqual(statuses, [
      [200, 200],
      [403, 200],
    ]);
  });

  it('rejects a push whose LFS objects are missing', async () => {
    const bytes = randomBytes(300);
    const pointer = formatLfsPointer({ oid: sha256(bytes), size: bytes.length });
    const client = new GitClient();
    await client.init();
    await client.commit({ '.gitattributes': '*.bin filter=lfs diff=lfs merge=lfs -text\n', 'a.bin': pointer });
    const url = withCredentials(server.url, `${owner.user.username}/${project.path}`, 'x', owner.token);
    const refused = await client.run('push', url, 'main');
    assert.equal(refused.code, 1);
    assert.match(
      refused.stderr,
      /GitLab: LFS objects are missing\. Ensure LFS is properly set up or try a manual "git lfs push --all"\./,
    );
    const files = Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`many/${n}`, `${n}`]));
    await client.commit(files, 'So many that git keeps them packed');
    assert.match((await client.run('push', url, 'main')).stderr, /GitLab: LFS objects are missing\./);
    await upload(project, bytes);
    const taken = await client.run('push', url, 'main');
    assert.equal(taken.code, 0, taken.stderr);
  });

  it('locks paths and rejects pushes that change files locked by others', async () => {
    const locking = await addProject(server, owner, 'locking');
    const developer = await addPerson(server, 'developer');
    await addMember(server, locking, developer, Role.developer);
    const locks = `${address(locking)}/info/lfs/locks`;
    const created = await post(locks, { path: 'art/a.bin' }, basic(owner.token));
    assert.equal(created.status, 201);
    assert.deepEqual([created.body.lock.path, created.body.lock.owner], ['art/a.bin', { name: 'owner' }]);
    assert.equal(typeof created.body.lock.id, 'string');
    const taken = await post(locks, { path: 'art/a.bin' }, basic(developer.token));
    assert.deepEqual(
      [taken.status, taken.body.lock.id, taken.body.message],
      [409, created.body.lock.id, 'already locked'],
    );
    await post(locks, { path: 'b.bin' }, basic(developer.token));
    const list = (await (await fetch(`${locks}?limit=1`, { headers: basic(owner.token) })).json()) as {
      locks: unknown[];
      next_cursor: string;
    };
    assert.equal(list.locks.length, 1);
    const next = (await (
      await fetch(`${locks}?cursor=${list.next_cursor}`, { headers: basic(owner.token) })
    ).json()) as { locks: { path: string }[] };
    assert.deepEqual(
      next.locks.map((lock) => lock.path),
      ['b.bin'],
    );
    const verified = await post(`${locks}/verify`, {}, basic(developer.token));
    assert.deepEqual(
      [
        verified.body.ours.map((lock: { path: string }) => lock.path),
        verified.body.theirs.map((lock: { path: string }) => lock.path),
      ],
      [['b.bin'], ['art/a.bin']],
    );
    const client = new GitClient();
    await client.init();
    await client.commit({ 'art/a.bin': '1' });
    const url = withCredentials(server.url, `${owner.user.username}/locking`, 'x', developer.token);
    await server.db.write((trx) =>
      trx.updateTable('projects').set({ empty_repo: 0 }).where('id', '=', locking.id).execute(),
    );
    const refused = await client.run('push', url, 'HEAD:topic');
    assert.match(refused.stderr, new RegExp(`GitLab: 'art/a\\.bin' is locked in Git LFS by @${owner.user.username}`));
    const unlock = `${locks}/${created.body.lock.id}/unlock`;
    assert.equal((await post(unlock, {}, basic(developer.token))).status, 403);
    assert.equal((await post(unlock, { force: true }, basic(developer.token))).status, 403);
    const freed = await post(unlock, {}, basic(owner.token));
    assert.deepEqual([freed.status, freed.body.lock.path], [200, 'art/a.bin']);
    assert.equal((await post(unlock, {}, basic(owner.token))).status, 404);
    assert.equal((await client.run('push', url, 'HEAD:topic')).code, 0);
    assert.equal((await post(locks, {}, basic(owner.token))).status, 422);
    assert.equal((await post(locks, { path: 'c' }, basic(reporter.token))).status, 404);
  });

  it('deletes only objects without a project', async () => {
    const { services } = server.running;
    const makeOld = (trx: Writer) => trx.updateTable('lfs_objects').set({ created_at: 0 }).execute();
    // Rows of rejected uploads are removed as well.
    await server.db.write(makeOld);
    await sweepLfsObjects(services);
    const gone = await addProject(server, owner, 'gone');
    const bytes = randomBytes(100);
    const shared = randomBytes(100);
    await upload(gone, bytes);
    await upload(gone, shared);
    await upload(project, shared);
    await server.db.write(async (trx) => {
      await trx.deleteFrom('lfs_object_projects').where('project_id', '=', gone.id).execute();
      await makeOld(trx);
    });
    assert.equal(await sweepLfsObjects(services), 1);
    assert.equal(await sweepLfsObjects(services), 0);
    const kept = await lfsObject(services, project.id, sha256(shared));
    assert.equal(kept?.size, 100);
    kept?.stream.destroy();
    await upload(gone, bytes);
  });

  it('deletes more objects than fit in a batch', async () => {
    const rows = Array.from({ length: 1001 }, (_, n) => ({ oid: sha256(Buffer.from(`${n}`)), size: 1, created_at: 0 }));
    await server.db.write((trx) => trx.insertInto('lfs_objects').values(rows).execute());
    assert.equal(await sweepLfsObjects(server.running.services), rows.length);
  });
});
