import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { Role } from '../../../src/access/roles.ts';
import { endStuckEntities } from '../../../src/imports/direct-transfer/jobs.ts';
import { forEachEngine } from '../../support/engines.ts';
import { type HostCall, type HostReply, startJsonHost } from '../../support/json-host.ts';
import { addPerson, type Person } from '../../support/scene.ts';
import { rootToken, startTestServer, type TestServer } from '../../support/server.ts';
import { until } from '../../support/until.ts';
import { ended, wanted } from './world.ts';

const group = {
  source_type: 'group_entity',
  source_full_path: 'a',
  destination_namespace: '',
  destination_slug: 'new',
};
const version: HostReply = { json: { version: '18.0.0' } };

/** A fake server that answers the initial checks correctly, unless overridden. */
function honest(replies: Record<string, HostReply>): (call: HostCall) => HostReply | undefined {
  const usual: Record<string, HostReply> = {
    'GET /api/v4/version': version,
    'GET /api/v4/personal_access_tokens/self': { json: { scopes: ['api'] } },
    'GET /api/v4/groups/a': { json: { id: 5, name: 'A', path: 'a', full_path: 'a', visibility: 'private' } },
    'GET /api/v4/groups/a/export_relations/status': { json: [] },
  };
  return ({ method, path }) => replies[`${method} ${path}`] ?? usual[`${method} ${path}`];
}

forEachEngine((engine) => {
  let target: TestServer;
  let people = 0;

  before(async () => {
    target = await startTestServer(engine, ['--allow-local-egress']);
    await target.must('PUT /application/settings', { json: { bulk_import_enabled: true } });
    await target.must('POST /groups', { json: { name: 'Team', path: 'team' } });
  });

  // Each user may start six migrations per minute.
  const somebody = (): Promise<Person> => addPerson(target, `asking${++people}`);
  const refusal = async (sending: { json: object }, token: string = rootToken) => {
    const { status, body } = await target.api('POST /bulk_imports', { ...sending, token });
    return [status, body.error ?? body.message];
  };
  const nothingCame = async () => {
    assert.deepEqual(await target.db.read.selectFrom('bulk_imports').select('id').execute(), []);
  };

  it('rejects invalid parameters', async () => {
    const host = await startJsonHost(honest({}));
    const say = (entity: object) => refusal(wanted(host.url, [{ ...group, ...entity }]));
    const relative = /^entities\[0\]\[source_full_path\] must have a relative path structure/;
    for (const path of ['https://a.example/x', '/a', 'a/', 'a//b', '']) {
      const [status, text] = await say({ source_full_path: path });
      assert.equal(status, 400, path);
      assert.match(text, path === '' ? /source_full_path/ : relative, path);
    }
    assert.match((await say({ destination_namespace: 'a?b' }))[1], /^entities\[0\]\[destination_namespace\] must have/);
    assert.match((await say({ source_type: 'user' }))[1], /source_type\] does not have a valid value/);
    const { destination_slug: _, ...bare } = group;
    assert.deepEqual(await refusal(wanted(host.url, [bare])), [
      400,
      'entities[0][destination_slug], entities[0][destination_name] are missing, exactly one parameter must be provided',
    ]);
    assert.match((await say({ destination_name: 'other' }))[1], /mutually exclusive/);
    assert.deepEqual(await refusal({ json: { entities: [group] } }), [400, 'configuration is missing']);
    assert.equal((await refusal(wanted(host.url, [])))[0], 400);
    assert.equal(
      (
        await refusal(
          wanted(
            host.url,
            Array.from({ length: 101 }, () => group),
          ),
        )
      )[0],
      400,
    );
    assert.deepEqual(host.calls, []);
    await nothingCame();
  });

  it('rejects invalid, taken and unauthorized destinations', async () => {
    const host = await startJsonHost(honest({}));
    const [owner, developer] = [await somebody(), await somebody()];
    const { id } = await target.must('GET /groups/team');
    for (const [{ user }, access_level] of [[owner, Role.owner] as const, [developer, Role.developer] as const]) {
      await target.must(`POST /groups/${id}/members`, { json: { user_id: user.id, access_level } });
    }
    await target.must('POST /projects', { json: { name: 'there', namespace_id: id } });
    const say = (entity: object, token?: string) => refusal(wanted(host.url, [{ ...group, ...entity }]), token);
    const notThere = (name: string) => [
      422,
      `Import failed. Destination '${name}' is invalid, or you don't have permission.`,
    ];
    assert.deepEqual(await say({ destination_namespace: 'nowhere' }), notThere('nowhere'));
    for (const source_type of ['group_entity', 'project_entity']) {
      const into = { source_type, destination_namespace: 'team' };
      assert.deepEqual(await say(into, developer.token), notThere('team'));
      const taken = "Import failed. 'team/there' already exists. Change the destination and try again.";
      assert.deepEqual(await say({ ...into, destination_slug: 'there' }, owner.token), [422, taken]);
      const [status, text] = await say({ ...into, destination_slug: '-odd-' }, owner.token);
      assert.equal(status, 422);
      assert.match(text, /^Import failed. Destination URL can/);
    }
    assert.deepEqual(await say({ source_type: 'project_entity' }), notThere(''));
    assert.deepEqual(await say({ source_type: 'project_entity', destination_namespace: 'root' }), notThere('root'));
    await target.must(`PUT /users/${owner.user.id}`, { json: { can_create_group: false } });
    assert.deepEqual(await say({}, owner.token), notThere(''));
    assert.deepEqual(host.calls, []);
    await nothingCame();
  });

  it('rejects outdated, inaccessible and invalid sources', async () => {
    const unfit =
      'Check that the source instance base URL and the personal access token meet the necessary requirements.';
    const denied = { status: 401, json: { message: '401 Unauthorized' } };
    const self = 'GET /api/v4/personal_access_tokens/self';
    const state = 'GET /api/v4/groups/a/export_relations/status';
    const cases: [Record<string, HostReply>, string | RegExp][] = [
      [{ 'GET /api/v4/version': denied }, unfit],
      [{ 'GET /api/v4/version': { json: { version: '13.1.0' } } }, /^Unsupported GitLab version/],
      [{ 'GET /api/v4/version': { json: ['garbage'] } }, unfit],
      [{ 'GET /api/v4/version': (response) => response.end('<html>') }, /^Import failed. Unsuccessful response 200/],
      [{ [self]: { json: { scopes: ['read_api'] } } }, unfit],
      [{ 'GET /api/v4/groups/a': { status: 404, json: {} } }, "Import failed. 'a' not found."],
      [{ [state]: { status: 403, json: {} } }, "Import failed. You do not have permission to export 'a'."],
      [{ [state]: { status: 404, json: {} } }, /^Migration by direct transfer is disabled/],
      [{ [state]: { status: 500, json: {} } }, /Unsuccessful response 500/],
    ];
    for (const [at, [replies, text]] of cases.entries()) {
      const host = await startJsonHost(honest(replies));
      const [status, said] = await refusal(wanted(host.url, [group], 'a-secret'), (await somebody()).token);
      assert.equal(status, 422, `case ${at}: ${said}`);
      if (typeof text === 'string') assert.equal(said, text);
      else assert.match(said, text);
      assert.doesNotMatch(said, /a-secret/);
    }
    await nothingCame();
  });

  it('rejects local addresses and limits the rate of requests', async () => {
    const closed = await startTestServer(engine);
    await closed.must('PUT /application/settings', { json: { bulk_import_enabled: true } });
    const inner = await closed.api('POST /bulk_imports', wanted('http://127.0.0.1:9', [group]));
    assert.equal(inner.status, 422);
    assert.match(inner.body.message, /^Validation failed: Url is blocked/);
    assert.equal((await closed.api('POST /bulk_imports', wanted('ftp://a.example', [group]))).status, 422);
    const host = await startJsonHost(honest({ 'GET /api/v4/version': { status: 404, json: {} } }));
    const { token } = await somebody();
    for (let time = 0; time < 6; time++) assert.equal((await refusal(wanted(host.url, [group]), token))[0], 422);
    assert.equal((await refusal(wanted(host.url, [group]), token))[0], 429);
    await target.must('PUT /application/settings', { json: { bulk_import_enabled: false } });
    for (const call of [
      'POST /bulk_imports',
      'GET /bulk_imports',
      'GET /bulk_imports/entities',
      'GET /bulk_imports/1',
    ]) {
      const sending = call.startsWith('POST') ? wanted(host.url, [group]) : {};
      assert.equal((await target.api(call, sending)).status, 404, call);
      assert.equal((await target.api(call, { ...sending, token: null })).status, 401, call);
    }
    await target.must('PUT /application/settings', { json: { bulk_import_enabled: true } });
    await nothingCame();
  });

  it('can be canceled by its owner and is hidden from other users', async () => {
    const host = await startJsonHost(
      honest({ 'POST /api/v4/groups/a/export_relations': { status: 202, json: { message: '202 Accepted' } } }),
    );
    const [asking, other] = [await somebody(), await somebody()];
    const sending = { ...wanted(host.url, [{ ...group, destination_slug: 'waiting' }]), token: asking.token };
    const { id } = await target.must('POST /bulk_imports', sending);
    await until(() => host.calls.some(({ method }) => method === 'POST'));
    for (const call of ['GET', 'GET /entities', 'POST /cancel']) {
      const [method, rest = ''] = call.split(' ');
      assert.equal(
        (await target.api(`${method} /bulk_imports/${id}${rest}`, { token: other.token })).status,
        404,
        call,
      );
    }
    assert.deepEqual(await target.must('GET /bulk_imports', { token: other.token }), []);
    const [entity] = await target.must('GET /bulk_imports/entities?status=started', { token: asking.token });
    assert.equal(entity.bulk_import_id, id);
    const canceled = await target.api(`POST /bulk_imports/${id}/cancel`, { token: asking.token });
    assert.deepEqual([canceled.status, canceled.body.status], [200, 'canceled']);
    const { entities } = await ended(target, id);
    assert.deepEqual(
      entities.map(({ status }) => status),
      ['canceled'],
    );
    const again = await target.api(`POST /bulk_imports/${id}/cancel`, { token: asking.token });
    assert.deepEqual([again.status, again.body.status], [200, 'canceled']);
    const [row] = await target.db.read.selectFrom('bulk_imports').selectAll().where('id', '=', id).execute();
    assert.equal(row?.encrypted_data, null);
    assert.equal((await target.api(`GET /bulk_imports/${id}/entities/${entity.id + 100}`)).status, 404);
  });

  it('records invalid responses of the source and imports the rest', async () => {
    const bad: HostReply = (response) => response.writeHead(200).end('no gzip at all');
    const far: HostReply = { status: 302, headers: { location: 'ftp://a.example/x' }, json: {} };
    const states = ['labels', 'badges', 'milestones', 'boards', 'epics', 'members'].map((relation) => ({
      relation,
      status: relation === 'epics' ? -1 : 1,
    }));
    const answer = honest({
      'GET /api/v4/groups/a/export_relations/status': { json: states },
      'POST /api/v4/groups/a/export_relations': { status: 202, json: { message: '202 Accepted' } },
      'GET /api/v4/groups/a/subgroups': {
        json: [{ id: 5, name: 'A', path: 'a', full_path: 'a', visibility: 'private' }, 'nonsense'],
      },
      'GET /api/v4/groups/a/projects': { json: [] },
    });
    const host = await startJsonHost((call) => {
      if (!call.path.endsWith('/download')) return answer(call);
      return call.query.get('relation') === 'labels' ? bad : call.query.get('relation') === 'badges' ? far : undefined;
    });
    const { token } = await somebody();
    const { id } = await target.must('POST /bulk_imports', {
      ...wanted(host.url, [{ ...group, destination_slug: 'lied' }]),
      token,
    });
    const { status, has_failures, entities } = await ended(target, id, token);
    assert.deepEqual([status, has_failures, entities.length], ['finished', true, 1]);
    const [entity] = entities;
    const failed = await target.must(`GET /bulk_imports/${id}/entities/${entity.id}/failures`, { token });
    assert.deepEqual(failed, entity.failures);
    assert.deepEqual(
      entity.failures.map(({ relation }: { relation: string }) => relation).sort(),
      ['badges', 'epics', 'labels', 'subgroups', 'subgroups'].sort(),
    );
    assert.ok((await target.must('GET /groups/lied', { token })).id > 0);
  });

  it('ends stuck migrations', async () => {
    const host = await startJsonHost(
      honest({ 'POST /api/v4/groups/a/export_relations': { status: 202, json: { message: '202 Accepted' } } }),
    );
    const { id } = await target.must('POST /bulk_imports', wanted(host.url, [{ ...group, destination_slug: 'stuck' }]));
    await until(() => host.calls.some(({ method }) => method === 'POST'));
    await endStuckEntities(target.running.services, Date.now() + 25 * 60 * 60_000);
    const { status, entities } = await ended(target, id);
    assert.deepEqual([status, entities[0]?.status], ['timeout', 'timeout']);
  });
});
