import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import type { Project } from '../../../src/access/tables.ts';
import { bindDeployCredential, deployKeyActor } from '../../../src/code/deploy/public.ts';
import { branchAccess } from '../../../src/code/protected-refs/public.ts';
import { atOnce, inRounds, statuses } from '../../support/at-once.ts';
import { forEachEngine } from '../../support/engines.ts';
import { GitClient, withCredentials } from '../../support/git-client.ts';
import { projectWithRoles } from '../../support/project-with-roles.ts';
import { addMember, addPerson, addProject, type Person, subjectFor } from '../../support/scene.ts';
import type { TestServer } from '../../support/server.ts';
import { sshKeyPair } from '../../support/ssh-keys.ts';

const publicKey = () => sshKeyPair().public;

forEachEngine((engine) => {
  let server: TestServer;
  let owner: Person;
  let developer: Person;
  let project: Project;
  let base: string;

  before(async () => {
    ({ server, owner, developer, project, base } = await projectWithRoles(engine, 'p'));
  });

  it('creates deploy tokens and returns their secret once', async () => {
    const json = { name: 'ci', scopes: ['read_repository'], expires_at: '2040-01-31' };
    const created = await server.api(`POST ${base}/deploy_tokens`, { json, token: owner.token });
    assert.equal(created.status, 201);
    const { token, ...shown } = created.body;
    assert.match(token, /^gldt-.{20}$/);
    assert.deepEqual(shown, {
      id: shown.id,
      name: 'ci',
      username: `gitlab+deploy-token-${shown.id}`,
      expires_at: '2040-01-31T00:00:00.000Z',
      scopes: ['read_repository'],
      revoked: false,
      expired: false,
    });
    assert.deepEqual(await server.must(`GET ${base}/deploy_tokens/${shown.id}`, { token: owner.token }), shown);
    assert.deepEqual(await server.must(`GET ${base}/deploy_tokens`, { token: owner.token }), [shown]);
    assert.deepEqual(
      (await server.must('GET /deploy_tokens?active=true')).map((each: { id: number }) => each.id),
      [shown.id],
    );
    assert.deepEqual(await server.must('GET /deploy_tokens?active=false'), []);
  });

  it('handles concurrent requests for a shared key, which exists as long as a project has it', async () => {
    const other = await addProject(server, owner, 'other');
    const keys = (of: Project) => `/projects/${of.id}/deploy_keys`;
    const as = { token: owner.token };
    await inRounds(async () => {
      const json = { title: 'shared', key: publicKey() };
      const add = (index: number) => server.api(`POST ${keys(index % 2 === 0 ? project : other)}`, { ...as, json });
      const added = await atOnce(4, add);
      assert.deepEqual(statuses(added), { 201: 4 });
      const id: number = added[0]?.body.id;
      await server.must(`DELETE ${keys(other)}/${id}`, as);
      const [, enabled] = await Promise.all([
        server.must(`DELETE ${keys(project)}/${id}`, as),
        server.api(`POST ${keys(other)}/${id}/enable`, as),
      ]);
      assert.equal((await server.api(`GET ${keys(other)}/${id}`, as)).status, enabled.status === 201 ? 200 : 404);
      if (enabled.status === 201) await server.must(`DELETE ${keys(other)}/${id}`, as);
    }, 12);
  });

  it('rejects invalid tokens and unauthorized users', async () => {
    const post = (json: unknown, token = owner.token) => server.api(`POST ${base}/deploy_tokens`, { json, token });
    assert.deepEqual((await post({ name: 'x' })).body, { error: 'scopes is missing' });
    assert.deepEqual((await post({ name: 'x', scopes: ['api'] })).body, {
      error: 'scopes does not have a valid value',
    });
    assert.deepEqual((await post({ name: 'x', scopes: [] })).body, { message: { base: ["Scopes can't be blank"] } });
    const badName = await post({ name: 'x', scopes: ['read_repository'], username: 'a b' });
    assert.equal(badName.status, 400);
    assert.deepEqual((await post({ name: 'x'.repeat(256), scopes: ['read_repository'] })).body, {
      message: { name: ['is too long (maximum is 255 characters)'] },
    });
    assert.equal((await post({ name: 'x', scopes: ['read_repository'] }, developer.token)).status, 403);
    assert.equal((await server.api('GET /deploy_tokens', { token: owner.token })).status, 403);
    assert.equal((await server.api(`GET ${base}/deploy_tokens`, { token: null })).status, 401);
    const missing = await server.api(`GET ${base}/deploy_tokens/999999`, { token: owner.token });
    assert.deepEqual([missing.status, missing.body], [404, { message: '404 Not found' }]);
  });

  it('grants read access to a project or to all projects of a group', async () => {
    const group = await server.must('POST /groups', { json: { name: 'G', path: `g-${engine}` } });
    const inside = await server.must('POST /projects', { json: { name: 'inside', namespace_id: group.id } });
    const client = new GitClient();
    await client.init();
    await client.commit({ a: '1' });
    const rootUrl = (path: string) => withCredentials(server.url, path, 'root', 'glpat-test-root-token');
    await client.git('push', '-q', rootUrl(inside.path_with_namespace), 'main');
    const own = await server.must(`POST ${base}/deploy_tokens`, {
      json: { name: 'own', scopes: ['read_repository'], username: 'reader' },
    });
    const shared = await server.must(`POST /groups/${group.id}/deploy_tokens`, {
      json: { name: 'group', scopes: ['read_repository'] },
    });
    const packages = await server.must(`POST ${base}/deploy_tokens`, {
      json: { name: 'packages', scopes: ['read_package_registry'] },
    });
    const path = `${owner.user.username}/p`;
    const ask = async (at: string, username: string, password: string, service = 'git-upload-pack') => {
      const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
      return (await fetch(`${server.url}/${at}.git/info/refs?service=${service}`, { headers: { authorization } }))
        .status;
    };
    assert.equal(await ask(path, 'reader', own.token), 200);
    assert.equal(await ask(path, 'someone', own.token), 401);
    assert.equal(await ask(path, 'reader', own.token, 'git-receive-pack'), 403);
    assert.equal(await ask(inside.path_with_namespace, 'reader', own.token), 404);
    assert.equal(await ask(inside.path_with_namespace, shared.username, shared.token), 200);
    assert.equal(await ask(path, shared.username, shared.token), 404);
    assert.equal(await ask(path, packages.username, packages.token), 403);
    const open = await addProject(server, owner, 'open', 'public');
    const openPath = `${owner.user.username}/${open.path}`;
    assert.equal(await ask(openPath, 'reader', own.token), 200);
    assert.equal(await ask(openPath, 'reader', own.token, 'git-receive-pack'), 404);
    const copy = new GitClient();
    await copy.git(
      'clone',
      '-q',
      withCredentials(server.url, inside.path_with_namespace, shared.username, shared.token),
      '.',
    );
    await server.db.write((trx) =>
      trx
        .updateTable('deploy_tokens')
        .set({ expires_at: Date.now() - 1000 })
        .where('id', '=', shared.id)
        .execute(),
    );
    assert.equal(await ask(inside.path_with_namespace, shared.username, shared.token), 401);
    assert.equal((await server.must(`GET /groups/${group.id}/deploy_tokens`))[0].expired, true);
    assert.equal((await server.api(`DELETE ${base}/deploy_tokens/${own.id}`)).status, 204);
    assert.equal(await ask(path, 'reader', own.token), 401);
    const uses = await server.db.read
      .selectFrom('deploy_tokens')
      .select('last_used_at')
      .where('id', '=', shared.id)
      .executeTakeFirst();
    assert.notEqual(uses?.last_used_at, null);
  });

  it('creates, updates and deletes deploy keys of a project', async () => {
    const key = publicKey();
    const created = await server.api(`POST ${base}/deploy_keys`, { json: { title: 'robot', key }, token: owner.token });
    assert.equal(created.status, 201);
    assert.deepEqual(
      [created.body.title, created.body.key, created.body.can_push, created.body.usage_type, created.body.last_used_at],
      ['robot', key.trim(), false, 'auth', null],
    );
    assert.match(created.body.fingerprint_sha256, /^SHA256:/);
    const { id } = created.body;
    const again = await server.api(`POST ${base}/deploy_keys`, { json: { title: 'other', key, can_push: true } });
    assert.deepEqual([again.status, again.body.id, again.body.title, again.body.can_push], [201, id, 'robot', false]);
    const changed = await server.must(`PUT ${base}/deploy_keys/${id}`, {
      json: { title: 'machine', can_push: true },
      token: owner.token,
    });
    assert.deepEqual([changed.title, changed.can_push], ['machine', true]);
    const empty = await server.api(`PUT ${base}/deploy_keys/${id}`, { json: {} });
    assert.deepEqual(empty.body, { error: 'title, can_push are missing, at least one parameter must be provided' });
    assert.equal((await server.must(`GET ${base}/deploy_keys`)).length, 1);
    const all = await server.must('GET /deploy_keys');
    assert.deepEqual(
      all.map((each: { id: number; projects_with_write_access: { id: number }[] }) => [
        each.id,
        each.projects_with_write_access[0]?.id,
      ]),
      [[id, project.id]],
    );
    assert.equal((await server.api(`DELETE ${base}/deploy_keys/${id}`, { token: owner.token })).status, 204);
    assert.equal((await server.api(`GET ${base}/deploy_keys/${id}`)).status, 404);
    const gone = await server.api(`DELETE ${base}/deploy_keys/${id}`);
    assert.deepEqual([gone.status, gone.body], [404, { message: '404 Deploy key Not Found' }]);
    assert.deepEqual(await server.must('GET /deploy_keys'), []);
  });

  it('shares keys only between projects of the same user', async () => {
    const second = await addProject(server, owner, 'second');
    const stranger = await addPerson(server, 'stranger');
    const theirs = await addProject(server, stranger, 'theirs');
    const key = publicKey();
    const { id } = await server.must(`POST ${base}/deploy_keys`, {
      json: { title: 'shared', key },
      token: owner.token,
    });
    const enabled = await server.api(`POST /projects/${second.id}/deploy_keys/${id}/enable`, { token: owner.token });
    assert.deepEqual([enabled.status, enabled.body.id, enabled.body.can_push], [201, id, false]);
    const refused = await server.api(`POST /projects/${theirs.id}/deploy_keys/${id}/enable`, { token: stranger.token });
    assert.deepEqual([refused.status, refused.body], [404, { message: '404 Deploy key Not Found' }]);
    const copied = await server.api(`POST /projects/${theirs.id}/deploy_keys`, {
      json: { title: 'x', key },
      token: stranger.token,
    });
    assert.deepEqual(
      [copied.status, copied.body],
      [400, { message: { 'deploy_key.fingerprint_sha256': ['has already been taken'] } }],
    );
    assert.equal((await server.api(`DELETE ${base}/deploy_keys/${id}`)).status, 204);
    assert.equal((await server.must(`GET /projects/${second.id}/deploy_keys`)).length, 1);
    const mine = await server.must(`GET /users/${owner.user.id}/project_deploy_keys`, { token: owner.token });
    assert.deepEqual(
      mine.map((each: { id: number }) => each.id),
      [id],
    );
    assert.deepEqual(
      await server.must(`GET /users/${owner.user.id}/project_deploy_keys`, { token: stranger.token }),
      [],
    );
    // A key enabled in a common project does not reveal its other projects.
    await server.must(`POST ${base}/deploy_keys/${id}/enable`);
    await addMember(server, second, stranger, 40);
    const [shared] = await server.must(`GET /users/${owner.user.id}/project_deploy_keys`, { token: stranger.token });
    assert.deepEqual(
      [...shared.projects_with_readonly_access, ...shared.projects_with_write_access].map((each) => each.id),
      [second.id],
    );
    // It cannot be renamed by a maintainer of only some of its projects.
    const rename = (title: string, token: string) =>
      server.must(`PUT /projects/${second.id}/deploy_keys/${id}`, { json: { title, can_push: true }, token });
    assert.deepEqual((await rename('taken over', stranger.token)).title, 'shared');
    assert.deepEqual((await rename('ours', owner.token)).title, 'ours');
    await server.must(`DELETE ${base}/deploy_keys/${id}`);
    const forAll = await server.must('POST /deploy_keys', { json: { title: 'everyone', key: publicKey() } });
    assert.deepEqual(
      (await server.must('GET /deploy_keys?public=true')).map((each: { id: number }) => each.id),
      [forAll.id],
    );
    assert.equal(
      (await server.api(`POST /projects/${theirs.id}/deploy_keys/${forAll.id}/enable`, { token: stranger.token }))
        .status,
      201,
    );
    const renamed = { json: { title: 'mine now', can_push: true }, token: stranger.token };
    const changed = await server.must(`PUT /projects/${theirs.id}/deploy_keys/${forAll.id}`, renamed);
    assert.deepEqual([changed.title, changed.can_push], ['everyone', true]);
    const tooLong = { json: { title: 'x'.repeat(256) } };
    assert.equal((await server.api(`PUT /projects/${theirs.id}/deploy_keys/${forAll.id}`, tooLong)).status, 400);
    await server.must(`DELETE /projects/${theirs.id}/deploy_keys/${forAll.id}`, { token: stranger.token });
    assert.equal((await server.must('GET /deploy_keys?public=true')).length, 1);
  });

  it('rejects malformed keys', async () => {
    for (const key of ['nonsense', '', 'ssh-ed25519 AAAA']) {
      const answer = await server.api(`POST ${base}/deploy_keys`, { json: { title: 'x', key } });
      assert.equal(answer.status, 400, key);
      assert.ok('deploy_key.key' in answer.body.message);
    }
    assert.equal(
      (await server.api('POST /deploy_keys', { json: { title: 'x', key: publicKey() }, token: owner.token })).status,
      403,
    );
    assert.equal((await server.api(`GET ${base}/deploy_keys`, { token: developer.token })).status, 403);
  });

  it('accepts deploy keys in branch protection rules', async () => {
    const { id } = await server.must(`POST ${base}/deploy_keys`, {
      json: { title: 'pusher', key: publicKey(), can_push: true },
    });
    const rule = await server.must(`POST ${base}/protected_branches`, {
      json: { name: 'deployed', allowed_to_push: [{ deploy_key_id: id }] },
    });
    assert.deepEqual(
      [rule.push_access_levels[0].deploy_key_id, rule.push_access_levels[0].access_level_description],
      [id, 'pusher'],
    );
    const mayPush = async () => {
      const actor = await bindDeployCredential(
        server.db.read,
        deployKeyActor({ id, user_id: developer.user.id }),
        project,
      );
      assert.ok(actor);
      const access = await branchAccess(server.db.read, actor, await subjectFor(server, owner, project));
      return [access.canPush('deployed'), access.canPush('open'), access.canPush('deployed-not')];
    };
    await server.db.write((trx) =>
      trx.updateTable('projects').set({ empty_repo: 0 }).where('id', '=', project.id).execute(),
    );
    assert.deepEqual(await mayPush(), [true, true, true]);
    // The owner of the key has left, so the key is no longer trusted on their behalf.
    await server.db.write((trx) => trx.deleteFrom('members').where('user_id', '=', developer.user.id).execute());
    assert.deepEqual(await mayPush(), [false, true, true]);
  });
});
