import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { Role } from '../../../src/access/roles.ts';
import type { Project } from '../../../src/access/tables.ts';
import { forEachEngine } from '../../support/engines.ts';
import { addMember, addPerson, addProject, type Person } from '../../support/scene.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

forEachEngine((engine) => {
  describe('issue lists', () => {
    let server: TestServer;
    let owner: Person;
    let guest: Person;
    let outsider: Person;
    let project: Project;
    let hidden: Project;

    const titles = async (path: string, person: Person | null = owner) => {
      const { status, body } = await server.api(`GET ${path}`, { token: person?.token ?? null });
      assert.equal(status, 200, JSON.stringify(body));
      return body.map((issue: { title: string }) => issue.title);
    };
    const own = (query: string, person?: Person) => titles(`/projects/${project.id}/issues?${query}`, person);
    const add = (into: Project, json: Record<string, unknown>, person = owner) =>
      server.must(`POST /projects/${into.id}/issues`, { token: person.token, json });

    before(async () => {
      server = await startTestServer(engine);
      owner = await addPerson(server, 'owner');
      guest = await addPerson(server, 'guest');
      outsider = await addPerson(server, 'outsider');
      project = await addProject(server, owner, 'open', 'public');
      hidden = await addProject(server, owner, 'hidden', 'private');
      await addMember(server, project, guest, Role.guest);
      await add(project, { title: 'alpha', labels: 'bug,ui', weight: 1, due_date: '2020-01-01' });
      await add(project, { title: 'beta', labels: 'bug', assignee_ids: [guest.user.id], description: 'needle here' });
      await add(project, { title: 'gamma', confidential: true });
      await add(project, { title: 'delta' }, outsider);
      await add(hidden, { title: 'unseen' });
      await server.must(`PUT /projects/${project.id}/issues/4?state_event=close`);
    });

    for (const [query, expected] of [
      ['', ['delta', 'gamma', 'beta', 'alpha']],
      ['sort=asc', ['alpha', 'beta', 'gamma', 'delta']],
      ['state=opened', ['gamma', 'beta', 'alpha']],
      ['state=closed', ['delta']],
      ['labels=bug', ['beta', 'alpha']],
      ['labels=bug,ui', ['alpha']],
      ['labels=nothing', []],
      ['labels=None', ['delta', 'gamma']],
      ['labels=bug,none', ['delta', 'gamma']],
      ['labels=any', ['beta', 'alpha']],
      ['labels=nothing,ANY', ['beta', 'alpha']],
      ['labels[]=ui&labels[]=Any', ['beta', 'alpha']],
      ['not[labels]=ui,None', ['delta', 'gamma', 'beta']],
      ['not[labels]=ui', ['delta', 'gamma', 'beta']],
      ['assignee_id=None', ['delta', 'gamma', 'alpha']],
      ['assignee_id=Any', ['beta']],
      ['confidential=true', ['gamma']],
      ['confidential=false', ['delta', 'beta', 'alpha']],
      ['iids[]=1&iids[]=3', ['gamma', 'alpha']],
      ['not[iids][]=1', ['delta', 'gamma', 'beta']],
      ['search=needle', ['beta']],
      ['search=needle&in=title', []],
      ['search=here+BETA', ['beta']],
      ['search=here+e', ['beta']],
      ['search=here+beta&in=description', []],
      ['search=needle+nowhere', []],
      ['search=%22needle+here%22', ['beta']],
      ['search=%22here+needle%22', []],
      ['search=a+l', ['delta', 'beta', 'alpha']],
      ['search=%22%22', []],
      [`search=${'a+l+'.repeat(7)}`, ['delta', 'beta', 'alpha']],
      [`search=${[...'abcdefghijklmnop'].join('+')}`, []],
      ['not[search]=here+beta', ['delta', 'gamma', 'alpha']],
      ['not[search]=a&not[in]=description', ['delta', 'gamma', 'beta', 'alpha']],
      ['not[search]=needle&search=a', ['delta', 'gamma', 'alpha']],
      ['weight=1', ['alpha']],
      ['weight=None', ['delta', 'gamma', 'beta']],
      ['due_date=overdue', ['alpha']],
      ['due_date=0', ['delta', 'gamma', 'beta']],
      ['order_by=title&sort=asc', ['alpha', 'beta', 'delta', 'gamma']],
      ['order_by=weight&sort=desc', ['alpha', 'delta', 'gamma', 'beta']],
      ['milestone=None', ['delta', 'gamma', 'beta', 'alpha']],
      ['issue_type=incident', []],
      ['created_before=2001-01-01T00:00:00Z', []],
      ['scope=created_by_me', ['gamma', 'beta', 'alpha']],
    ] as const) {
      it(`return the matching issues of a project with ${query || 'no filter'}`, async () =>
        assert.deepEqual(await own(query), expected));
    }

    for (const [query, words] of [
      ['assignee_id=x', 'none, or any'],
      ['epic_id=x', 'none, or any'],
      ['weight=x', 'none, or any'],
      ['not[weight]=x', 'none, or any'],
      ['iteration_id=x', 'none, any, or current'],
    ] as const) {
      it(`describe valid values for ${query}`, async () => {
        const { status, body } = await server.api(`GET /projects/${project.id}/issues?${query}`);
        const name = query.slice(0, query.indexOf('='));
        assert.deepEqual([status, body], [400, { error: `${name} should be an integer, ${words}, however got x` }]);
      });
    }

    it('reject more values than a query supports', async () => {
      const many = (count: number) => Array.from({ length: count }, (_, n) => `l${n}`).join();
      for (const name of ['labels', 'not[labels]', 'assignee_username', 'not[assignee_username]']) {
        const { status, body } = await server.api(`GET /projects/${project.id}/issues?${name}=${many(1500)}`, {
          token: owner.token,
        });
        assert.deepEqual([status, body], [400, { error: `${name} allows 200 values` }]);
      }
      assert.deepEqual(await own(`labels=${many(200)}`), []);
    });

    it('filter users by ID and username', async () => {
      assert.deepEqual(await own(`author_id=${outsider.user.id}`), ['delta']);
      assert.deepEqual(await own(`author_username=${outsider.user.username}`), ['delta']);
      assert.deepEqual(await own(`assignee_id=${guest.user.id}`), ['beta']);
      assert.deepEqual(await own(`assignee_username[]=${guest.user.username}`), ['beta']);
      assert.deepEqual(await own(`not[author_id]=${outsider.user.id}`), ['gamma', 'beta', 'alpha']);
    });

    it('leave out unreadable issues, also in totals', async () => {
      assert.deepEqual(await own('', guest), ['delta', 'beta', 'alpha']);
      const { headers } = await server.api(`GET /projects/${project.id}/issues`, { token: guest.token });
      assert.equal(headers.get('x-total'), '3');
      assert.deepEqual(await titles('/issues?scope=all', null), ['delta', 'beta', 'alpha']);
      assert.deepEqual(await titles('/issues?scope=all', outsider), ['delta', 'beta', 'alpha']);
      assert.deepEqual(await titles('/issues?scope=all'), ['unseen', 'delta', 'gamma', 'beta', 'alpha']);
    });

    it('of all projects default to the caller’s issues', async () => {
      assert.deepEqual(await titles('/issues', outsider), ['delta']);
      assert.equal((await server.api('GET /issues', { token: null })).status, 401);
      assert.deepEqual(await titles('/issues?scope=assigned-to-me', guest), ['beta']);
    });

    for (const [query, error] of [
      ['author_id=1&author_username=a', 'author_id, author_username are mutually exclusive'],
      ['not[author_id]=1&not[author_username]=a', 'not[author_id], not[author_username] are mutually exclusive'],
      ['not[milestone_id]=Any&not[milestone]=a', 'not[milestone_id], not[milestone] are mutually exclusive'],
      ['milestone_id=upcoming', 'milestone_id does not have a valid value'],
      ['assignee_id=x', 'assignee_id should be an integer, none, or any, however got x'],
      ['order_by=size', 'order_by does not have a valid value'],
      ['due_date=someday', 'due_date does not have a valid value'],
      ['weight=2147483648', 'weight is invalid'],
    ] as const) {
      it(`are rejected with ${query}`, async () => {
        const { status, body } = await server.api(`GET /projects/${project.id}/issues?${query}`);
        assert.deepEqual([status, body], [400, { error }]);
      });
    }

    it('support keyset pagination', async () => {
      const first = await server.api(`GET /projects/${project.id}/issues?pagination=keyset&per_page=3`);
      assert.equal(first.body.length, 3);
      const next = /<([^>]+)>; rel="next"/.exec(first.headers.get('link') ?? '')?.[1] ?? '';
      const second = await server.api(`GET ${new URL(next).pathname}${new URL(next).search}`);
      assert.deepEqual(
        second.body.map((issue: { title: string }) => issue.title),
        ['alpha'],
      );
    });

    it('are paged by number in orders without a keyset', async () => {
      for (const order of ['title', 'weight', 'due_date', 'relative_position', 'popularity']) {
        const path = `/projects/${project.id}/issues?pagination=keyset&per_page=3&order_by=${order}`;
        const first = await server.api(`GET ${path}`);
        assert.deepEqual([first.status, first.body.length, first.headers.get('x-total')], [200, 3, '4'], order);
        const next = /<([^>]+)>; rel="next"/.exec(first.headers.get('link') ?? '')?.[1] ?? '';
        const rest = await server.must(`GET ${new URL(next).pathname}${new URL(next).search}`);
        const ids = [...first.body, ...rest].map(({ iid }: { iid: number }) => iid);
        assert.deepEqual(ids.sort(), [1, 2, 3, 4], order);
      }
    });

    it('execute a constant number of queries', async () => {
      const count = (size: number) =>
        server.queriesOf(() => server.must(`GET /projects/${project.id}/issues?sort=asc&per_page=${size}`));
      await count(4);
      assert.equal(await count(4), await count(1));
    });

    it('reflect the removal of labels and assignees by any cause', async () => {
      const place = await addProject(server, owner, 'bare', 'private');
      const leaver = await addPerson(server, 'leaver');
      await addMember(server, place, leaver, Role.developer);
      const found = (query: string) => titles(`/projects/${place.id}/issues?${query}`);
      const assigned = { assignee_ids: [leaver.user.id] };
      await add(place, { title: 'one', labels: 'first,second', ...assigned });
      await add(place, { title: 'two', labels: 'first', ...assigned });
      assert.deepEqual(await found('labels=None'), []);
      assert.deepEqual(await found('assignee_id=None'), []);
      await server.must(`DELETE /projects/${place.id}/labels/first`);
      assert.deepEqual(await found('labels=None'), ['two']);
      assert.deepEqual(await found('labels=Any'), ['one']);
      assert.deepEqual(await found('labels=second'), ['one']);
      await server.must(`PUT /projects/${place.id}/issues/1`, { json: { labels: '' } });
      assert.deepEqual(await found('labels=None'), ['two', 'one']);
      await server.must(`PUT /projects/${place.id}/issues/1`, { json: { assignee_ids: [0] } });
      assert.deepEqual(await found('assignee_id=None'), ['one']);
      assert.deepEqual(await found(`assignee_id=${leaver.user.id}`), ['two']);
    });

    it('of a group return the same by project and, for many projects, as a whole', async () => {
      const group = await server.must('POST /groups', { json: { name: 'many', path: 'many', visibility: 'public' } });
      const times = { created_at: 1, updated_at: 1, last_activity_at: 1 };
      const place = (path: string, visibility: number, rest: object = {}) =>
        server.db.write((trx) =>
          trx
            .insertInto('projects')
            .values({ name: path, path, visibility, namespace_id: group.id, ...times, ...rest })
            .returning('id')
            .executeTakeFirstOrThrow(),
        );
      const places = [
        await place('public', 20),
        await place('other', 20),
        await place('private', 0),
        await place('old', 20, { archived: 1 }),
      ];
      const admin = await server.must('GET /user');
      const at = (iid: number) => ({ iid, created_at: iid, updated_at: iid, author_id: admin.id, confidential: 0 });
      await server.db.write((trx) =>
        trx
          .insertInto('issues')
          .values([
            { ...at(1), project_id: places[0]?.id ?? 0, title: 'first', weight: 2 },
            { ...at(2), project_id: places[1]?.id ?? 0, title: 'second', weight: 3 },
            { ...at(3), project_id: places[0]?.id ?? 0, title: 'secret', confidential: 1 },
            { ...at(4), project_id: places[2]?.id ?? 0, title: 'private' },
            { ...at(5), project_id: places[3]?.id ?? 0, title: 'old' },
            { ...at(6), project_id: places[0]?.id ?? 0, title: 'third', weight: 2 },
          ])
          .execute(),
      );
      const requested = async () => {
        const seen: Record<string, string[]> = {};
        for (const query of [
          '',
          'sort=asc',
          'weight=2',
          'order_by=weight',
          'non_archived=false',
          'created_before=1970-01-01T00:00:00.002Z',
          'search=second',
          'per_page=1&page=2',
        ]) {
          seen[query] = await titles(`/groups/many/issues?${query}`, outsider);
        }
        const { headers } = await server.api('GET /groups/many/issues', { token: outsider.token });
        return { ...seen, total: headers.get('x-total'), all: await titles('/groups/many/issues', null) };
      };
      const apart = await requested();
      assert.deepEqual(apart, {
        '': ['third', 'second', 'first'],
        'sort=asc': ['first', 'second', 'third'],
        'weight=2': ['third', 'first'],
        'order_by=weight': ['second', 'third', 'first'],
        'non_archived=false': ['third', 'old', 'second', 'first'],
        'created_before=1970-01-01T00:00:00.002Z': ['second', 'first'],
        'search=second': ['second'],
        'per_page=1&page=2': ['second'],
        total: '3',
        all: ['third', 'second', 'first'],
      });
      const everything = async () => {
        const shown = await server.must('GET /groups/many/issues?sort=asc&state=opened');
        return shown.map((issue: { title: string }) => issue.title);
      };
      assert.deepEqual(await everything(), ['first', 'second', 'secret', 'private', 'third']);
      for (let n = 0; n < 33; n += 1) {
        const { id } = await place(`more-${n}`, 0);
        const row = { ...at(1), project_id: id, title: 'of others' };
        await server.db.write((trx) =>
          trx
            .insertInto('issues')
            .values({ ...row, state: 'closed' })
            .execute(),
        );
      }
      assert.deepEqual(await requested(), apart);
      assert.deepEqual(await everything(), ['first', 'second', 'secret', 'private', 'third']);
    });

    it('have statistics by state', async () => {
      const { statistics } = await server.must(`GET /projects/${project.id}/issues_statistics`);
      assert.deepEqual(statistics.counts, { all: 4, closed: 1, opened: 3 });
    });
  });
});
