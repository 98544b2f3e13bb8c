import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { Role } from '../../../src/access/roles.ts';
import { allAudiences } from '../../../src/namespaces/events/audience.ts';
import { forEachEngine } from '../../support/engines.ts';
import { planOf } from '../../support/query-plans.ts';
import { addPerson, type Person } from '../../support/scene.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

const projects = 120;
/** Cycles through lists of values, so that all combinations of several lists occur. */
const turn = <T>(values: readonly T[], at: number) => values[at % values.length] as T;

forEachEngine((engine) => {
  let server: TestServer;
  let author: Person;
  let groupId: number;
  let ids: number[];

  /** Adds project memberships, some of them expired; undefined skips a project. */
  async function addRoles(person: Person, levels: readonly (number | undefined)[], most = projects): Promise<void> {
    const rows = ids.slice(0, most).flatMap((project_id, at) => {
      const access_level = turn(levels, at);
      const expires_at = turn([null, 1, Date.now() + 1e9, null, null, null, null], at);
      const row = { user_id: person.user.id, namespace_id: null, project_id, expires_at, created_by_id: null };
      return access_level === undefined ? [] : [{ ...row, access_level, created_at: 1 }];
    });
    await server.db.write((trx) => trx.insertInto('members').values(rows).execute());
  }

  before(async () => {
    server = await startTestServer(engine);
    author = await addPerson(server, 'author');
    groupId = (await server.must('POST /groups', { json: { name: 'places', path: 'places' } })).id;
    const at = { created_at: 1, updated_at: 1, last_activity_at: 1 };
    const rows = Array.from({ length: projects }, (_, i) => ({
      namespace_id: groupId,
      name: `place ${i}`,
      path: `place-${i}`,
      visibility: turn([0, 0, 0, 10, 20], i),
      repository_access: turn([20, 20, 10, 0], i),
      issues_access: turn([20, 10, 0], i),
      merge_requests_access: turn([20, 0, 10, 20, 20], i),
      settings: turn(['{}', '{}', '{"wiki_access_level":"private"}', '{"snippets_access_level":"disabled"}'], i),
      ...at,
    }));
    ids = await server.db.write(async (trx) => {
      const made = await trx.insertInto('projects').values(rows).returning('id').execute();
      const events = made.flatMap(({ id }, i) =>
        allAudiences.map((audience, kind) => ({
          project_id: id,
          author_id: author.user.id,
          action: kind % 3 === 0 ? ('joined' as const) : ('created' as const),
          audience,
          created_at: 1000 + ((i * 37) % projects) * 10 + kind,
        })),
      );
      const outside = [5, 6, 7].map((created_at) => ({
        project_id: null,
        author_id: author.user.id,
        action: 'joined' as const,
        audience: 'project' as const,
        created_at,
      }));
      await trx
        .insertInto('events')
        .values([...events, ...outside])
        .execute();
      return made.map(({ id }) => id);
    });
  });

  /** Returns the number of events in the header and the number on all pages. */
  async function totals(path: string, sending: object): Promise<[told: number, listed: number]> {
    const first = await server.api(`GET ${path}?per_page=3`, sending);
    let listed = 0;
    for (let page = '1'; page !== ''; ) {
      const answer = await server.api(`GET ${path}?per_page=100&page=${page}`, sending);
      listed += answer.body.length;
      page = answer.headers.get('x-next-page') ?? '';
    }
    return [Number(first.headers.get('x-total')), listed];
  }

  async function assertTold(path: string, sending: object): Promise<number> {
    const [reported, listed] = await totals(path, sending);
    assert.equal(reported, listed, path);
    return reported;
  }

  describe("total of a user's events for different viewers", () => {
    const ofAuthor = () => `/users/${author.user.id}/events`;

    it('matches for a viewer without roles and for an unauthenticated viewer', async () => {
      const stranger = await addPerson(server, 'stranger');
      const seen = [await assertTold(ofAuthor(), stranger), await assertTold(ofAuthor(), { token: '' })];
      assert.ok((seen[0] ?? 0) > (seen[1] ?? 0) && (seen[1] ?? 0) > 0);
    });

    it('matches for viewers with few and with many roles', async () => {
      const few = await addPerson(server, 'few');
      const many = await addPerson(server, 'many');
      await addRoles(few, [Role.guest, Role.planner, undefined], 30);
      await addRoles(many, [Role.guest, Role.planner, Role.maintainer]);
      assert.ok((await assertTold(ofAuthor(), few)) < (await assertTold(ofAuthor(), many)));
    });

    it('matches for the author with few roles, with many, and with a group role', async () => {
      const before = await assertTold('/events', author);
      await addRoles(author, [Role.guest, Role.developer, Role.planner, Role.guest, Role.reporter]);
      const withRoles = await assertTold('/events', author);
      const member = { user_id: author.user.id, access_level: Role.owner };
      await server.must(`POST /groups/${groupId}/members`, { json: member });
      assert.ok(before < withRoles && withRoles < (await assertTold('/events', author)));
    });
  });

  it('is counted with covering indexes', { skip: engine === 'postgres' && 'it looks each project up' }, async () => {
    const seen: string[] = [];
    const stop = server.db.onQuery((text) => seen.push(text));
    await server.api('GET /events?per_page=1', author);
    stop();
    const counts = seen.filter((text) => /count\(\*\).*from "?events"?/.test(text));
    const plans = await Promise.all(counts.map((text) => planOf(server.db, text)));
    assert.equal(plans.length, 2);
    assert.match(plans[0] ?? '', /SEARCH events USING COVERING INDEX events_places/);
    assert.match(plans[0] ?? '', /MERGE \(EXCEPT\)[\s\S]*COVERING INDEX events_places[\s\S]*INDEX members_user/);
    assert.doesNotMatch(plans[0] ?? '', /SCAN (projects|events|members)|TEMP B-TREE/);
    assert.match(plans[1] ?? '', /COVERING INDEX events_outside/);
  });
});
