import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { groupScopes, instanceScopes, projectScopes } from '../../../src/integrations/search/schema.ts';
import { addUser } from '../../support/cast.ts';
import { forEachEngine } from '../../support/engines.ts';
import { type Answer, startTestServer, type TestServer } from '../../support/server.ts';

const word = 'axolotl';

forEachEngine((engine) => {
  describe('a word that occurs in a private project only', () => {
    let server: TestServer;
    let group: { id: number };
    let project: { id: number };
    const tokens: Record<string, string> = {};
    const ids: Record<string, number> = {};

    before(async () => {
      server = await startTestServer(engine);
      // The group is public; the project inside is private.
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
        ids[name] = user.id;
        if (access_level > 0) await server.must(`POST ${at}/members`, { json: { user_id: user.id, access_level } });
      }
      // A private subgroup of the public group, for epics.
      const closed = await server.must('POST /groups', {
        json: { name: 'Closed', path: 'closed', parent_id: group.id, visibility: 'private' },
      });
      await server.must(`POST /groups/${closed.id}/epics`, { json: { title: `Breeding an ${word}` } });
      await server.must(`POST /groups/${closed.id}/members`, { json: { user_id: ids.developer, access_level: 30 } });
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

    // Users are visible to everyone who is signed in, but not their membership in the private project.
    const levels = [
      { level: 'instance', where: () => '', scopes: instanceScopes, outside: 200 },
      { level: 'group', where: () => `/groups/${group.id}`, scopes: groupScopes, outside: 200 },
      { level: 'project', where: () => `/projects/${project.id}`, scopes: projectScopes, outside: 404 },
    ] as const;
    for (const { level, where, scopes, outside } of levels) {
      for (const scope of scopes) {
        it(`is found only by members in the ${scope} scope of the ${level}`, async () => {
          const inside = await find(where(), scope, 'developer');
          assert.equal(inside.status, 200, inside.text);
          if (scope !== 'snippet_titles') assert.notDeepEqual(inside.body, [], 'members must find it');
          const stranger = await find(where(), scope, 'outsider');
          assert.equal(stranger.status, outside);
          const knownAnyway = scope === 'users' && level === 'instance';
          if (outside === 200 && !knownAnyway) assert.deepEqual(stranger.body, [], 'outsiders must not find it');
          assert.equal((await find(where(), scope, 'nobody')).status, 401);
        });
      }
    }

    // What guests cannot read in a private project, and the features that are disabled.
    const hiddenFromGuests: readonly string[] = ['issues', 'merge_requests', 'notes', 'commits', 'blobs'];
    const switches: Readonly<Record<string, readonly string[]>> = {
      issues: ['issues'],
      merge_requests: ['merge_requests'],
      milestones: ['issues', 'merge_requests'],
      notes: ['issues', 'merge_requests'],
      wiki_blobs: ['wiki'],
      commits: ['repository', 'merge_requests', 'builds'],
      blobs: ['repository', 'merge_requests', 'builds'],
    };

    /** Expects that neither the results nor the pagination headers reveal anything. */
    const assertNothing = ({ status, body, headers }: Answer, about: string) => {
      assert.deepEqual([status, body], [200, []], about);
      for (const name of ['x-total', 'x-total-pages', 'x-next-page']) {
        assert.match(headers.get(name) ?? '', /^[01]?$/, `${about}: ${name} ${headers.get(name)}`);
      }
      assert.equal(Number(headers.get('x-total') ?? 0), 0, about);
      assert.doesNotMatch(headers.get('link') ?? '', /rel="next"/, about);
    };

    for (const { level, where, scopes, outside } of levels) {
      it(`is not counted for outsiders in any scope of the ${level}`, async () => {
        for (const scope of scopes) {
          if (outside === 404) assert.equal((await find(where(), scope, 'outsider', '&per_page=1')).status, 404, scope);
          else if (!(scope === 'users' && level === 'instance')) {
            assertNothing(await find(where(), scope, 'outsider', '&per_page=1'), scope);
          }
        }
      });

      it(`is not found by guests in scopes they cannot read of the ${level}`, async () => {
        for (const scope of scopes) {
          if (hiddenFromGuests.includes(scope)) assertNothing(await find(where(), scope, 'guest'), scope);
        }
      });

      it(`is not found in disabled features in any scope of the ${level}`, async () => {
        for (const scope of scopes) {
          const features = (switches[scope] ?? []).map((name) => `${name}_access_level`);
          if (features.length === 0) continue;
          const set = (value: string) =>
            server.must(`PUT /projects/${project.id}`, {
              json: Object.fromEntries(features.map((name) => [name, value])),
            });
          await set('disabled');
          for (const who of ['developer', 'guest']) {
            assertNothing(await find(where(), scope, who), `${scope} for a ${who}`);
          }
          await set('enabled');
          assert.notDeepEqual(
            (await find(where(), scope, 'developer')).body,
            [],
            `${scope} after the feature is enabled again`,
          );
        }
      });
    }

    it('is not found in a public project with members-only features', async () => {
      const open = await server.must('POST /projects', { json: { name: 'Half open', visibility: 'public' } });
      const at = `/projects/${open.id}`;
      const actions = [{ action: 'create', file_path: 'a.txt', content: `an ${word}\n` }];
      await server.must(`POST ${at}/repository/commits`, {
        json: { branch: 'main', commit_message: `On the ${word}`, actions },
      });
      await server.must(`POST ${at}/issues`, { json: { title: `Lost ${word}` } });
      await server.must(`POST ${at}/milestones`, { json: { title: `${word} day` } });
      await server.must(`POST ${at}/wikis`, { json: { title: 'Home', content: `Feeding the ${word}` } });
      const names = ['issues', 'merge_requests', 'repository', 'builds', 'wiki', 'snippets'];
      await server.must(`PUT ${at}`, {
        json: Object.fromEntries(names.map((name) => [`${name}_access_level`, 'private'])),
      });
      for (const scope of projectScopes) {
        if (scope !== 'users') assertNothing(await find(at, scope, 'outsider'), scope);
      }
      for (const scope of ['issues', 'merge_requests', 'milestones']) {
        assertNothing(await find('', scope, 'outsider'), `${scope} everywhere`);
      }
    });

    it('is returned with the requested context lines', async () => {
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
