import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { addUser } from '../../support/cast.ts';
import { forEachEngine } from '../../support/engines.ts';
import { GitClient } from '../../support/git-client.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { sshKeyPair } from '../../support/ssh-keys.ts';

type User = Awaited<ReturnType<typeof addUser>>;

forEachEngine((engine) => {
  describe('reach of custom roles', () => {
    let server: TestServer;
    let owner: User;
    let count = 0;

    before(async () => {
      server = await startTestServer(engine, ['--ssh-port', '0']);
      owner = await addUser(server, 'owner');
    });

    const must = (call: string, json?: object) => server.must(call, { token: owner.token, ...(json && { json }) });
    const newGroup = (more: object = {}) => {
      const path = `place-${++count}`;
      return must('POST /groups', { name: path, path, ...more });
    };
    const newProject = (namespace_id: number) =>
      must('POST /projects', { name: `code-${++count}`, namespace_id, initialize_with_readme: true });
    const makeRole = async (place: string, json: object = {}) => {
      const fields = { name: `Role ${++count}`, base_access_level: 10, read_code: true, ...json };
      return (await server.must(`POST ${place}/member_roles`, { json: fields })).id as number;
    };
    const memberOf = async (place: string, member_role_id: number | undefined, access_level = 10) => {
      const user = await addUser(server, 'member');
      await must(`POST ${place}/members`, { user_id: user.id, access_level, member_role_id });
      return user;
    };
    const reads = async (user: User, project: { id: number }) => {
      const { status } = await server.api(`GET /projects/${project.id}/repository/tree`, { token: user.token });
      return status === 200;
    };

    it('code is read over HTTP, SSH, the API and as an archive, and not written', async () => {
      const group = await newGroup();
      const project = await newProject(group.id);
      const reader = await memberOf(`/groups/${group.id}`, await makeRole(''));
      const guest = await memberOf(`/groups/${group.id}`, undefined);
      const { private: privateKey, public: key } = sshKeyPair();
      await server.must('POST /user/keys', { token: reader.token, json: { title: 'laptop', key } });
      const url = (user: User) =>
        `${server.url.replace('://', `://${user.username}:${user.token}@`)}/${project.path_with_namespace}.git`;
      const git = new GitClient();
      const file = join(git.folder, 'key');
      await writeFile(file, privateKey, { mode: 0o600 });
      const script = join(import.meta.dirname, '../../support/ssh-client.ts');
      Object.assign(git.env, {
        HEARTH_TEST_KEY: file,
        GIT_SSH_COMMAND: `'${process.execPath}' '${script}'`,
        GIT_SSH_VARIANT: 'ssh',
      });
      await git.git('clone', url(reader), 'http');
      assert.notEqual((await git.run('clone', url(guest), 'refused')).code, 0);
      const { sshPort } = server.running.services.config;
      await git.git('clone', `ssh://git@127.0.0.1:${sshPort}/${project.path_with_namespace}.git`, 'ssh');
      await git.git('-C', join(git.folder, 'http'), 'commit', '--allow-empty', '-m', 'More');
      assert.notEqual((await git.run('-C', join(git.folder, 'http'), 'push')).code, 0);
      for (const path of ['archive.zip', 'files/README.md/raw?ref=main', 'commits', 'compare?from=main&to=main']) {
        const call = `GET /projects/${project.id}/repository/${path}`;
        assert.equal((await server.api(call, { token: reader.token })).status, 200, path);
        assert.ok((await server.api(call, { token: guest.token })).status >= 403, path);
      }
    });

    it('is the group with what is inside, for roles given in a group, and the project for others', async () => {
      const group = await newGroup();
      const sub = await newGroup({ parent_id: group.id });
      const [inside, beside] = [await newProject(sub.id), await newProject(group.id)];
      const role = await makeRole(`/groups/${group.id}`);
      assert.deepEqual(
        await Promise.all(
          [inside, beside].map(async (project) => reads(await memberOf(`/groups/${group.id}`, role), project)),
        ),
        [true, true],
      );
      const below = await memberOf(`/groups/${sub.id}`, role);
      assert.deepEqual([await reads(below, inside), await reads(below, beside)], [true, false]);
      const one = await memberOf(`/projects/${beside.id}`, role);
      assert.deepEqual([await reads(one, inside), await reads(one, beside)], [false, true]);
    });

    it('adds up: a direct role and inherited ones', async () => {
      const group = await newGroup();
      const project = await newProject(group.id);
      const user = await memberOf(
        `/groups/${group.id}`,
        await makeRole('', { read_code: false, admin_web_hook: true }),
      );
      assert.equal(await reads(user, project), false);
      await must(`POST /projects/${project.id}/members`, {
        user_id: user.id,
        access_level: 10,
        member_role_id: await makeRole(''),
      });
      assert.equal(await reads(user, project), true);
      assert.equal((await server.api(`GET /projects/${project.id}/hooks`, { token: user.token })).status, 200);
    });

    // The level and role of the invitation, those of the member, and whether the member reads code.
    const invitations = [
      [10, false, 10, true, false],
      [10, true, 10, false, false],
      [10, true, 10, true, true],
      [10, true, 30, false, true],
      [30, false, 10, true, true],
      [30, false, 10, false, false],
    ] as const;
    it('through an invited group is the lower of both, and never more than the invitation', async () => {
      const role = await makeRole('');
      const hooks = await makeRole('', { admin_web_hook: true });
      for (const [limit, withRole, level, hasRole, expected] of invitations) {
        const [invited, group] = [await newGroup(), await newGroup()];
        const project = await newProject(group.id);
        const user = await memberOf(`/groups/${invited.id}`, hasRole ? role : undefined, level);
        const greedy = await memberOf(`/groups/${invited.id}`, hooks);
        const json = { group_id: invited.id, group_access: limit, ...(withRole && { member_role_id: role }) };
        for (const place of [`/groups/${group.id}`, `/projects/${project.id}`]) {
          const shared = await must(`POST ${place}/share`, json);
          if (place.startsWith('/groups') && withRole) {
            assert.equal(shared.shared_with_groups[0].member_role_id, role);
          }
          assert.equal(await reads(user, project), expected, `${place} ${limit} ${withRole} ${level} ${hasRole}`);
          const shown = await must(`GET ${place}/members/all/${user.id}`);
          assert.equal(shown.access_level, Math.min(limit, level));
          assert.equal(shown.member_role?.id, expected ? role : undefined);
          const hook = await server.api(`GET /projects/${project.id}/hooks`, { token: greedy.token });
          assert.equal(hook.status, 403);
          await must(`DELETE ${place}/share/${invited.id}`);
        }
      }
    });

    it('does not leave the hierarchy of its group', async () => {
      const [group, elsewhere] = [await newGroup(), await newGroup()];
      const role = await makeRole(`/groups/${group.id}`);
      const project = await newProject(elsewhere.id);
      const user = await memberOf(`/groups/${group.id}`, role);
      await must(`POST /groups/${elsewhere.id}/share`, { group_id: group.id, group_access: 30 });
      assert.equal(await reads(user, project), false);
    });

    it('ends when a project or group moves out of the hierarchy, and the base role remains', async () => {
      const [group, elsewhere] = [await newGroup(), await newGroup()];
      const place = `/groups/${group.id}`;
      const sub = await newGroup({ parent_id: group.id });
      const [inside, moved] = [await newProject(sub.id), await newProject(group.id)];
      const [role, everywhere] = [await makeRole(place), await makeRole('')];
      const inSub = await memberOf(`/groups/${sub.id}`, role);
      const inProject = await memberOf(`/projects/${inside.id}`, role);
      const inMoved = await memberOf(`/projects/${moved.id}`, role);
      const kept = await memberOf(`/groups/${sub.id}`, everywhere);
      const invited = await newGroup();
      await must(`POST /projects/${inside.id}/share`, { group_id: invited.id, group_access: 10, member_role_id: role });
      const refused = await server.api(`DELETE ${place}/member_roles/${role}`, { token: owner.token });
      assert.equal(refused.status, 400);
      await must(`POST /groups/${sub.id}/transfer`, { group_id: elsewhere.id });
      await must(`PUT /projects/${moved.id}/transfer`, { namespace: elsewhere.id });
      for (const [user, project, expected] of [
        [inSub, inside, false],
        [inProject, inside, false],
        [inMoved, moved, false],
        [kept, inside, true],
      ] as const) {
        assert.equal(await reads(user, project), expected);
        assert.equal((await server.api(`GET /projects/${project.id}`, { token: user.token })).status, 200);
      }
      assert.equal((await server.api(`DELETE ${place}/member_roles/${role}`, { token: owner.token })).status, 204);
    });

    it('follows a top-level group that moves below another, and ends with its removal', async () => {
      const [group, above] = [await newGroup(), await newGroup()];
      const project = await newProject(group.id);
      const role = await makeRole(`/groups/${group.id}`);
      const user = await memberOf(`/groups/${group.id}`, role);
      await must(`POST /groups/${group.id}/transfer`, { group_id: above.id });
      assert.equal(await reads(user, project), true);
      const listed = await must(`GET /groups/${group.id}/member_roles`);
      assert.deepEqual(
        listed.map(({ id }: { id: number }) => id),
        [role],
      );
      await must(`DELETE /groups/${group.id}`);
      const { full_path } = await must(`GET /groups/${group.id}`);
      await must(`DELETE /groups/${group.id}?permanently_remove=true&full_path=${full_path}`);
      await server.running.services.queue.drain();
      const left = await server.db.read.selectFrom('member_roles').select('id').where('id', '=', role).execute();
      assert.deepEqual(left, []);
    });

    it('ends with the membership', async () => {
      const group = await newGroup();
      const project = await newProject(group.id);
      const user = await memberOf(`/groups/${group.id}`, await makeRole(''));
      const expire = (expires_at: number) =>
        server.db.write((trx) =>
          trx.updateTable('members').set({ expires_at }).where('user_id', '=', user.id).execute(),
        );
      await expire(Date.now() + 60_000);
      assert.equal(await reads(user, project), true);
      await expire(Date.now() - 1000);
      assert.equal(await reads(user, project), false);
    });
  });
});
