import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { CompiledQuery, sql } from 'kysely';
import { groupScopes, instanceScopes, projectScopes } from '../src/integrations/search/schema.ts';
import { blankAccount } from '../src/people/users/public.ts';
import type { Database, Engine } from '../src/platform/database/database.ts';
import { addUser } from './support/cast.ts';
import { forEachEngine } from './support/engines.ts';
import { startTestServer, type TestServer } from './support/server.ts';

/** The query plan of a statement for any values, with full table scans disabled. */
async function planOf(db: Database, text: string): Promise<string> {
  if (db.engine === 'sqlite') {
    const { rows } = await db.read.executeQuery<{ detail: string }>(
      CompiledQuery.raw(`explain query plan ${text}`, unbound(text)),
    );
    return rows.map((row) => row.detail).join('\n');
  }
  return db.write(async (trx) => {
    await sql`set local enable_seqscan = off`.execute(trx);
    const { rows } = await trx.executeQuery<{ 'QUERY PLAN': string }>(
      CompiledQuery.raw(`explain (generic_plan) ${text}`),
    );
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  });
}

const unbound = (text: string) => Array.from(text.matchAll(/\?/g), () => null);

/** The growing tables that a plan scans completely. */
function scanned(engine: Engine, plan: string): string[] {
  const tables =
    'users|emails|namespaces|projects|topics|labels|access_tokens|members|issues|merge_requests|milestones|notes|snippets';
  const whole = engine === 'sqlite' ? `SCAN (${tables})( |$)` : `Seq Scan on (${tables})( |$)`;
  return [...plan.matchAll(new RegExp(whole, 'gm'))].map((found) => found[0]);
}

forEachEngine((engine) => {
  let server: TestServer;
  let user: { id: number; token: string };
  let group: { id: number };
  let project: { id: number };
  before(async () => {
    server = await startTestServer(engine);
    user = await addUser(server, 'searcher');
    group = await server.must('POST /groups', { json: { name: 'Sought after', path: 'sought' } });
    project = await server.must('POST /projects', { json: { name: 'Sought too', namespace_id: group.id } });
  });

  /** The search statements of a request, and the tables they scan completely. */
  async function readWhole(call: string, token?: string): Promise<{ statements: number; whole: string[] }> {
    const seen: string[] = [];
    const stop = server.db.onQuery((text) => seen.push(text));
    const answer = await server.api(call, token === undefined ? {} : { token });
    stop();
    assert.equal(answer.status, 200, `${call}: ${answer.text}`);
    const searches = seen.filter((text) => /like|match|json_each|unnest|any\(|lower\(/.test(text));
    const whole: string[] = [];
    for (const text of searches) {
      const plan = await planOf(server.running.services.db, text);
      whole.push(...scanned(engine, plan).map((table) => `${table}: ${text}`));
    }
    return { statements: searches.length, whole };
  }

  for (const term of ['sought', 'so']) {
    test(`searching for ${term} scans no table`, async () => {
      for (const call of [
        `/users?search=${term}`,
        '/users?search=one@example.com',
        `/users?search=${term}&order_by=name&pagination=keyset`,
        `/projects?search=${term}`,
        `/projects?search=${term}&order_by=name`,
        ...(term.length > 2
          ? [
              `/projects?search=${term}&search_namespaces=true`,
              `/groups?search=${term}`,
              `/groups?search=${term}&all_available=true&order_by=path`,
              `/groups/${group.id}/subgroups?search=${term}`,
              `/groups/${group.id}/descendant_groups?search=${term}`,
              `/groups/${group.id}/transfer_locations?search=${term}`,
              `/projects/${project.id}/transfer_locations?search=${term}`,
              `/projects/${project.id}/share_locations?search=${term}`,
              `/namespaces?search=${term}`,
              `/topics?search=${term}`,
              `/personal_access_tokens?search=${term}`,
            ]
          : []),
        `/projects/${project.id}/members?query=${term}`,
        `/projects/${project.id}/members/all?query=${term}`,
        `/projects/${project.id}/users?search=${term}`,
        `/projects/${project.id}/groups?search=${term}`,
        `/projects/${project.id}/starrers?search=${term}`,
        `/projects/${project.id}/labels?search=${term}`,
        `/groups/${group.id}/projects?search=${term}`,
      ]) {
        const { statements, whole } = await readWhole(`GET ${call}`);
        assert.ok(statements > 0, call);
        assert.deepEqual(whole, [], call);
      }
      for (const call of [
        `/users?search=${term}`,
        `/projects?search=${term}`,
        `/groups?search=${term}`,
        `/namespaces?search=${term}`,
      ]) {
        assert.deepEqual((await readWhole(`GET ${call}`, user.token)).whole, [], call);
      }
    });
  }

  test('every search scope at every level scans no table', async () => {
    const levels = [
      { where: '', scopes: instanceScopes },
      { where: `/groups/${group.id}`, scopes: groupScopes },
      { where: `/projects/${project.id}`, scopes: projectScopes },
    ];
    for (const { where, scopes } of levels) {
      for (const scope of scopes) {
        const call = `GET ${where}/search?scope=${scope}&search=sought`;
        assert.deepEqual((await readWhole(call)).whole, [], call);
        if (where === '') assert.deepEqual((await readWhole(call, user.token)).whole, [], `${call}, by a user`);
      }
    }
  });

  test('among very many users exact matches come first, and pages are consistent', async () => {
    const now = Date.now();
    const rows = Array.from({ length: 1300 }, (_, n) => {
      const state = n % 100 === 7 ? ('blocked' as const) : ('active' as const);
      const username = n === 640 ? 'crowd' : `crowd-${n}`;
      const name = n === 900 ? 'Crowd' : `${String.fromCharCode(97 + (n % 26))} of the crowd ${n}`;
      return {
        ...blankAccount,
        username,
        name,
        state,
        email: `crowd-${n}@example.com`,
        created_at: now,
        updated_at: now,
      };
    });
    await server.db.write(async (trx) => {
      for (let at = 0; at < rows.length; at += 100)
        await trx
          .insertInto('users')
          .values(rows.slice(at, at + 100))
          .execute();
    });
    const active = rows.filter(({ state }) => state === 'active');
    for (const [token, expected] of [
      [undefined, rows],
      [user.token, active],
    ] as const) {
      const found: string[] = [];
      for (let page = 1; page <= Math.ceil(expected.length / 100); page += 1) {
        const answer = await server.api(`GET /users?search=crowd&per_page=100&page=${page}`, token ? { token } : {});
        assert.equal(answer.headers.get('x-total'), String(expected.length));
        found.push(...answer.body.map((one: { name: string }) => one.name));
      }
      const others = expected.map(({ name }) => name).filter((name) => name !== 'Crowd');
      const byUsername = rows[640]?.name ?? '';
      const rest = others.filter((name) => name !== byUsername).sort();
      assert.deepEqual(found, [byUsername, 'Crowd', ...rest]);
    }
    const byId = await server.must('GET /users?search=crowd&order_by=id&sort=asc&per_page=2');
    assert.deepEqual(
      byId.map((one: { username: string }) => one.username),
      ['crowd-0', 'crowd-1'],
    );
  });

  test('very many projects are paginated according to visibility', async () => {
    const now = Date.now();
    const rows = Array.from({ length: 1200 }, (_, n) => ({
      namespace_id: group.id,
      name: `heap ${n}`,
      path: `heap-${n}`,
      visibility: n % 3 === 0 ? 20 : 0,
      last_activity_at: now + n,
      created_at: now,
      updated_at: now,
    }));
    await server.db.write(async (trx) => {
      for (let at = 0; at < rows.length; at += 100)
        await trx
          .insertInto('projects')
          .values(rows.slice(at, at + 100))
          .execute();
    });
    const all = await server.api('GET /projects?search=heap&simple=true&order_by=last_activity_at&per_page=3&page=2');
    assert.equal(all.headers.get('x-total'), '1200');
    assert.deepEqual(
      all.body.map((one: { path: string }) => one.path),
      ['heap-1196', 'heap-1195', 'heap-1194'],
    );
    const open = await server.api('GET /projects?search=heap&simple=true&sort=asc&per_page=2', { token: user.token });
    assert.equal(open.headers.get('x-total'), '400');
    assert.deepEqual(
      open.body.map((one: { path: string }) => one.path),
      ['heap-0', 'heap-3'],
    );
    const one = await server.api('GET /projects?search=heap 1199&simple=true');
    assert.deepEqual([one.headers.get('x-total'), one.body[0].path], ['1', 'heap-1199']);
    const both = await server.must(
      `GET /groups/${group.id}/projects?search=heap&visibility=public&sort=asc&per_page=1`,
    );
    assert.equal(both[0].path, 'heap-0');
  });
});
