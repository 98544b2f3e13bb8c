import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { Role } from '../../../src/access/roles.ts';
import { forEachEngine } from '../../support/engines.ts';
import { addMember, addPerson, type Person } from '../../support/scene.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

forEachEngine((engine) => {
  describe('group packages', () => {
    let server: TestServer;
    let owner: Person;
    let group: number;
    const open: Record<string, number> = {};
    const as = (person: Person | null) => ({ token: person?.token ?? null });
    const listed = async (person: Person | null, query = '') => {
      const { status, body, text } = await server.api(`GET /groups/${group}/packages${query}`, as(person));
      assert.equal(status, 200, text);
      return body.map(({ name, project_path }: { name: string; project_path: string }) => `${project_path} ${name}`);
    };

    before(async () => {
      server = await startTestServer(engine);
      owner = await addPerson(server, 'owner');
      const made = async (path: string, json: object) => (await server.api(path, { ...as(owner), json })).body.id;
      group = await made('POST /groups', { name: 'house', path: 'house', visibility: 'public' });
      const below = await made('POST /groups', {
        name: 'attic',
        path: 'attic',
        visibility: 'public',
        parent_id: group,
      });
      const places: readonly [string, number, object][] = [
        ['shown', group, { visibility: 'public' }],
        ['kept', group, { visibility: 'public', package_registry_access_level: 'private' }],
        ['secret', group, { visibility: 'private' }],
        ['closed', group, { visibility: 'public' }],
        ['beneath', below, { visibility: 'public' }],
      ];
      for (const [path, namespace_id, rest] of places) {
        const id = await made('POST /projects', { path, namespace_id, ...rest });
        open[path] = id;
        const sending = { ...as(owner), body: 'x', headers: { 'content-type': 'application/octet-stream' } };
        const put = await server.api(`PUT /projects/${id}/packages/generic/tool-${path}/1.0/file`, sending);
        assert.equal(put.status, 201, put.text);
      }
      const off = { json: { package_registry_access_level: 'disabled' } };
      await server.api(`PUT /projects/${open.closed}`, { ...as(owner), ...off });
    });

    it('include only projects whose packages the caller can read', async () => {
      const everybody = ['house/shown tool-shown', 'house/attic/beneath tool-beneath'];
      const members = ['house/shown tool-shown', 'house/kept tool-kept', 'house/secret tool-secret', everybody[1]];
      assert.deepEqual(await listed(null), everybody);
      assert.deepEqual(await listed(await addPerson(server, 'stranger')), everybody);
      assert.deepEqual(await listed(owner), members);
      for (const [name, role] of [['guest', 'guest'] as const, ['reporter', 'reporter'] as const]) {
        const person = await addPerson(server, name);
        for (const path of ['kept', 'secret']) {
          const project = await server.db.read
            .selectFrom('projects')
            .selectAll()
            .where('id', '=', Number(open[path]))
            .executeTakeFirstOrThrow();
          await addMember(server, project, person, Role[role]);
        }
        assert.deepEqual(await listed(person), role === 'guest' ? everybody : members);
      }
    });

    it('can be filtered and sorted, and include their project', async () => {
      assert.deepEqual(await listed(owner, '?exclude_subgroups=true&order_by=name'), [
        'house/kept tool-kept',
        'house/secret tool-secret',
        'house/shown tool-shown',
      ]);
      assert.deepEqual(await listed(owner, '?package_name=ol-sec'), ['house/secret tool-secret']);
      assert.deepEqual(await listed(owner, '?package_type=npm'), []);
      assert.deepEqual(await listed(owner, '?status=hidden'), []);
      assert.equal((await listed(owner, '?order_by=project_path&sort=desc'))[0], 'house/shown tool-shown');
      const { body, headers } = await server.api(`GET /groups/${group}/packages?per_page=1`, as(owner));
      assert.equal(headers.get('x-total'), '4');
      assert.deepEqual([body[0].project_id, body[0].package_type], [open.shown, 'generic']);
      assert.equal(body[0]._links.web_path, `/house/shown/-/packages/${body[0].id}`);
    });

    it('are merged in every order with any filter', async () => {
      const at = { created_at: 1, updated_at: 1 };
      const rows = ['shown', 'secret', 'beneath'].flatMap((path, n) => {
        const from = { ...at, project_id: Number(open[path]) };
        const npm = { ...from, name: `npm-${path}`, package_type: 'npm', status: 'default' } as const;
        const helm = { ...from, name: `helm-${path}`, package_type: 'helm', status: 'hidden' } as const;
        return [
          { ...npm, version: `2.${n}` },
          { ...npm, version: null },
          { ...helm, version: `3.${2 - n}` },
        ];
      });
      await server.db.write((trx) => trx.insertInto('packages').values(rows).execute());
      const versions = async (query: string) => {
        const { body, headers } = await server.api(`GET /groups/${group}/packages?${query}`, as(owner));
        assert.equal(headers.get('x-total'), String(body.length), query);
        return body.map(({ version, name }: { version: string | null; name: string }) => version ?? name).join(' ');
      };
      const npm = 'package_type=npm';
      const bare = ['npm-shown', 'npm-secret', 'npm-beneath'];
      assert.equal(await versions(`${npm}&order_by=version&sort=desc`), '2.2 2.1 2.0');
      assert.equal(await versions(`${npm}&order_by=version&include_versionless=true`), `2.0 2.1 2.2 ${bare.join(' ')}`);
      assert.equal(
        await versions(`${npm}&order_by=version&sort=desc&include_versionless=true`),
        `2.2 2.1 2.0 ${bare.toReversed().join(' ')}`,
      );
      assert.equal(await versions(`${npm}&order_by=type&sort=desc`), '2.2 2.1 2.0');
      assert.equal(await versions('status=hidden&order_by=version'), '3.0 3.1 3.2');
      assert.equal(await versions(`${npm}&status=hidden`), '');
      assert.equal(await versions('package_version=2.1'), '2.1');
      assert.match(await versions('order_by=type&sort=desc'), /^2\.2 2\.1 2\.0 1\.0/);
      await server.db.write((trx) => trx.deleteFrom('packages').where('package_type', '<>', 'generic').execute());
    });

    it('reject invalid parameters and inaccessible groups', async () => {
      for (const query of ['package_type=deb', 'status=lost', 'order_by=size']) {
        const { status, body } = await server.api(`GET /groups/${group}/packages?${query}`, as(owner));
        assert.deepEqual([status, body.error], [400, `${query.split('=')[0]} does not have a valid value`]);
      }
      const hidden = await server.api('POST /groups', { ...as(owner), json: { name: 'hidden', path: 'hidden' } });
      assert.equal((await server.api(`GET /groups/${hidden.body.id}/packages`, as(null))).status, 404);
    });
  });
});
