import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { Role } from '../../src/access/roles.ts';
import { forEachEngine } from '../support/engines.ts';
import { GitClient } from '../support/git-client.ts';
import { pushAll } from '../support/git-project.ts';
import { addMember, addPerson, type Person } from '../support/scene.ts';
import type { TestServer } from '../support/server.ts';
import { addTracked, counted, errorsIn, exceptionEvent, report, startTracking, type Tracked } from './tracking.ts';

const hour = 3_600_000;

forEachEngine((engine) => {
  let server: TestServer;
  let owner: Person;
  let developer: Person;
  let reporter: Person;
  let guest: Person;

  before(async () => {
    server = await startTracking(engine);
    [owner, developer, reporter, guest] = (await Promise.all(
      ['owner', 'developer', 'reporter', 'guest'].map((name) => addPerson(server, name)),
    )) as [Person, Person, Person, Person];
  });

  const errors = ({ project }: Tracked) => `/projects/${project.id}/error_tracking/errors`;

  async function staffed(): Promise<Tracked> {
    const tracked = await addTracked(server, owner);
    await addMember(server, tracked.project, developer, Role.developer);
    await addMember(server, tracked.project, reporter, Role.reporter);
    await addMember(server, tracked.project, guest, Role.guest);
    return tracked;
  }

  /** Reports errors of these types with the given numbers of events, in reverse order. */
  async function reportTypes(tracked: Tracked, types: Record<string, number>): Promise<void> {
    const names = Object.keys(types);
    const now = Date.now() / 1000;
    for (const [index, [type, count]] of Object.entries(types).entries()) {
      for (let event = 0; event < count; event += 1) {
        const timestamp = now - index - event * 100 * names.length;
        await report(server, tracked, exceptionEvent({ timestamp }, type));
      }
    }
    await counted(server);
  }

  describe('error list', () => {
    it('can be sorted, searched and filtered', async () => {
      const tracked = await staffed();
      await reportTypes(tracked, { Alpha: 1, Beta: 3, Gamma: 2 });
      const titles = async (query: string) => {
        const found = await server.must(`GET ${errors(tracked)}?${query}`, { token: reporter.token });
        return found.map((one: { title: string }) => one.title.split(':')[0]).join();
      };
      assert.equal(await titles(''), 'Alpha,Beta,Gamma');
      assert.equal(await titles('sort=first_seen'), 'Alpha,Gamma,Beta');
      assert.equal(await titles('sort=frequency'), 'Beta,Gamma,Alpha');
      assert.equal(await titles('search=amma%3A%20b'), 'Gamma');
      assert.equal(await titles('search=%25'), '');
      assert.equal(await titles('search=be'), 'Beta');
      const [{ id }] = await server.must(`GET ${errors(tracked)}?search=Beta`);
      await server.must(`PUT ${errors(tracked)}/${id}`, { json: { status: 'resolved' } });
      assert.equal(await titles(''), 'Alpha,Gamma');
      assert.equal(await titles('status=resolved'), 'Beta');
      assert.equal(await titles('status=ignored'), '');
      for (const query of ['status=x', 'sort=x', 'pagination=x', 'pagination=keyset&cursor=x']) {
        assert.equal((await server.api(`GET ${errors(tracked)}?${query}`)).status, 400, query);
      }
    });

    it('shows event counts', async () => {
      const tracked = await staffed();
      const now = Date.now();
      for (const [ago, id] of [
        [0, 1],
        [0, 2],
        [2, 1],
        [23, 1],
        [30, 3],
      ] as const) {
        await report(
          server,
          tracked,
          exceptionEvent({ timestamp: (now - ago * hour) / 1000, user: { id }, release: `r${ago}` }),
        );
      }
      await counted(server);
      const [error, ...none] = await server.must(`GET ${errors(tracked)}`, { token: reporter.token });
      assert.deepEqual(none, []);
      assert.match(error.id, /^\d+$/);
      assert.deepEqual(
        [error.title, error.message, error.culprit, error.count, error.user_count, error.status, error.level],
        ['ValueError: bad', 'bad', 'work(app.work)', 5, 3, 'unresolved', 'error'],
      );
      assert.equal(error.frequency.length, 24);
      const current = Math.floor(now / hour) * 3600;
      assert.deepEqual(error.frequency.at(-1), [current, 2]);
      assert.deepEqual(error.frequency.at(-3), [current - 2 * 3600, 1]);
      assert.deepEqual(error.frequency[0], [current - 23 * 3600, 1]);
      assert.equal(Date.parse(error.last_seen), Math.round(now));
      const detail = await server.must(`GET ${errors(tracked)}/${error.id}`, { token: reporter.token });
      assert.equal(detail.daily_frequency.length, 30);
      const sum = detail.daily_frequency.reduce((total: number, [, count]: [number, number]) => total + count, 0);
      assert.equal(sum, 5);
      assert.deepEqual([detail.first_release_version, detail.last_release_version], ['r30', 'r0']);
      assert.deepEqual(detail.releases.map((one: { name: string }) => one.name).sort(), ['r0', 'r2', 'r23', 'r30']);
      assert.deepEqual(
        detail.environments.map(({ name, count }: { name: string; count: number }) => [name, count]),
        [['production', 5]],
      );
      assert.deepEqual(detail.tags, { level: 'error', logger: null });
      assert.equal(detail.gitlab_commit, null);
    });

    it('supports offset and cursor pagination with a fixed number of queries', async () => {
      const tracked = await staffed();
      await report(server, tracked, exceptionEvent());
      await counted(server);
      const [{ id: _, ...row } = assert.fail()] = await errorsIn(server, tracked);
      const copies = Array.from({ length: 30 }, (_one, index) => ({
        ...row,
        fingerprint: `${index}`,
        title: `T${index}`,
      }));
      await server.db.write((trx) => trx.insertInto('error_tracking_errors').values(copies).execute());
      const page = await server.api(`GET ${errors(tracked)}?page=2&per_page=20`);
      assert.deepEqual([page.body.length, page.headers.get('x-total')], [11, '31']);
      const seen = new Set<string>();
      for (let path: string | undefined = `${errors(tracked)}?pagination=keyset&per_page=7`; path; ) {
        const answer = await server.api(`GET ${path}`);
        for (const { id } of answer.body) seen.add(id);
        path = /<([^>]*)>; rel="next"/.exec(answer.headers.get('link') ?? '')?.[1]?.replace(/^.*\/api\/v4/, '');
      }
      assert.equal(seen.size, 31);
      const queries = (size: number) => server.queriesOf(() => server.must(`GET ${errors(tracked)}?per_page=${size}`));
      assert.equal(await queries(10), await queries(30));
    });
  });

  describe('event', () => {
    it('is returned with all details', async () => {
      const tracked = await staffed();
      const sent = exceptionEvent({
        user: { id: 7, email: 'a@x.org', plan: 'free' },
        tags: { server: 'a' },
        extra: { password: 'hidden', list: [1, 2] },
        breadcrumbs: [{ message: 'clicked', category: 'ui', timestamp: 1_704_067_200 }],
        contexts: { os: { name: 'Linux' } },
        request: { url: 'https://x.org/?a=1', headers: { Cookie: 'hidden' } },
        environment: 'staging',
        sdk: { name: 'sentry.python', version: '2.0' },
      });
      const id = await report(server, tracked, sent);
      await counted(server);
      const [{ id: error }] = await server.must(`GET ${errors(tracked)}`);
      const [listed] = await server.must(`GET ${errors(tracked)}/${error}/events`, { token: reporter.token });
      assert.deepEqual([listed.id, listed.error_id, listed.environment, listed.release], [id, error, 'staging', null]);
      const event = await server.must(`GET ${errors(tracked)}/${error}/events/${id}`, { token: reporter.token });
      assert.deepEqual(event.user, { id: '7', username: null, email: 'a@x.org', ip_address: null, plan: 'free' });
      assert.deepEqual(
        [event.tags, event.contexts, event.sdk],
        [{ server: 'a' }, { os: { name: 'Linux' } }, { name: 'sentry.python', version: '2.0' }],
      );
      assert.deepEqual(event.extra, { password: '[Filtered]', list: [1, 2] });
      assert.equal(event.request.headers.Cookie, '[Filtered]');
      assert.deepEqual(event.breadcrumbs[0].timestamp, '2024-01-01T00:00:00.000Z');
      const [{ type, value, stack_trace_entries: stack }] = event.exceptions;
      assert.deepEqual([type, value], ['ValueError', 'bad']);
      assert.deepEqual(
        stack.map((one: { function: string }) => one.function),
        ['main', 'work'],
      );
      assert.deepEqual(stack[1].context, [
        [9, 'a'],
        [10, 'b'],
        [11, 'c'],
        [12, 'd'],
      ]);
      const trace = await server.must(`GET ${errors(tracked)}/${error}/stack_trace`);
      assert.deepEqual([trace.issue_id, trace.event_id, trace.stack_trace_entries], [error, id, stack]);
    });

    it('links to the source code', async () => {
      const tracked = await staffed();
      const client = new GitClient();
      await client.init();
      const first = await client.commit({ 'app/main.py': 'one', 'src/other.py': 'x' });
      await client.commit({ 'app/work.py': 'two' });
      await pushAll(server, owner, tracked.project, client);
      const id = await report(server, tracked, exceptionEvent());
      const released = await report(server, tracked, exceptionEvent({ release: `app@${first}` }));
      await counted(server);
      const [{ id: error }] = await server.must(`GET ${errors(tracked)}`);
      const urls = async (event: string, token = reporter.token) => {
        const whole = await server.must(`GET ${errors(tracked)}/${error}/events/${event}`, { token });
        return whole.exceptions[0].stack_trace_entries.map((one: { source_url: string }) => one.source_url);
      };
      const base = `${server.url}/${owner.user.username}/${tracked.project.path}/-/blob`;
      assert.deepEqual(await urls(id), [`${base}/main/app/main.py#L10`, `${base}/main/app/work.py#L11`]);
      assert.deepEqual(await urls(released), [`${base}/${first}/app/main.py#L10`, null]);
    });

    it('is only found in its own error and project', async () => {
      const [tracked, other] = [await staffed(), await staffed()];
      const id = await report(server, tracked, exceptionEvent());
      await report(server, tracked, exceptionEvent({}, 'Other'));
      await report(server, other, exceptionEvent({}, 'Third'));
      await counted(server);
      const [a, b] = await server.must(`GET ${errors(tracked)}`);
      const own = a.title.startsWith('ValueError') ? [a, b] : [b, a];
      assert.equal((await server.api(`GET ${errors(tracked)}/${own[0].id}/events/${id}`)).status, 200);
      for (const path of [
        `${errors(tracked)}/${own[1].id}/events/${id}`,
        `${errors(other)}/${own[0].id}`,
        `${errors(other)}/${own[0].id}/events`,
        `${errors(tracked)}/${own[0].id}/events/${'0'.repeat(32)}`,
        `${errors(tracked)}/1`,
        `${errors(tracked)}/x`,
        `${errors(tracked)}/${'9'.repeat(40)}`,
      ]) {
        assert.equal((await server.api(`GET ${path}`)).status, 404, path);
      }
    });
  });

  it('an error can be turned into an issue, which is closed when the error is resolved', async () => {
    const tracked = await staffed();
    await report(server, tracked, exceptionEvent({}, 'ValueError', '@all ```\n/close'));
    await counted(server);
    const [{ id }] = await server.must(`GET ${errors(tracked)}`);
    const create = (token: string | null) => server.api(`POST ${errors(tracked)}/${id}/issue`, { token });
    assert.equal((await create(null)).status, 401);
    assert.equal((await create(reporter.token)).status, 403);
    const { status, body: issue } = await create(developer.token);
    assert.equal(status, 201);
    assert.equal(issue.title, 'ValueError: @all ``` /close');
    const [, fence, text] = /\n(`+)text\n(.*)\n\1\n/s.exec(issue.description) ?? [];
    assert.ok(fence === '````' && text !== undefined, issue.description);
    assert.ok(text.includes('at work (app/work.py:11)\n      c\n  at main (app/main.py:10)'), text);
    assert.ok(!issue.description.replace(text, '').includes('@all'));
    assert.equal((await create(developer.token)).status, 409);
    const detail = await server.must(`GET ${errors(tracked)}/${id}`, { token: reporter.token });
    assert.equal(detail.gitlab_issue, issue.web_url);
    const resolve = `PUT ${errors(tracked)}/${id}?status=resolved`;
    const resolved = await server.must(resolve, { token: developer.token });
    assert.deepEqual([resolved.status, resolved.closed_issue_iid], ['resolved', issue.iid]);
    const closed = await server.must(`GET /projects/${tracked.project.id}/issues/${issue.iid}`);
    assert.equal(closed.state, 'closed');
    assert.equal((await server.must(resolve, { token: developer.token })).closed_issue_iid, null);
    await report(server, tracked, exceptionEvent());
    await counted(server);
    assert.equal((await server.must(`GET /projects/${tracked.project.id}/issues/${issue.iid}`)).state, 'closed');
  });

  it('an error can be read and updated with the required permissions', async () => {
    const tracked = await staffed();
    await report(server, tracked, exceptionEvent());
    await counted(server);
    const [{ id }] = await server.must(`GET ${errors(tracked)}`);
    const status = async (call: string, token: string | null) => (await server.api(call, { token })).status;
    const put = `PUT ${errors(tracked)}/${id}?status=ignored`;
    assert.equal(await status(put, null), 401);
    assert.equal(await status(put, guest.token), 403);
    assert.equal(await status(put, reporter.token), 403);
    assert.equal(await status(put, developer.token), 200);
    assert.equal(await status(`PUT ${errors(tracked)}/${id}?status=x`, developer.token), 400);
    assert.equal(await status(`PUT ${errors(tracked)}/${id}`, developer.token), 400);
    const stranger = await addPerson(server, 'stranger');
    for (const path of [errors(tracked), `${errors(tracked)}/${id}`, `${errors(tracked)}/${id}/events`]) {
      assert.equal(await status(`GET ${path}`, null), 401);
      assert.equal(await status(`GET ${path}`, stranger.token), 404);
      assert.equal(await status(`GET ${path}`, guest.token), 403);
      assert.equal(await status(`GET ${path}`, reporter.token), 200);
    }
    await server.must(`PUT /projects/${tracked.project.id}`, { json: { monitor_access_level: 'disabled' } });
    assert.equal(await status(`GET ${errors(tracked)}`, owner.token), 403);
    await server.must(`PUT /projects/${tracked.project.id}`, { json: { monitor_access_level: 'enabled' } });
    await server.must(`PATCH /projects/${tracked.project.id}/error_tracking/settings`, { json: { active: false } });
    const off = await server.api(`GET ${errors(tracked)}`);
    assert.deepEqual([off.status, off.body], [400, { message: 'Error Tracking is not enabled' }]);
  });
});
