import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { atOnce } from '../../support/at-once.ts';
import { addUser } from '../../support/cast.ts';
import { forEachEngine } from '../../support/engines.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

const address = 'https://receiver.example/hook';

forEachEngine((engine) => {
  describe('webhooks API', () => {
    let server: TestServer;
    let group: { id: number };
    let project: { id: number };
    let developer: { id: number; token: string };
    let maintainer: { id: number; token: string };

    before(async () => {
      server = await startTestServer(engine);
      group = await server.must('POST /groups', { json: { name: 'Group', path: 'group', visibility: 'public' } });
      project = await server.must('POST /projects', {
        json: { name: 'P', namespace_id: group.id, visibility: 'public' },
      });
      developer = await addUser(server, 'developer');
      maintainer = await addUser(server, 'maintainer');
      for (const [{ id }, access_level] of [
        [developer, 30],
        [maintainer, 40],
      ] as const) {
        await server.must(`POST /projects/${project.id}/members`, { json: { user_id: id, access_level } });
      }
    });

    it('requires Maintainer in a project, Owner in a group, or an administrator', async () => {
      for (const place of [`/projects/${project.id}/hooks`, `/groups/${group.id}/hooks`, '/hooks']) {
        assert.equal((await server.api(`GET ${place}`, { token: null })).status, 401, place);
        assert.equal((await server.api(`GET ${place}`, { token: developer.token })).status, 403, place);
        assert.equal(
          (await server.api(`POST ${place}`, { token: developer.token, json: { url: address } })).status,
          403,
        );
      }
      const asMaintainer = { token: maintainer.token };
      assert.equal((await server.api(`GET /projects/${project.id}/hooks`, asMaintainer)).status, 200);
      assert.equal((await server.api(`GET /groups/${group.id}/hooks`, asMaintainer)).status, 403);
    });

    it('returns the documented entity without secrets', async () => {
      const created = await server.api(`POST /projects/${project.id}/hooks`, {
        json: {
          url: 'https://receiver.example/{path}',
          token: 'hush',
          name: 'Mine',
          issues_events: true,
          push_events_branch_filter: 'main',
          url_variables: [{ key: 'path', value: 'in-secret' }],
          custom_headers: [{ key: 'X-Own', value: 'classified' }],
        },
      });
      assert.equal(created.status, 201, created.text);
      assert.equal(/hush|in-secret|classified/.test(created.text), false);
      const { id, created_at, ...rest } = created.body;
      assert.match(created_at, /^\d{4}-/);
      assert.deepEqual(rest, {
        url: 'https://receiver.example/{path}',
        name: 'Mine',
        description: '',
        push_events: true,
        tag_push_events: false,
        merge_requests_events: false,
        repository_update_events: false,
        enable_ssl_verification: true,
        alert_status: 'executable',
        disabled_until: null,
        url_variables: [{ key: 'path' }],
        push_events_branch_filter: 'main',
        branch_filter_strategy: 'wildcard',
        custom_webhook_template: null,
        custom_headers: [{ key: 'X-Own' }],
        token_present: true,
        signing_token_present: false,
        project_id: project.id,
        issues_events: true,
        confidential_issues_events: false,
        note_events: false,
        confidential_note_events: false,
        pipeline_events: false,
        wiki_page_events: false,
        deployment_events: false,
        feature_flag_events: false,
        job_events: false,
        releases_events: false,
        milestone_events: false,
        emoji_events: false,
        resource_access_token_events: false,
        vulnerability_events: false,
      });
      const [listed] = (await server.must(`GET /projects/${project.id}/hooks`)).filter(
        (hook: { id: number }) => hook.id === id,
      );
      assert.equal('url_variables' in listed, false);
      assert.equal('custom_headers' in listed, false);

      const hook = `/projects/${project.id}/hooks/${id}`;
      const changed = await server.must(`PUT ${hook}`, {
        json: { push_events: false, custom_headers: [{ key: 'X-Two', value: '2' }] },
      });
      assert.equal(changed.push_events, false);
      assert.equal(changed.issues_events, true);
      assert.deepEqual(changed.custom_headers, [{ key: 'X-Own' }, { key: 'X-Two' }]);
      assert.equal((await server.must(`PUT ${hook}`, { json: { name: null } })).name, '');
      const nothing = await server.api(`PUT ${hook}`, { json: {} });
      assert.deepEqual([nothing.status, nothing.body], [400, { error: 'No parameters provided' }]);

      assert.equal((await server.api(`PUT ${hook}/url_variables/path`, { json: { value: 'other' } })).status, 204);
      assert.equal((await server.api(`PUT ${hook}/custom_headers/X-Own`, { json: { value: 'v' } })).status, 204);
      assert.equal((await server.api(`DELETE ${hook}/custom_headers/X-Two`)).status, 204);
      const gone = await server.api(`DELETE ${hook}/url_variables/none`);
      assert.deepEqual([gone.status, gone.body.message], [404, '404 URL variable Not Found']);

      assert.equal((await server.api(`DELETE ${hook}`)).status, 204);
      const missing = await server.api(`GET ${hook}`);
      assert.deepEqual([missing.status, missing.body.message], [404, '404 Not found']);
    });

    it('rejects invalid webhooks with the documented errors', async () => {
      const refused: [object, number, unknown][] = [
        [{}, 400, { error: 'url is missing' }],
        [{ url: 'ftp://a.example' }, 422, { error: 'Invalid url given' }],
        [{ url: 'nothing' }, 422, { error: 'Invalid url given' }],
        [{ url: 'http://127.0.0.1:1/' }, 422, { error: 'Invalid url given' }],
        [{ url: 'http://[::1]/' }, 422, { error: 'Invalid url given' }],
        [{ url: 'http://169.254.169.254/' }, 422, { error: 'Invalid url given' }],
        [{ url: 'http://localhost/' }, 422, { error: 'Invalid url given' }],
        [{ url: 'https://a.example/{unset}' }, 422, { error: 'Invalid url given' }],
        [{ url: address, push_events_branch_filter: 'bad branch' }, 422, { error: 'Invalid branch filter given' }],
        [
          { url: address, push_events_branch_filter: '(', branch_filter_strategy: 'regex' },
          422,
          { error: 'Invalid branch filter given' },
        ],
        [
          { url: address, branch_filter_strategy: 'x' },
          400,
          { error: 'branch_filter_strategy does not have a valid value' },
        ],
        [
          { url: address, custom_headers: [{ key: 'Content-Length', value: '1' }] },
          422,
          { error: 'Custom headers must be a valid json schema' },
        ],
        [
          { url: address, custom_headers: [{ key: 'X', value: 'a\r\nInjected: b' }] },
          422,
          { error: 'Custom headers must be a valid json schema' },
        ],
        [{ url: address, token: 'a\nb' }, 422, { message: { token: ['is invalid'] } }],
        ...['hush', 'whsec_', `whsec_${'A'.repeat(44)}`, `whsec_${'A'.repeat(42)}-=`].map(
          (signing_token): [object, number, object] => [
            { url: address, signing_token },
            422,
            { message: { signing_token: ['must be whsec_ followed by 32 bytes in Base64'] } },
          ],
        ),
        [
          { url: address, name: 'x'.repeat(256) },
          422,
          { message: { name: ['is too long (maximum is 255 characters)'] } },
        ],
      ];
      const before = (await server.must(`GET /projects/${project.id}/hooks`)).length;
      for (const [json, status, body] of refused) {
        const answer = await server.api(`POST /projects/${project.id}/hooks`, { json });
        assert.deepEqual([answer.status, answer.body], [status, body], JSON.stringify(json));
      }
      assert.equal((await server.must(`GET /projects/${project.id}/hooks`)).length, before);
    });

    it('says whether there are tokens, and never which', async () => {
      const token = 'hushed-token';
      const signing_token = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;
      for (const place of [`/projects/${project.id}/hooks`, `/groups/${group.id}/hooks`, '/hooks']) {
        const shownAs = async (call: string, json: object) => {
          const { text, body } = await server.api(call, { json });
          assert.equal(text.includes(token) || text.includes(signing_token), false);
          return [body.token_present, body.signing_token_present];
        };
        const { id } = await server.must(`POST ${place}`, { json: { url: address } });
        const hook = `${place}/${id}`;
        assert.deepEqual(await shownAs(`PUT ${hook}`, { signing_token }), [false, true]);
        assert.deepEqual(await shownAs(`PUT ${hook}`, { token }), [true, true]);
        assert.deepEqual(await shownAs(`PUT ${hook}`, { signing_token: '' }), [true, false]);
        assert.deepEqual(await shownAs(`PUT ${hook}`, { signing_token, token: null }), [false, true]);
        const listed = (await server.must(`GET ${place}`)).find((one: { id: number }) => one.id === id);
        assert.deepEqual([listed.token_present, listed.signing_token_present], [false, true]);
        assert.equal((await server.api(`DELETE ${hook}`)).status, 204);
      }
    });

    it('supports the events of group webhooks and system hooks', async () => {
      const ofGroup = await server.must(`POST /groups/${group.id}/hooks`, {
        json: { url: address, member_events: true, subgroup_events: true },
      });
      assert.equal(ofGroup.group_id, group.id);
      assert.deepEqual([ofGroup.member_events, ofGroup.subgroup_events, ofGroup.project_events], [true, true, false]);
      const ofInstance = await server.must('POST /hooks', { json: { url: address, push_events: true } });
      assert.equal(ofInstance.push_events, true);
      assert.equal(ofInstance.repository_update_events, true);
      assert.equal('issues_events' in ofInstance, false);
      assert.equal((await server.api(`GET /projects/${project.id}/hooks/${ofGroup.id}`)).status, 404);
      assert.equal((await server.api(`GET /hooks/${ofGroup.id}`)).status, 404);
      assert.equal((await server.api(`DELETE /hooks/${ofInstance.id}`)).status, 204);
    });

    it('enforces the limit of a hundred webhooks under concurrency', async () => {
      const crowded = await server.must('POST /projects', { json: { name: 'Crowded' } });
      const now = Date.now();
      const row = {
        project_id: crowded.id,
        namespace_id: null,
        url: address,
        events: '[]',
        created_at: now,
        updated_at: now,
      };
      const secrets = {
        token: null,
        push_events_branch_filter: null,
        custom_webhook_template: null,
        url_variables: null,
      };
      const rows = Array.from({ length: 97 }, () => ({ ...row, ...secrets, custom_headers: null }));
      await server.db.write((trx) => trx.insertInto('webhooks').values(rows).execute());
      const answers = await atOnce(8, () =>
        server.api(`POST /projects/${crowded.id}/hooks`, { json: { url: address } }),
      );
      assert.equal(answers.filter(({ status }) => status === 201).length, 3);
      const refused = answers.find(({ status }) => status === 422);
      assert.deepEqual(refused?.body, { message: { base: ['Maximum number of project hooks (100) exceeded'] } });
    });
  });
});
