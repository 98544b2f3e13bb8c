import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { sql } from 'kysely';
import { atOnce } from './support/at-once.ts';
import { forEachEngine } from './support/engines.ts';
import { addPerson } from './support/scene.ts';
import { startTestServer, type TestServer } from './support/server.ts';

/** The expected trigger counts, computed by counting rows. */
const counted = sql<{ counted: string; owner: number; total: number }>`
  select counted, owner, count(*) as total from (
    select 'topics' as counted, 0 as owner from topics
    union all select 'deploy_tokens', 0 from deploy_tokens
    union all select 'deploy_tokens.lasting', 0 from deploy_tokens where revoked = 0 and expires_at is null
    union all select 'deploy_tokens.project_id', project_id from deploy_tokens
    union all select 'deploy_tokens.namespace_id', namespace_id from deploy_tokens
    union all select 'deploy_key_projects.project_id', project_id from deploy_key_projects
    union all select 'runners.' || runner_type, 0 from runners
    union all select 'runners.namespace_id', namespace_id from runners
    union all select 'runner_projects.project_id', project_id from runner_projects
    union all select 'member_invitations.project_id', project_id from member_invitations
    union all select 'member_invitations.namespace_id', namespace_id from member_invitations
    union all select 'access_requests.project_id', project_id from access_requests
    union all select 'access_requests.namespace_id', namespace_id from access_requests
    union all select 'audit_events.' || entity_type, entity_id from audit_events
    union all select 'groups.' || visibility, 0 from namespaces where kind = 'group'
    union all select 'issues.' || state || '.' || confidential, project_id from issues
    union all select case when u.private_profile = 1 then 'stars.private' else 'stars.shown' end, s.project_id
      from stars s join users u on u.id = s.user_id where u.state = 'active'
  ) as lines where owner is not null group by counted, owner order by counted, owner`;

const people = sql<{
  state: string;
}>`select state, kind, external, count(*) as total from users group by state, kind, external`;

forEachEngine((engine) => {
  describe('list counts maintained by triggers', () => {
    let server: TestServer;
    let project: { id: number };
    let group: { id: number };

    before(async () => {
      server = await startTestServer(engine);
      group = await server.must('POST /groups', { json: { name: 'Garden', path: 'garden', visibility: 'public' } });
      project = await server.must('POST /projects', {
        json: { name: 'P', namespace_id: group.id, visibility: 'public' },
      });
    });

    async function assertKept(): Promise<number> {
      const { rows: found } = await counted.execute(server.db.read);
      const { rows: kept } =
        await sql`select counted, owner, total from derived_counts order by counted, owner`.execute(server.db.read);
      const plain = (rows: readonly unknown[]) =>
        (rows as { counted: string; owner: number; total: number }[])
          .map((row) => `${row.counted} ${row.owner} ${row.total}`)
          .sort();
      assert.deepEqual(plain(kept), plain(found));
      return kept.length;
    }

    async function assertPeopleKept(): Promise<void> {
      const { rows: found } = await people.execute(server.db.read);
      const { rows: kept } = await sql`select state, kind, external, total from derived_people`.execute(server.db.read);
      const plain = (rows: readonly unknown[]) => rows.map((row) => Object.values(row as object).join()).sort();
      assert.deepEqual(plain(kept), plain(found));
    }

    const totalOf = async (path: string, as?: { token: string }) => {
      const { headers } = await server.api(`GET ${path}${path.includes('?') ? '&' : '?'}per_page=1`, as);
      return Number(headers.get('x-total'));
    };

    const places = () => [`projects/${project.id}`, `groups/${group.id}`];

    it('match the rows, also after concurrent inserts', async () => {
      for (const place of places()) {
        const adds = [1, 2, 3].flatMap((number) => [
          server.must(`POST /${place}/deploy_tokens`, { json: { name: `t${number}`, scopes: ['read_repository'] } }),
          server.must(`POST /${place}/invitations`, { json: { email: `g${number}@example.com`, access_level: 30 } }),
        ]);
        await Promise.all(adds);
      }
      await Promise.all(
        [1, 2, 3].map((number) => server.must('POST /topics', { json: { name: `t${number}`, title: `T${number}` } })),
      );
      for (const name of ['one', 'two']) {
        const { token } = await addPerson(server, name);
        for (const place of places()) await server.must(`POST /${place}/access_requests`, { token });
      }
      for (const [type, of] of [
        ['instance_type', {}],
        ['group_type', { group_id: group.id }],
        ['project_type', { project_id: project.id }],
        ['project_type', { project_id: project.id }],
      ] as const) {
        await server.must('POST /user/runners', { json: { runner_type: type, ...of } });
      }
      assert.ok((await assertKept()) > 12);
    });

    it('are the totals of lists', async () => {
      const own = places().flatMap((place) => [`/${place}/deploy_tokens`, `/${place}/invitations`]);
      for (const path of [...own, '/topics']) assert.equal(await totalOf(path), 3, path);
      for (const place of places()) assert.equal(await totalOf(`/${place}/access_requests`), 2, place);
      assert.equal(await totalOf('/deploy_tokens'), 6);
      assert.equal(await totalOf('/runners/all'), 4);
      assert.equal(await totalOf(`/projects/${project.id}/runners`), 4);
      assert.equal(await totalOf(`/groups/${group.id}/runners`), 2);
      assert.equal(await totalOf('/runners/all?type=project_type'), 2);
      assert.equal(
        await totalOf('/runners/all?type=project_type&paused=true'),
        0,
        'other filters are counted by query',
      );
      assert.equal(await totalOf('/runners/all?type=instance_type&status=never_contacted'), 1);
      assert.equal(await totalOf('/runners'), 4, 'maintained and queried counts are combined');
      const whole = (await server.must(`GET /groups/${group.id}/audit_events?per_page=100`)).length;
      assert.equal(await totalOf(`/groups/${group.id}/audit_events`), whole);
    });

    it('exclude expired invitations', async () => {
      await server.db.write((trx) =>
        sql`update member_invitations set expires_at = 1 where email = 'g2@example.com'`.execute(trx),
      );
      for (const place of places()) assert.equal(await totalOf(`/${place}/invitations`), 2);
      await assertKept();
    });

    it('exclude revoked and expired deploy tokens', async () => {
      const change = (columns: object, name: string) =>
        server.db.write((trx) => trx.updateTable('deploy_tokens').set(columns).where('name', '=', name).execute());
      assert.equal(await totalOf('/deploy_tokens?active=true'), 6);
      await change({ revoked: 1 }, 't1');
      await change({ expires_at: Date.now() + 1_000_000 }, 't2');
      await assertKept();
      assert.equal(await totalOf('/deploy_tokens?active=true'), 4);
      assert.equal(await totalOf('/deploy_tokens?active=false'), 2);
      assert.equal(await totalOf(`/projects/${project.id}/deploy_tokens?active=true`), 2);
      await change({ expires_at: 1 }, 't2');
      assert.equal(await totalOf('/deploy_tokens?active=true'), 2);
      await change({ revoked: 0, expires_at: null }, 't2');
      await assertKept();
      assert.equal(await totalOf('/deploy_tokens?active=true'), 4);
    });

    it('of issues depend on state and visibility', async () => {
      const at = `/projects/${project.id}/issues`;
      const other = await server.must('POST /projects', { json: { name: 'Q', namespace_id: group.id } });
      const [guest, author] = [await addPerson(server, 'guest'), await addPerson(server, 'author')];
      const open = (json: object = {}, as?: { token: string }) =>
        server.must(`POST ${at}`, { json: { title: 'Thing', ...json }, ...as });
      const [first, second, third] = await Promise.all([open(), open(), open(), open({ confidential: true })]);
      await open({ confidential: true }, author);
      await assertKept();
      await Promise.all([
        server.must(`PUT ${at}/${first.iid}`, { json: { state_event: 'close' } }),
        server.must(`PUT ${at}/${second.iid}`, { json: { confidential: true } }),
        server.must(`POST ${at}/${third.iid}/move`, { json: { to_project_id: other.id } }),
      ]);
      await assertKept();
      for (const [query, whole, ofGuest, ofAuthor] of [
        ['', 5, 2, 3],
        ['?state=opened', 3, 0, 1],
        ['?state=closed', 2, 2, 2],
        ['?state=opened&search=Thing', 3, 0, 1],
        ['?scope=all&state=all', 5, 2, 3],
      ] as const) {
        const totals = [await totalOf(at + query), await totalOf(at + query, guest), await totalOf(at + query, author)];
        assert.deepEqual(totals, [whole, ofGuest, ofAuthor], query);
      }
      assert.equal(await totalOf(`/groups/${group.id}/issues?state=opened`), 4);
      const { statistics } = await server.must(`GET /projects/${project.id}/issues_statistics`);
      assert.deepEqual(statistics.counts, { all: 5, closed: 2, opened: 3 });
      await server.must(`DELETE ${at}/${first.iid}`);
      await server.must(`PUT ${at}/${third.iid}`, { json: { state_event: 'reopen' } });
      await assertKept();
      await server.db.write((trx) => trx.deleteFrom('issues').where('project_id', '=', project.id).execute());
      await assertKept();
      assert.equal(await totalOf(at), 0);
    });

    it('of groups depend on visibility', async () => {
      const reader = await addPerson(server, 'reader');
      const levels = ['private', 'internal', 'public'] as const;
      const made = await atOnce(6, (index) =>
        server.must('POST /groups', {
          json: { name: `G${index}`, path: `g${index}`, visibility: levels[index % 3], parent_id: null },
        }),
      );
      const all = await totalOf('/groups?all_available=true');
      const open = await totalOf('/groups?all_available=true', reader);
      assert.equal(all, (await server.must('GET /groups?all_available=true&per_page=100')).length);
      assert.equal(open, (await server.must('GET /groups?all_available=true&per_page=100', reader)).length);
      await assertKept();
      // Two are made private while two are made public.
      await atOnce(4, (index) =>
        server.must(`PUT /groups/${made[index]?.id}`, { json: { visibility: levels[(index + 1) % 3] } }),
      );
      await assertKept();
      await server.must(`POST /groups/${made[0]?.id}/members`, { json: { user_id: reader.user.id, access_level: 30 } });
      const mine = await server.must('GET /groups?all_available=true&per_page=100', reader);
      assert.equal(await totalOf('/groups?all_available=true', reader), mine.length);
      await server.db.write((trx) =>
        trx
          .deleteFrom('namespaces')
          .where(
            'id',
            'in',
            made.map(({ id }: { id: number }) => id),
          )
          .execute(),
      );
      await assertKept();
      assert.equal(await totalOf('/groups?all_available=true'), all - made.length);
    });

    it('of users depend on their attributes', async () => {
      const passed = async (path: string, passes: string, as?: { token: string }) => {
        const { rows } = await sql`select id from users where ${sql.raw(passes)}`.execute(server.db.read);
        assert.equal(await totalOf(path, as), rows.length, path);
      };
      const [one, two] = [await addPerson(server, 'three'), await addPerson(server, 'four')];
      await server.must(`POST /users/${one.user.id}/block`, {});
      await server.must(`PUT /users/${two.user.id}`, { json: { external: true } });
      await assertPeopleKept();
      await passed('/users', '1 = 1');
      await passed('/users?active=true&humans=true', "state = 'active' and kind = 'human'");
      await passed('/users?blocked=true', "state = 'blocked'");
      await passed('/users?exclude_active=true&exclude_external=true', "state <> 'active' and external = 0");
      await passed('/users?external=true', 'external = 1');
      await passed('/users?active=true&admins=true', "state = 'active' and admin = 1");
      await passed('/users', "state <> 'blocked'", two);
      await server.must(`POST /users/${one.user.id}/unblock`, {});
      await server.db.write((trx) => trx.deleteFrom('users').where('id', '=', two.user.id).execute());
      await assertPeopleKept();
    });

    it('of stars exclude private profiles', async () => {
      const fans = [];
      for (const name of ['ann', 'ben', 'cyd']) fans.push(await addPerson(server, name));
      const [ann, ben, cyd] = fans as [(typeof fans)[0], (typeof fans)[0], (typeof fans)[0]];
      await Promise.all(fans.map(({ token }) => server.must(`POST /projects/${project.id}/star`, { token })));
      await server.must(`PUT /users/${ben.user.id}`, { json: { private_profile: true } });
      await assertKept();
      const starrers = `/projects/${project.id}/starrers`;
      assert.equal(await totalOf(starrers), 3);
      assert.equal(await totalOf(starrers, ann), 2, 'without private profiles');
      assert.equal(await totalOf(starrers, ben), 3, 'users see themselves');
      await server.must(`POST /users/${cyd.user.id}/block`, {});
      await assertKept();
      assert.equal(await totalOf(starrers), 2);
      assert.equal(await totalOf(`${starrers}?search=ann`), 1);
      await server.must(`POST /users/${cyd.user.id}/unblock`, {});
      await assertKept();
      await server.must(`POST /projects/${project.id}/unstar`, { token: ann.token });
      await server.db.write((trx) => trx.deleteFrom('users').where('id', '=', cyd.user.id).execute());
      await assertKept();
      assert.equal(await totalOf(starrers), 1);
    });

    it('of stars stay correct when users are blocked concurrently', async () => {
      const fan = await addPerson(server, 'dan');
      for (let round = 0; round < 5; round += 1) {
        await Promise.all([
          server.api(`POST /projects/${project.id}/${round % 2 === 0 ? 'star' : 'unstar'}`, { token: fan.token }),
          server.db.write((trx) =>
            trx
              .updateTable('users')
              .set({ state: round % 2 === 0 ? 'blocked' : 'active' })
              .where('id', '=', fan.user.id)
              .execute(),
          ),
        ]);
        await assertKept();
      }
    });

    it('decrease when rows are deleted or moved, also by cascades', async () => {
      await server.db.write(async (trx) => {
        await sql`update runners set runner_type = 'instance_type', namespace_id = null
          where runner_type = 'group_type'`.execute(trx);
        await sql`delete from topics where name <> 't1'`.execute(trx);
      });
      await assertKept();
      assert.equal(await totalOf('/topics'), 1);
      await server.db.write((trx) => trx.deleteFrom('projects').where('id', '=', project.id).execute());
      await assertKept();
      assert.equal(await totalOf('/deploy_tokens'), 3);
      await server.db.write((trx) => sql`delete from topics`.execute(trx));
      await assertKept();
      const { rows } = await sql`select 1 from derived_counts where counted = 'topics'`.execute(server.db.read);
      assert.deepEqual(rows, [], 'no zero counts are left');
    });
  });
});
