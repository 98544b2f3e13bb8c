import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { groupScopes, instanceScopes, projectScopes } from '../../../src/integrations/search/schema.ts';
import { addUser } from '../../support/cast.ts';
import { forEachEngine } from '../../support/engines.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

const word = 'axolotl';

forEachEngine((engine) => {
  describe('a word that only a private project holds', () => {
    let server: TestServer;
    let group: { id: number };
    let project: { id: number };
    const tokens: Record<string, string> = {};

    before(async () => {
      server = await startTestServer(engine);
      // The group is open: what it must not tell of is the project inside.
      group = await server.must('POST /groups', { json: { name: 'Open', path: 'open', visibility: 'public' } });
      project = await server.must('POST /projects', {
        json: { name: `The ${word}`, path: 'hidden', namespace_id: group.id, visibility: 'private' },
      });
      const at = `/projects/${project.id}`;
      for (const [name, access_level] of [
        ['developer', 30],
        ['guest', 10],
        ['outsider', 0],
      ] as const) {
        const user = await addUser(server, name);
        tokens[name] = user.token;
        if (access_level > 0) await server.must(`POST ${at}/members`, { json: { user_id: user.id, access_level } });
      }
      const named = await addUser(server, `member-${word}`);
      await server.must(`PUT /users/${named.id}`, { json: { private_profile: true } });
      await server.must(`POST ${at}/members`, { json: { user_id: named.id, access_level: 20 } });
      const commit = (branch: string, path: string, more = {}) =>
        server.must(`POST ${at}/repository/commits`, {
          json: {
            ...{ branch, commit_message: `On the ${word}`, ...more },
            actions: [{ action: 'create', file_path: path, content: `one\ntwo\nan ${word}\nfour\nfive\n` }],
          },
        });
      await commit('main', 'a.txt');
      await commit('topic', 'b.txt', { start_branch: 'main' });
      await server.must(`POST ${at}/wikis`, { json: { title: 'Home', content: `Feeding the ${word}` } });
      await server.must(`POST ${at}/milestones`, { json: { title: `${word} day` } });
      await server.must(`POST ${at}/snippets`, {
        json: { title: `${word} script`, visibility: 'private', files: [{ file_path: 'a', content: 'b' }] },
      });
      const { iid } = await server.must(`POST ${at}/issues`, { json: { title: `Lost ${word}`, confidential: true } });
      await server.must(`POST ${at}/issues/${iid}/notes`, { json: { body: `No ${word} here` } });
      await server.must(`POST ${at}/merge_requests`, {
        json: { source_branch: 'topic', target_branch: 'main', title: `Find the ${word}` },
      });
    });

    const find = (where: string, scope: string, who: string, more = '') =>
      server.api(`GET ${where}/search?scope=${scope}&search=${word}${more}`, { token: tokens[who] ?? null });

    // People are known to everybody who is signed in; that they are members is the project's secret.
    const levels = [
      { level: 'instance', where: () => '', scopes: instanceScopes, outside: 200 },
      { level: 'group', where: () => `/groups/${group.id}`, scopes: groupScopes, outside: 200 },
      { level: 'project', where: () => `/projects/${project.id}`, scopes: projectScopes, outside: 404 },
    ] as const;
    for (const { level, where, scopes, outside } of levels) {
      for (const scope of scopes) {
        it(`is found by its members, and by nobody else, among the ${scope} of the ${level}`, async () => {
          const inside = await find(where(), scope, 'developer');
          assert.equal(inside.status, 200, inside.text);
          if (scope !== 'snippet_titles') assert.notDeepEqual(inside.body, [], 'members find it');
          const stranger = await find(where(), scope, 'outsider');
          assert.equal(stranger.status, outside);
          const knownAnyway = scope === 'users' && level === 'instance';
          if (outside === 200 && !knownAnyway) assert.deepEqual(stranger.body, [], 'an outsider finds it');
          assert.equal((await find(where(), scope, 'nobody')).status, 401);
        });
      }
    }

    it('is not found by guests in what they may not read', async () => {
      for (const scope of ['issues', 'merge_requests', 'notes', 'commits', 'blobs']) {
        const { status, body } = await find(`/projects/${project.id}`, scope, 'guest');
        assert.deepEqual([status, body], [200, []], scope);
      }
      for (const scope of ['issues', 'merge_requests']) {
        assert.deepEqual((await find('', scope, 'guest')).body, [], scope);
        assert.deepEqual((await find(`/groups/${group.id}`, scope, 'guest')).body, [], scope);
      }
    });

    it('is shown with as many lines around it as are wanted', async () => {
      const dataOf = async (more: string) => {
        const { body } = await find(`/projects/${project.id}`, 'blobs', 'developer', `&ref=main${more}`);
        return [body[0].startline, body[0].data];
      };
      assert.deepEqual(await dataOf(''), [1, `one\ntwo\nan ${word}\nfour\nfive\n`]);
      assert.deepEqual(await dataOf('&num_context_lines=0'), [3, `an ${word}\n`]);
      assert.deepEqual(await dataOf('&num_context_lines=1'), [2, `two\nan ${word}\nfour\n`]);
      for (const wrong of ['-1', '21', 'x']) {
        const more = `&num_context_lines=${wrong}`;
        assert.equal((await find(`/projects/${project.id}`, 'blobs', 'developer', more)).status, 400, wrong);
      }
    });
  });
});
