import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { addUser } from '../../support/cast.ts';
import { forEachEngine } from '../../support/engines.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { until } from '../../support/until.ts';

forEachEngine((engine) => {
  describe('download limits', () => {
    let server: TestServer;
    let owner: { id: number; token: string; username: string };
    let count = 0;

    before(async () => {
      server = await startTestServer(engine);
      owner = await addUser(server, 'owner');
    });

    type Settings = Record<string, unknown>;
    const addGroup = async (settings: Settings, projects = 3) => {
      const path = `limited-${++count}`;
      const { token } = owner;
      const group = await server.must('POST /groups', { token, json: { name: path, path, visibility: 'private' } });
      const below = await server.must('POST /groups', {
        token,
        json: { name: 'below', path: 'below', parent_id: group.id },
      });
      const ids: number[] = [];
      for (let each = 0; each < projects; each++) {
        const json = { name: `p${each}`, namespace_id: each === 0 ? below.id : group.id, initialize_with_readme: true };
        ids.push((await server.must('POST /projects', { token, json })).id);
      }
      await server.must(`PUT /groups/${group.id}`, { token, json: settings });
      return { id: group.id as number, path, projects: ids };
    };
    const addMember = async (group: number, access_level = 30) => {
      const user = await addUser(server, 'member');
      await server.must(`POST /groups/${group}/members`, {
        token: owner.token,
        json: { user_id: user.id, access_level },
      });
      return user;
    };
    const archive = async (project: number | undefined, token: string) =>
      (await server.api(`GET /projects/${project}/repository/archive.tar`, { token })).status;
    const fetchRefs = async (path: string, { username, token }: { username: string; token: string }) => {
      const headers = { authorization: `Basic ${btoa(`${username}:${token}`)}` };
      return (await fetch(`${server.url}/${path}.git/info/refs?service=git-upload-pack`, { headers })).status;
    };
    const limit = (more: Settings = {}): Settings => ({
      unique_project_download_limit: 1,
      unique_project_download_limit_interval_in_seconds: 3600,
      auto_ban_user_on_excessive_projects_download: true,
      ...more,
    });

    it('ban users from the group once they exceed the number of distinct projects', async () => {
      const group = await addGroup(limit());
      const user = await addMember(group.id);
      for (let again = 0; again < 3; again++) assert.equal(await archive(group.projects[0], user.token), 200);
      assert.equal(await fetchRefs(`${group.path}/below/p0`, user), 200);
      assert.equal(await fetchRefs(`${group.path}/p1`, user), 403);
      assert.equal((await server.api(`GET /groups/${group.id}`, { token: user.token })).status, 404);
      assert.equal(await archive(group.projects[0], user.token), 404);
      const banned = await server.must(`GET /groups/${group.id}/members/banned`, { token: owner.token });
      assert.deepEqual(
        banned.map((one: { id: number }) => one.id),
        [user.id],
      );
      const json = { user_id: user.id, access_level: 30 };
      const again = await server.api(`POST /groups/${group.id}/members`, { token: owner.token, json });
      assert.equal(again.status, 400);
      const project = await server.api(`POST /projects/${group.projects[0]}/members`, { token: owner.token, json });
      assert.equal(project.status, 400);
    });

    it('restore the role when a ban is lifted', async () => {
      const group = await addGroup(limit({ auto_ban_user_on_excessive_projects_download: false }));
      const user = await addMember(group.id, 20);
      const { token } = owner;
      const ban = `/groups/${group.id}/members/${user.id}/ban`;
      assert.equal((await server.api(`POST ${ban}`, { token: user.token })).status, 403);
      assert.equal((await server.api(`POST ${ban}`, { token })).status, 201);
      assert.equal((await server.api(`POST ${ban}`, { token })).status, 403);
      assert.equal((await server.api(`GET /groups/${group.id}`, { token: user.token })).status, 404);
      assert.equal((await server.api(`DELETE ${ban}`, { token: user.token })).status, 404);
      assert.equal((await server.api(`DELETE ${ban}`, { token })).status, 204);
      assert.equal((await server.api(`DELETE ${ban}`, { token })).status, 404);
      const member = await server.must(`GET /groups/${group.id}/members/${user.id}`, { token });
      assert.equal(member.access_level, 20);
      const outside = await addUser(server, 'outside');
      const none = await server.api(`POST /groups/${group.id}/members/${outside.id}/ban`, { token });
      assert.deepEqual([none.status, none.body.message], [404, '404 Member Not Found']);
      const own = `/groups/${group.id}/members/${owner.id}/ban`;
      assert.equal((await server.api(`POST ${own}`)).status, 403);
    });

    it('exempt owners and allowlisted users', async () => {
      const user = await addUser(server, 'allowed');
      const group = await addGroup(limit({ unique_project_download_limit_allowlist: [user.username] }));
      await server.must(`POST /groups/${group.id}/members`, { json: { user_id: user.id, access_level: 30 } });
      for (const project of group.projects) {
        assert.equal(await archive(project, user.token), 200);
        assert.equal(await archive(project, owner.token), 200);
      }
    });

    it('notify the alert list once and allow the download if banning is disabled', async () => {
      const group = await addGroup(
        limit({
          auto_ban_user_on_excessive_projects_download: false,
          unique_project_download_limit_alertlist: [owner.id],
        }),
      );
      const user = await addMember(group.id);
      for (const project of group.projects) assert.equal(await archive(project, user.token), 200);
      const messages = async () => {
        const folder = join(server.running.services.config.data, 'mail');
        const files = await readdir(folder).catch(() => []);
        const texts = await Promise.all(
          files.filter((name) => name.endsWith('.eml')).map((name) => readFile(join(folder, name), 'utf8')),
        );
        return texts.filter((text) => text.includes(`Subject: @${user.username} downloaded more than 1 projects`));
      };
      await until(async () => (await messages()).length > 0);
      assert.equal((await messages()).length, 1);
    });

    it('ban the account at the instance limit', async () => {
      const group = await addGroup({});
      const user = await addMember(group.id);
      await server.must('PUT /application/settings', {
        json: {
          max_number_of_repository_downloads: 2,
          max_number_of_repository_downloads_within_time_period: 600,
          auto_ban_user_on_excessive_projects_download: true,
          git_rate_limit_users_alertlist: [1],
        },
      });
      const [first, second, third] = group.projects;
      assert.equal(await archive(first, user.token), 200);
      assert.equal(await archive(second, user.token), 200);
      assert.equal(await archive(third, user.token), 403);
      assert.equal((await server.must(`GET /users/${user.id}`)).state, 'banned');
      assert.equal((await server.api('GET /user', { token: user.token })).status, 403);
      await server.must('PUT /application/settings', { json: { max_number_of_repository_downloads: 0 } });
    });
  });
});
