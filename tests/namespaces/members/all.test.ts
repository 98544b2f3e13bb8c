import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { addUser } from '../../support/cast.ts';
import { forEachEngine } from '../../support/engines.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

interface Person {
  id: number;
  username: string;
  token: string;
}
interface Row {
  id: number;
  access_level: number;
  created_by?: object;
}

forEachEngine((engine) => {
  describe('all members of a project or group', () => {
    let server: TestServer;
    const who: Record<string, Person> = {};
    const groups: Record<string, number> = {};
    let project: number;

    const person = (name: string) => who[name] as Person;
    const token = (name: string) => person(name).token;

    async function join(place: string, name: string, access_level: number) {
      await server.must(`POST ${place}/members`, { json: { user_id: person(name).id, access_level } });
    }

    before(async () => {
      server = await startTestServer(engine);
      const names = ['owner', 'top', 'mid', 'direct', 'friend', 'guest', 'secret', 'lent', 'outsider'];
      await Promise.all(
        names.map(async (name) => {
          who[name] = await addUser(server, name);
        }),
      );
      const make = async (path: string, visibility: string, parent?: string) => {
        const parent_id = parent === undefined ? undefined : groups[parent];
        const json = { name: path, path, visibility, parent_id };
        groups[path] = (await server.must('POST /groups', { token: token('owner'), json })).id;
      };
      await make('top', 'public');
      await make('mid', 'public', 'top');
      await make('friends', 'public');
      await make('hidden', 'private');
      await make('lenders', 'public');
      const json = { name: 'it', namespace_id: groups.mid, visibility: 'public' };
      project = (await server.must('POST /projects', { token: token('owner'), json })).id;
      await join(`/groups/${groups.top}`, 'top', 20);
      await join(`/groups/${groups.mid}`, 'mid', 30);
      await join(`/groups/${groups.mid}`, 'top', 40);
      await join(`/projects/${project}`, 'direct', 30);
      await join(`/projects/${project}`, 'mid', 30);
      await join(`/groups/${groups.friends}`, 'friend', 40);
      await join(`/groups/${groups.friends}`, 'guest', 10);
      await join(`/groups/${groups.hidden}`, 'secret', 50);
      await join(`/groups/${groups.lenders}`, 'lent', 50);
      const share = (group: string, other: string, group_access: number) =>
        server.must(`POST /groups/${groups[group]}/share`, {
          token: token('owner'),
          json: { group_id: groups[other], group_access },
        });
      await share('top', 'friends', 30);
      await share('mid', 'hidden', 20);
      await server.must(`POST /projects/${project}/share`, {
        token: token('owner'),
        json: { group_id: groups.lenders, group_access: 20 },
      });
    });

    async function all(place: string, name: string, query = ''): Promise<Record<string, number>> {
      const rows: Row[] = await server.must(`GET ${place}/members/all?per_page=100&${query}`, { token: token(name) });
      const names = new Map(Object.entries(who).map(([each, { id }]) => [id, each]));
      assert.equal(new Set(rows.map((row) => row.id)).size, rows.length, 'one row per user');
      return Object.fromEntries(rows.map((row) => [names.get(row.id), row.access_level]));
    }

    it('are listed once with their highest level', async () => {
      assert.deepEqual(await all(`/groups/${groups.top}`, 'owner'), { owner: 50, top: 20, friend: 30, guest: 10 });
      const inMid = { owner: 50, top: 40, mid: 30, friend: 30, guest: 10, secret: 20 };
      assert.deepEqual(await all(`/groups/${groups.mid}`, 'owner'), inMid);
      assert.deepEqual(await all(`/projects/${project}`, 'owner'), { ...inMid, direct: 30, lent: 20 });
    });

    it('include members of private invited groups only for viewers who can see these groups', async () => {
      assert.ok(!('secret' in (await all(`/groups/${groups.mid}`, 'outsider'))));
      assert.ok(!('secret' in (await all(`/projects/${project}`, 'direct'))));
      assert.equal((await all(`/projects/${project}`, 'secret')).secret, 20);
      const path = `/projects/${project}/members/all/${person('secret').id}`;
      assert.equal((await server.api(`GET ${path}`, { token: token('outsider') })).status, 404);
      assert.equal((await server.must(`GET ${path}`, { token: token('secret') })).access_level, 20);
    });

    it('can be read individually', async () => {
      const get = (which: string) =>
        server.api(`GET /projects/${project}/members/${which}${person('top').id}`, { token: token('outsider') });
      assert.equal((await get('')).status, 404);
      const found = await get('all/');
      assert.deepEqual([found.status, found.body.id, found.body.access_level], [200, person('top').id, 40]);
      const nobody = await server.api(`GET /projects/${project}/members/all/999999`);
      assert.deepEqual([nobody.status, nobody.body], [404, { message: '404 Not found' }]);
    });

    it('can be searched by name, id and state', async () => {
      const place = `/projects/${project}`;
      assert.deepEqual(Object.keys(await all(place, 'owner', `query=${person('direct').username.toUpperCase()}`)), [
        'direct',
      ]);
      assert.deepEqual(
        Object.keys(await all(place, 'owner', `user_ids[]=${person('mid').id}&user_ids[]=${person('lent').id}`)).sort(),
        ['lent', 'mid'],
      );
      assert.deepEqual(await all(place, 'owner', 'query=_'), {});
      assert.deepEqual(await all(place, 'owner', 'state=awaiting'), {});
      assert.deepEqual(Object.keys(await all(place, 'owner', 'state=active')).length, 8);
      const direct: Row[] = await server.must(`GET ${place}/members?skip_users=${person('mid').id}`);
      assert.deepEqual(
        direct.map((row) => row.id),
        [person('direct').id],
      );
    });

    it('exclude members of an expired share', async () => {
      const guests = await server.must('POST /groups', { json: { name: 'guests', path: 'guests' } });
      const body = { group_id: guests.id, group_access: 30 };
      const group = await server.must('POST /groups', { json: { name: 'lender', path: 'lender' } });
      await server.must(`POST /groups/${guests.id}/members`, {
        json: { user_id: person('guest').id, access_level: 30 },
      });
      await server.must(`POST /groups/${group.id}/share`, { json: body });
      assert.equal((await server.api(`GET /groups/${group.id}`, { token: token('guest') })).status, 200);
      await server.db.write((trx) =>
        trx.updateTable('group_shares').set({ expires_at: 1 }).where('namespace_id', '=', group.id).execute(),
      );
      assert.equal((await server.api(`GET /groups/${group.id}`, { token: token('guest') })).status, 404);
      const detail = await server.must(`GET /groups/${group.id}`);
      assert.deepEqual(detail.shared_with_groups, []);
      assert.equal((await server.api(`POST /groups/${group.id}/share`, { json: body })).status, 201);
    });

    it('need the same number of queries for many members as for few', async () => {
      const cost = () =>
        server.queriesOf(() =>
          server.must(`GET /projects/${project}/members/all?per_page=100`, { token: token('owner') }),
        );
      const few = await cost();
      await Promise.all(
        Array.from({ length: 16 }, async (_, number) => {
          who[`many${number}`] = await addUser(server, 'many');
          await join(`/groups/${groups.top}`, `many${number}`, 10);
        }),
      );
      assert.equal(await cost(), few);
    });
  });
});
