import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join as pathOf } from 'node:path';
import { before, describe, it } from 'node:test';
import { fieldRules } from '../../../src/namespaces/projects/settings/fields.ts';
import { atOnce, inRounds, statuses } from '../../support/at-once.ts';
import { forEachEngine } from '../../support/engines.ts';
import { addPerson, type Person } from '../../support/scene.ts';
import { rootToken, startTestServer, type TestServer } from '../../support/server.ts';
import { until } from '../../support/until.ts';
import { addGroup, join } from './people.ts';

const taken = {
  message: {
    'project_namespace.name': ['has already been taken'],
    name: ['has already been taken'],
    path: ['has already been taken'],
  },
};

forEachEngine((engine) => {
  describe('projects API', () => {
    let server: TestServer;
    let ann: Person;
    let bob: Person;

    before(async () => {
      server = await startTestServer(engine);
      ann = await addPerson(server, 'ann');
      bob = await addPerson(server, 'bob');
    });

    const create = (json: object, person: Person | null = ann) =>
      server.api('POST /projects', { json, token: person?.token ?? null });
    const made = async (json: object, person: Person = ann) => {
      const answer = await create(json, person);
      assert.equal(answer.status, 201, answer.text);
      return answer.body;
    };

    describe('creation', () => {
      it('returns the full view, and reading adds permissions', async () => {
        const project = await made({ name: 'First One', description: 'a <b>', topics: 'go,api' });
        const { username } = ann.user;
        assert.deepEqual(
          {
            name: project.name,
            path: project.path_with_namespace,
            full: project.name_with_namespace,
            topics: project.topics,
            tags: project.tag_list,
            web: project.web_url,
            http: project.http_url_to_repo,
            ssh: project.ssh_url_to_repo,
            branch: project.default_branch,
            empty: project.empty_repo,
            visibility: project.visibility,
            kind: project.namespace.kind,
            owner: project.owner.username,
            html: project.description_html,
            links: Object.keys(project._links).length,
          },
          {
            name: 'First One',
            path: `${username}/first-one`,
            full: 'ann / First One',
            topics: ['api', 'go'],
            tags: ['api', 'go'],
            web: `${server.url}/${username}/first-one`,
            http: `${server.url}/${username}/first-one.git`,
            ssh: `git@127.0.0.1:${username}/first-one.git`,
            branch: 'main',
            empty: true,
            visibility: 'private',
            kind: 'user',
            owner: username,
            html: 'a &lt;b&gt;',
            links: 8,
          },
        );
        assert.match(project.runners_token, /^GR1348941.{20}$/);
        const byPath = await server.must(`GET /projects/${encodeURIComponent(`${username}/First-One`)}`, ann);
        const { permissions, ...rest } = byPath;
        assert.deepEqual(permissions, {
          project_access: { access_level: 50, notification_level: 3 },
          group_access: null,
        });
        assert.deepEqual(rest, project);
      });

      it('preserves the documented field order', async () => {
        const project = await made({ name: 'ordered' });
        const known = Object.keys(fieldRules);
        const shown = Object.keys(project).filter((name) => name in fieldRules);
        assert.deepEqual(
          shown,
          known.filter((name) => name in project),
        );
        assert.equal(Object.keys(project)[0], 'id');
      });

      it('initializes the repository on request and protects its branch', async () => {
        const project = await made({ name: 'readme', initialize_with_readme: true, default_branch: 'trunk' });
        assert.deepEqual([project.empty_repo, project.default_branch], [false, 'trunk']);
        assert.equal(project.readme_url, `${project.web_url}/-/blob/trunk/README.md`);
        const rules = await server.must(`GET /projects/${project.id}/protected_branches`, ann);
        assert.deepEqual(
          rules.map((rule: { name: string }) => rule.name),
          ['trunk'],
        );
        const tree = await server.must(`GET /projects/${project.id}/repository/tree`, ann);
        assert.deepEqual(
          tree.map((entry: { path: string }) => entry.path),
          ['README.md'],
        );
      });

      it('uses the private e-mail address of the creator for the initial commit', async () => {
        const shy = await addPerson(server, 'shy', { columns: { commit_email: '_private' } });
        const project = await made({ name: 'shy', initialize_with_readme: true }, shy);
        const [first] = await server.must(`GET /projects/${project.id}/repository/commits`, shy);
        assert.match(first.author_email, new RegExp(`^${shy.user.id}-${shy.user.username}@users\\.noreply\\.`));
      });

      it('lets a Developer initialize a project they may create', async () => {
        const group = await addGroup(server);
        await join(server, bob, { namespace_id: group.id }, 30);
        const project = await made({ name: 'by dev', namespace_id: group.id, initialize_with_readme: true }, bob);
        assert.equal(project.empty_repo, false);
        assert.equal(project.owner, undefined);
      });

      const refusals: [string, object, number, unknown][] = [
        [
          'a missing name and path',
          {},
          400,
          {
            error: 'name, path are missing, at least one parameter must be provided',
          },
        ],
        ['an invalid path', { path: 'a..b' }, 400, undefined],
        ['a reserved path', { name: 'x', path: 'tree' }, 400, { message: { path: ['tree is a reserved name'] } }],
        [
          'an unknown namespace',
          { name: 'x', namespace_id: 987_654 },
          400,
          {
            message: { namespace: ['is not valid'] },
          },
        ],
        [
          'an unknown visibility',
          { name: 'x', visibility: 'secret' },
          400,
          {
            error: 'visibility does not have a valid value',
          },
        ],
        [
          'a long description',
          { name: 'x', description: 'x'.repeat(2001) },
          400,
          {
            message: { description: ['is too long (maximum is 2000 characters)'] },
          },
        ],
        [
          'an unknown template',
          { name: 'x', template_name: 'rails' },
          400,
          {
            message: { template_name: ["'rails' is unknown or invalid"] },
          },
        ],
        [
          'an import from localhost',
          { name: 'x', import_url: 'http://127.0.0.1/x.git' },
          400,
          { message: { import_url: ['is blocked: Requests to localhost are not allowed'] } },
        ],
        [
          'a setting out of range',
          { name: 'x', build_timeout: 1 },
          400,
          {
            message: { build_timeout: ['needs to be between 10 minutes and 1 month'] },
          },
        ],
        [
          'an unknown setting value',
          { name: 'x', merge_method: 'octopus' },
          400,
          {
            error: 'merge_method does not have a valid value',
          },
        ],
        [
          'an invalid branch name',
          { name: 'x', default_branch: 'a..b' },
          400,
          {
            message: { default_branch: ['is invalid'] },
          },
        ],
      ];
      for (const [name, json, status, body] of refusals) {
        it(`rejects ${name}`, async () => {
          const answer = await create(json);
          assert.equal(answer.status, status);
          if (body !== undefined) assert.deepEqual(answer.body, body);
        });
      }

      it('rejects an invalid cleanup policy', async () => {
        for (const [policy, field] of [
          [{ name_regex_keep: '(', name_regex: 'a+' }, 'name_regex_keep'],
          [{ cadence: 'daily' }, 'cadence'],
          [{ keep_n: 2, cadence: '3month' }, 'keep_n'],
          [{ older_than: '1d', keep_n: 100 }, 'older_than'],
        ] as const) {
          const json = { name: 'unmatched', container_expiration_policy_attributes: policy };
          const answer = await server.api('POST /projects', { json });
          assert.equal(answer.status, 400);
          assert.deepEqual(Object.keys(answer.body.message), [`container_expiration_policy.${field}`]);
        }
      });

      it('rejects unauthenticated callers', async () => {
        const answer = await create({ name: 'x' }, null);
        assert.deepEqual([answer.status, answer.body], [401, { message: '401 Unauthorized' }]);
      });

      it('rejects a name or path taken in any case', async () => {
        await made({ name: 'Taken', path: 'taken' });
        for (const json of [
          { name: 'other', path: 'TAKEN' },
          { name: 'Taken', path: 'other' },
        ]) {
          const answer = await create(json);
          assert.deepEqual([answer.status, answer.body], [400, taken]);
        }
      });

      it('lets one of several concurrent requests for a path succeed', async () => {
        const answers = await Promise.all(Array.from({ length: 8 }, () => create({ name: 'race' })));
        assert.deepEqual(answers.map((answer) => answer.status).sort(), [201, ...Array(7).fill(400)]);
      });

      it('derives the correct path while the group is renamed', async () => {
        const group = await addGroup(server);
        const json = { namespace_id: group.id };
        const creations = Array.from({ length: 6 }, (_, index) => ({ json: { ...json, name: `late${index}` } }));
        await Promise.all([
          ...creations.slice(0, 3).map((sending) => server.must('POST /projects', sending)),
          server.must(`PUT /groups/${group.id}`, { json: { path: `${group.full_path}-new` } }),
          ...creations.slice(3).map((sending) => server.must('POST /projects', sending)),
        ]);
        for (let index = 0; index < 6; index++) {
          const path = encodeURIComponent(`${group.full_path}-new/late${index}`);
          assert.equal((await server.api(`GET /projects/${path}`)).status, 200, path);
        }
      });

      it('rejects a foreign namespace and a group without the required role', async () => {
        const group = await addGroup(server, { visibility: 'public' });
        const reporter = await addPerson(server, 'reporter');
        await join(server, reporter, { namespace_id: group.id }, 20);
        const foreign = await server.db.read
          .selectFrom('namespaces')
          .select('id')
          .where('owner_id', '=', bob.user.id)
          .executeTakeFirstOrThrow();
        for (const namespace_id of [group.id, foreign.id]) {
          const answer = await create({ name: 'x', namespace_id }, reporter);
          assert.deepEqual([answer.status, answer.body], [400, { message: { namespace: ['is not valid'] } }]);
        }
      });

      it('limits the visibility to that of the group', async () => {
        const group = await addGroup(server);
        const project = await server.must('POST /projects', {
          json: { name: 'open', namespace_id: group.id, visibility: 'public' },
        });
        assert.equal(project.visibility, 'private');
      });

      it('enforces the project limit of a personal namespace', async () => {
        const poor = await addPerson(server, 'poor', { columns: { projects_limit: 1 } });
        await made({ name: 'one' }, poor);
        const second = await create({ name: 'two' }, poor);
        assert.equal(second.status, 403);
        assert.deepEqual(second.body, {
          error: ["You've reached your limit of 1 projects created. Contact your GitLab administrator."],
        });
        const none = await addPerson(server, 'none', { columns: { projects_limit: 0 } });
        const first = await create({ name: 'one' }, none);
        assert.deepEqual(first.body, {
          error: ['You cannot create projects in your personal namespace. Contact your GitLab administrator.'],
        });
      });

      it('lets administrators create projects for other users', async () => {
        const call = `POST /projects/user/${bob.user.id}`;
        const project = await server.must(call, { json: { name: 'gift' } });
        assert.equal(project.owner.id, bob.user.id);
        assert.equal(project.creator_id, bob.user.id);
        assert.equal((await server.api(call, { json: { name: 'x' }, token: ann.token })).status, 403);
        assert.equal((await server.api('POST /projects/user/99999', { json: { name: 'x' } })).status, 404);
      });
    });

    describe('concurrent changes', () => {
      it('respect the project limit of the owner', async () => {
        const few = await addPerson(server, 'few', { columns: { projects_limit: 2 } });
        const answers = await atOnce(6, (index) => create({ name: `many-${index}` }, few));
        assert.deepEqual(statuses(answers), { 201: 2, 403: 4 });
      });
      it('keep the topic counters correct', async () => {
        const places = await atOnce(5, (index) => made({ name: `topical-${index}` }));
        await inRounds(async (round) => {
          const topics = [`t${round}`, `u${round}`];
          await atOnce(5, (index) => server.must(`PUT /projects/${places[index].id}`, { json: { topics } }));
          for (const name of topics) {
            const [topic] = await server.must(`GET /topics?search=${name}`);
            assert.deepEqual([topic.name, topic.total_projects_count], [name, 5]);
          }
        }, 4);
      });
      it('keep the visibility within that of the group', async () => {
        await inRounds(async (round) => {
          const group = await addGroup(server, { visibility: 'public' });
          const project = await server.must('POST /projects', {
            json: { name: `seen-${round}`, namespace_id: group.id },
          });
          const answers = await Promise.all([
            server.api(`PUT /groups/${group.id}`, { json: { visibility: 'private' } }),
            server.api(`PUT /projects/${project.id}`, { json: { visibility: 'public' } }),
          ]);
          assert.deepEqual(statuses(answers), { 200: 1, 400: 1 });
        });
      });
      it('either delete or restore a project', async () => {
        await inRounds(async (round) => {
          const { id } = await made({ name: `kept-${round}` });
          await server.must(`DELETE /projects/${id}`);
          const { path_with_namespace: full_path } = await server.must(`GET /projects/${id}`);
          const json = { permanently_remove: true, full_path };
          const answers = await Promise.all([
            server.api(`POST /projects/${id}/restore`),
            server.api(`DELETE /projects/${id}`, { json }),
          ]);
          assert.equal(answers.filter(({ status }) => status < 300).length, 1, JSON.stringify(statuses(answers)));
        });
      });
    });

    describe('reading', () => {
      let open: { id: number };
      let closed: { id: number };
      before(async () => {
        open = await made({ name: 'open', visibility: 'public', description: 'for all' });
        closed = await made({ name: 'closed' });
      });

      it('shows the basic view to unauthenticated callers', async () => {
        const seen = await server.must(`GET /projects/${open.id}`, { token: null });
        assert.equal(seen.description, 'for all');
        for (const hidden of ['_links', 'permissions', 'runners_token', 'owner', 'repository_storage']) {
          assert.equal(hidden in seen, false, hidden);
        }
      });

      it('shows non-members the full view without maintainer fields', async () => {
        const seen = await server.must(`GET /projects/${open.id}`, bob);
        assert.equal('_links' in seen, true);
        for (const hidden of ['runners_token', 'build_timeout', 'import_url', 'import_error', 'statistics']) {
          assert.equal(hidden in seen, false, hidden);
        }
        assert.deepEqual(seen.permissions, { project_access: null, group_access: null });
      });

      it('hides private projects', async () => {
        for (const token of [bob.token, null]) {
          const answer = await server.api(`GET /projects/${closed.id}`, { token });
          assert.deepEqual([answer.status, answer.body], [404, { message: '404 Project Not Found' }]);
        }
        assert.equal((await server.api('GET /projects/no-slash', ann)).status, 404);
      });

      it('includes additional data on request', async () => {
        const seen = await server.must(`GET /projects/${open.id}?statistics=true&license=true`, ann);
        assert.equal(seen.statistics.storage_size, 0);
        assert.equal(seen.license, null);
        const admin = await server.must(`GET /projects/${open.id}?with_custom_attributes=true`);
        assert.deepEqual(admin.custom_attributes, []);
        assert.equal(admin.repository_storage, 'default');
        const owner = await server.must(`GET /projects/${open.id}?with_custom_attributes=true`, ann);
        assert.equal('custom_attributes' in owner, false);
      });

      it('needs few queries', async () => {
        const queries = await server.queriesOf(() => server.must(`GET /projects/${closed.id}`, ann));
        // Token, user, project, namespace, role, shares and open issue count.
        assert.ok(queries <= 7, `${queries} queries`);
      });

      it('answers HEAD', async () => {
        const answer = await server.api(`HEAD /projects/${open.id}`);
        assert.deepEqual([answer.status, answer.headers.get('content-type')], [200, 'application/json']);
      });
    });

    describe('updating', () => {
      let project: { id: number; path_with_namespace: string };
      let maintainer: Person;
      before(async () => {
        project = await made({ name: 'changing' });
        maintainer = await addPerson(server, 'maintainer');
        await join(server, maintainer, { project_id: project.id }, 40);
      });
      const change = (json: object, person: Person = ann) =>
        server.api(`PUT /projects/${project.id}`, { json, token: person.token });

      it('sets names, topics and settings', async () => {
        const answer = await change({
          name: 'Changed',
          description: null,
          topics: ['z'],
          merge_method: 'ff',
          wiki_enabled: false,
          issues_access_level: 'private',
          emails_disabled: true,
          build_timeout: 7200,
        });
        assert.equal(answer.status, 200);
        const { body } = answer;
        assert.deepEqual(
          [body.name, body.description, body.topics, body.merge_method, body.wiki_access_level, body.wiki_enabled],
          ['Changed', null, ['z'], 'ff', 'disabled', false],
        );
        assert.deepEqual(
          [body.issues_access_level, body.emails_enabled, body.emails_disabled, body.build_timeout],
          ['private', false, true, 7200],
        );
        assert.equal('permissions' in body, false);
      });

      it('keeps concurrent changes to different settings', async () => {
        await Promise.all([change({ squash_option: 'always' }), change({ lfs_enabled: false })]);
        const { body } = await change({ public_jobs: false });
        assert.deepEqual([body.squash_option, body.lfs_enabled, body.public_jobs], ['always', false, false]);
      });

      it('changes the path and redirects from the former one', async () => {
        const answer = await change({ path: 'moved' });
        assert.equal(answer.body.path_with_namespace, `${ann.user.username}/moved`);
        const former = encodeURIComponent(project.path_with_namespace);
        const read = await server.api(`GET /projects/${former}`, ann);
        assert.equal(read.status, 301);
        assert.equal(read.headers.get('location'), `${server.url}/api/v4/projects/${project.id}`);
        assert.equal(
          (await server.api(`PUT /projects/${former}`, { json: { name: 'x' }, token: ann.token })).status,
          405,
        );
      });

      it('shows settings by role', async () => {
        const project = await made({ name: 'Kept settings' });
        const shown: [number, string[]][] = [
          [10, []],
          [20, ['service_desk_address', 'merge_requests_template']],
          [
            30,
            [
              'service_desk_address',
              'secret_push_protection_enabled',
              'pre_receive_secret_detection_enabled',
              'merge_requests_template',
            ],
          ],
          [
            40,
            [
              'service_desk_address',
              'secret_push_protection_enabled',
              'pre_receive_secret_detection_enabled',
              'merge_requests_template',
              'ci_restrict_pipeline_cancellation_role',
              'web_based_commit_signing_enabled',
            ],
          ],
        ];
        const names = shown[3]?.[1] ?? [];
        for (const [level, seen] of shown) {
          const member = await addPerson(server, `member-${level}`);
          await join(server, member, { project_id: project.id }, level);
          const entity = await server.must(`GET /projects/${project.id}`, { token: member.token });
          assert.deepEqual(
            names.filter((name) => name in entity),
            seen,
          );
        }
      });

      it('requires rights depending on the changed attributes', async () => {
        assert.equal((await change({ name: 'by maintainer' }, maintainer)).status, 200);
        for (const json of [{ visibility: 'public' }, { ci_delete_pipelines_in_seconds: 90_000 }]) {
          assert.equal((await change(json, maintainer)).status, 403);
        }
        assert.equal((await change({ max_artifacts_size: 5 })).status, 403);
        assert.equal(
          (await server.api(`PUT /projects/${project.id}`, { json: { max_artifacts_size: 5 } })).status,
          200,
        );
        assert.equal((await change({ name: 'x' }, bob)).status, 404);
        const guest = await addPerson(server, 'guest');
        await join(server, guest, { project_id: project.id }, 30);
        assert.equal((await change({ name: 'x' }, guest)).status, 403);
      });

      it('rejects invalid attributes', async () => {
        const nothing = await change({});
        assert.match(nothing.body.error, /^name, path, .* are missing, at least one parameter must be provided$/);
        const branch = await change({ default_branch: 'a..b' });
        assert.deepEqual(branch.body, {
          message: { base: ["Could not change HEAD: branch 'a..b' does not exist"] },
        });
        const group = await addGroup(server);
        const inside = await server.must('POST /projects', { json: { name: 'inside', namespace_id: group.id } });
        const wide = await server.api(`PUT /projects/${inside.id}`, { json: { visibility: 'public' } });
        assert.deepEqual(wide.body, {
          message: { visibility_level: ['public is not allowed in a private namespace.'] },
        });
        await made({ name: 'in the way' });
        const taken = await change({ path: 'in-the-way' });
        assert.equal(taken.status, 400);
        assert.deepEqual(taken.body.message.path, ['has already been taken']);
      });

      it('points HEAD to the default branch', async () => {
        const filled = await made({ name: 'heads', initialize_with_readme: true });
        const json = { default_branch: 'nowhere' };
        const refused = await server.api(`PUT /projects/${filled.id}`, { json, token: ann.token });
        assert.equal(refused.status, 400);
        await server.must(`POST /projects/${filled.id}/repository/branches?branch=next&ref=main`, ann);
        const moved = await server.must(`PUT /projects/${filled.id}`, {
          json: { default_branch: 'next' },
          token: ann.token,
        });
        assert.equal(moved.default_branch, 'next');
      });
    });

    describe('archiving', () => {
      it('makes a project read-only and writable again', async () => {
        const { id } = await made({ name: 'old' });
        const archived = await server.api(`POST /projects/${id}/archive`, ann);
        assert.deepEqual([archived.status, archived.body.archived], [201, true]);
        const again = await server.api(`POST /projects/${id}/archive`, ann);
        assert.deepEqual([again.status, again.body], [400, { message: 'Project is already archived.' }]);
        const label = { json: { name: 'x', color: 'red' }, token: ann.token };
        assert.equal((await server.api(`POST /projects/${id}/labels`, label)).status, 403);
        assert.equal((await server.must(`POST /projects/${id}/unarchive`, ann)).archived, false);
        assert.equal((await server.api(`POST /projects/${id}/labels`, label)).status, 201);
      });

      it('is refused within an archived group', async () => {
        const group = await addGroup(server);
        const { id } = await server.must('POST /projects', { json: { name: 'below', namespace_id: group.id } });
        await server.must(`POST /groups/${group.id}/archive`);
        assert.equal((await server.must(`GET /projects/${id}`)).archived, true);
        const answer = await server.api(`POST /projects/${id}/archive`);
        assert.equal(answer.body.message, 'Cannot archive project since one of the ancestors is already archived.');
      });

      it('is restricted to owners', async () => {
        const { id } = await made({ name: 'not yours' });
        const maintainer = await addPerson(server, 'maint');
        await join(server, maintainer, { project_id: id }, 40);
        assert.equal((await server.api(`POST /projects/${id}/archive`, maintainer)).status, 403);
      });
    });

    describe('deletion', () => {
      it('marks the project, frees its path and can be undone', async () => {
        const { id, path_with_namespace: path } = await made({ name: 'gone' });
        const headers = { 'if-unmodified-since': new Date(0).toUTCString() };
        assert.equal((await server.api(`DELETE /projects/${id}`, { ...ann, headers })).status, 412);
        const answer = await server.api(`DELETE /projects/${id}`, ann);
        assert.deepEqual([answer.status, answer.body], [202, { message: '202 Accepted' }]);
        const marked = await server.must(`GET /projects/${id}`, ann);
        assert.deepEqual(
          [marked.name, marked.path_with_namespace, marked.archived],
          [`gone-deletion_scheduled-${id}`, `${path}-deletion_scheduled-${id}`, true],
        );
        assert.match(marked.marked_for_deletion_on, /^\d{4}-\d\d-\d\d$/);
        const again = await server.api(`DELETE /projects/${id}`, ann);
        assert.deepEqual(again.body, { message: 'Project has already been marked for deletion' });
        const restored = await server.api(`POST /projects/${id}/restore`, ann);
        assert.deepEqual(
          [restored.status, restored.body.path_with_namespace, restored.body.archived],
          [201, path, false],
        );
        const twice = await server.api(`POST /projects/${id}/restore`, ann);
        assert.deepEqual([twice.status, twice.body], [400, { message: 'Project has not been marked for deletion' }]);
        await server.must(`DELETE /projects/${id}`, ann);
        const next = await made({ name: 'gone' });
        assert.equal(next.path_with_namespace, path);
        const blocked = await server.api(`POST /projects/${id}/restore`, ann);
        assert.deepEqual([blocked.status, blocked.body], [400, taken]);
      });

      it('is permanent when confirmed, including the repository', async () => {
        const { id } = await made({ name: 'for good', initialize_with_readme: true });
        const remove = (query: string) => server.api(`DELETE /projects/${id}?permanently_remove=true${query}`, ann);
        assert.deepEqual((await remove('')).body, { message: 'Project must be marked for deletion first.' });
        const star = await server.api(`POST /projects/${id}/uploads`, {
          token: ann.token,
          body: fileForm('a.txt', 'kept for now'),
        });
        assert.equal(star.status, 201);
        await server.must(`DELETE /projects/${id}`, ann);
        assert.deepEqual((await remove('&full_path=x')).body, {
          message: '`full_path` is incorrect. You must enter the complete path for the project.',
        });
        const { path_with_namespace: path } = await server.must(`GET /projects/${id}`, ann);
        assert.equal((await remove(`&full_path=${encodeURIComponent(path)}`)).status, 202);
        assert.equal((await server.api(`GET /projects/${id}`, ann)).status, 404);
        const { queue, git } = server.running.services;
        await queue.drain();
        assert.equal(await git.readRef(git.repository(id), 'refs/heads/main').catch(() => null), null);
        const orphans = await server.db.read
          .selectFrom('uploads')
          .selectAll()
          .where('project_id', 'is', null)
          .execute();
        assert.deepEqual(orphans, []);
      });

      it('is carried out after the deletion delay', async () => {
        const { id } = await made({ name: 'overdue' });
        const young = await made({ name: 'young' });
        for (const each of [id, young.id]) await server.must(`DELETE /projects/${each}`, ann);
        await server.db.write(async (trx) => {
          await trx.updateTable('projects').set({ marked_for_deletion_at: 1 }).where('id', '=', id).execute();
          const due = { next_run_at: 1 };
          await trx.updateTable('recurring_jobs').set(due).where('name', '=', 'projects.remove-marked').execute();
        });
        await server.running.services.queue.drain();
        assert.equal((await server.api(`GET /projects/${id}`, ann)).status, 404);
        assert.equal((await server.api(`GET /projects/${young.id}`, ann)).status, 200);
      });

      it('is refused to other users', async () => {
        const { id } = await made({ name: 'kept' });
        const maintainer = await addPerson(server, 'maint');
        await join(server, maintainer, { project_id: id }, 40);
        assert.equal((await server.api(`DELETE /projects/${id}`, maintainer)).status, 403);
        assert.equal((await server.api(`DELETE /projects/${id}`, bob)).status, 404);
        assert.equal((await server.api(`DELETE /projects/${id}`, { token: null })).status, 401);
      });
    });
  });
});

forEachEngine((engine) => {
  describe('a server without deletion delay', () => {
    let server: TestServer;
    before(async () => {
      server = await startTestServer(engine, ['--deletion-delay', '0']);
    });

    it('deletes a project immediately', async () => {
      const { id } = await server.must('POST /projects', { json: { name: 'brief' } });
      assert.equal((await server.api(`DELETE /projects/${id}`)).status, 202);
      assert.equal((await server.api(`GET /projects/${id}`)).status, 404);
    });

    it('has no repository for a commit whose body arrives after the deletion', async () => {
      const { id } = await server.must('POST /projects', { json: { name: 'slow', initialize_with_readme: true } });
      const actions = [{ action: 'create', file_path: 'a', content: 'x'.repeat(2_000_000) }];
      const text = JSON.stringify({ branch: 'main', commit_message: 'late', actions });
      let finish: () => void = () => undefined;
      const removed = new Promise<void>((resolve) => {
        finish = resolve;
      });
      const late = fetch(`${server.url}/api/v4/projects/${id}/repository/commits`, {
        method: 'POST',
        headers: { 'private-token': rootToken, 'content-type': 'application/json' },
        duplex: 'half',
        body: (async function* () {
          yield Buffer.from(text.slice(0, -20));
          await removed;
          yield Buffer.from(text.slice(-20));
        })(),
      } as RequestInit);
      // A long body is stored by the handler itself, after authorization and before the project is deleted.
      const uploads = pathOf(server.running.services.config.data, 'tmp', 'uploads');
      await until(() => readdirSync(uploads).length > 0);
      assert.equal((await server.api(`DELETE /projects/${id}`)).status, 202);
      await server.running.services.queue.drain();
      finish();
      const answer = await late;
      assert.deepEqual([answer.status, await answer.json()], [404, { message: '404 Project Not Found' }]);
    });

    it('has no project for requests that arrive too late', async () => {
      await inRounds(async (round) => {
        const { id } = await server.must('POST /projects', { json: { name: `late-${round}` } });
        const add = (index: number) =>
          server.api(`POST /projects/${id}/labels`, { json: { name: `l${index}`, color: 'red', priority: 1 } });
        const [removed, ...answers] = await Promise.all([
          server.api(`DELETE /projects/${id}`),
          ...[1, 2, 3, 4, 5, 6].map(add),
          server.api(`PUT /projects/${id}`, { json: { topics: ['late'] } }),
        ]);
        assert.equal(removed?.status, 202);
        for (const { status } of answers) assert.ok(status < 300 || status === 404, `${status}`);
      });
    });
  });
});

function fileForm(name: string, content: string): FormData {
  const form = new FormData();
  form.set('file', new Blob([content]), name);
  return form;
}
