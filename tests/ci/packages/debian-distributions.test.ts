import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { readKey, readPrivateKey } from 'openpgp';
import { Role } from '../../../src/access/roles.ts';
import { atOnce } from '../../support/at-once.ts';
import { forEachEngine } from '../../support/engines.ts';
import { type ProjectWithRoles, projectWithRoles } from '../../support/project-with-roles.ts';
import { addPerson, type Person } from '../../support/scene.ts';
import type { Answer } from '../../support/server.ts';

const messageOf = ({ status, body }: Answer) => [status, body.message];

forEachEngine((engine) => {
  describe('Debian distributions', () => {
    let place: ProjectWithRoles;
    let stranger: Person;
    let group: number;
    const base = () => `${place.base}/debian_distributions`;
    const inGroup = () => `/groups/${group}/-/debian_distributions`;
    const create = (json: object, path = base()) => place.asDeveloper(`POST ${path}`, { json });

    before(async () => {
      place = await projectWithRoles(engine, 'archive');
      stranger = await addPerson(place.server, 'stranger');
      const made = await place.server.must('POST /groups', { json: { name: 'Crew', path: 'crew' } });
      group = made.id;
      const roles = [
        [place.owner, Role.maintainer],
        [place.developer, Role.developer],
        [place.reporter, Role.reporter],
        [place.guest, Role.guest],
      ] as const;
      for (const [person, access_level] of roles) {
        await place.server.must(`POST /groups/${group}/members`, { json: { user_id: person.user.id, access_level } });
      }
    });

    it('are created with defaults, updated, listed, filtered and deleted, in projects and groups', async () => {
      for (const path of [base(), inGroup()]) {
        const created = await create({ codename: 'sid' }, path);
        assert.equal(created.status, 201, created.text);
        const { id, ...fields } = created.body;
        assert.deepEqual(fields, {
          codename: 'sid',
          suite: null,
          origin: null,
          label: null,
          version: null,
          description: null,
          valid_time_duration_seconds: null,
          components: ['main'],
          architectures: ['all', 'amd64'],
        });
        const about = { suite: 'stable', origin: 'Lamps', label: 'Lights', version: '12.1', description: 'Shines' };
        const more = {
          ...about,
          ...{
            valid_time_duration_seconds: 604_800,
            components: ['main', 'contrib'],
            architectures: ['s390x', 'i386'],
          },
        };
        const second = await create({ codename: 'bookworm', ...more }, path);
        assert.deepEqual(second.body, {
          id: second.body.id,
          codename: 'bookworm',
          ...about,
          valid_time_duration_seconds: 604_800,
          components: ['contrib', 'main'],
          architectures: ['all', 'i386', 's390x'],
        });
        const listed = await place.server.api(`GET ${path}`, { token: place.reporter.token });
        assert.deepEqual(
          listed.body.map(({ codename }: { codename: string }) => codename),
          ['bookworm', 'sid'],
        );
        assert.equal(listed.headers.get('x-total'), '2');
        for (const [query, found] of [
          ['codename=sid', ['sid']],
          ['suite=stable', ['bookworm']],
          ['codename=sid&suite=stable', []],
        ] as const) {
          const { body } = await place.asDeveloper(`GET ${path}?${query}`);
          assert.deepEqual(
            body.map(({ codename }: { codename: string }) => codename),
            found,
          );
        }
        const change = { suite: 'unstable', description: 'Moves', architectures: ['amd64', 'arm64'] };
        const updated = await place.asDeveloper(`PUT ${path}/sid`, { json: change });
        const expected = { id, ...fields, ...change, architectures: ['all', 'amd64', 'arm64'] };
        assert.deepEqual([updated.status, updated.body], [200, expected]);
        assert.deepEqual((await place.asDeveloper(`GET ${path}/sid`)).body, expected);
        const emptied = await place.asDeveloper(`PUT ${path}/sid`, { json: { suite: '', description: '' } });
        assert.deepEqual([emptied.body.suite, emptied.body.description], [null, null]);
        assert.equal((await place.asDeveloper(`GET ${path}/unstable`)).status, 404);
        assert.deepEqual(messageOf(await place.asDeveloper(`DELETE ${path}/sid`)), [403, '403 Forbidden']);
        assert.deepEqual(messageOf(await place.asOwner(`DELETE ${path}/sid`)), [202, '202 Accepted']);
        assert.deepEqual(messageOf(await place.asOwner(`DELETE ${path}/sid`)), [404, '404 Distribution Not Found']);
        assert.equal((await place.asDeveloper(`GET ${path}/sid`)).status, 404);
      }
    });

    it('have a public key of their own, and keep the private one encrypted', async () => {
      assert.equal((await create({ codename: 'keyed' })).status, 201);
      const answer = await place.server.api(`GET ${base()}/keyed/key.asc`, { token: place.reporter.token });
      assert.equal(answer.headers.get('content-type'), 'text/plain; charset=utf-8');
      const key = await readKey({ armoredKey: answer.text });
      assert.equal(key.isPrivate(), false);
      assert.match(key.users[0]?.userID?.userID ?? '', /^Debian distribution keyed of project \d+$/);
      const row = await place.server.db.read
        .selectFrom('debian_distributions')
        .selectAll()
        .where('codename', '=', 'keyed')
        .executeTakeFirstOrThrow();
      assert.match(row.private_key, /^v1\./);
      const { encryption } = place.server.running.services;
      const armoredKey = encryption.decrypt(row.private_key, 'debian_distributions.private_key');
      const secret = await readPrivateKey({ armoredKey });
      assert.equal(secret.getFingerprint(), key.getFingerprint());
      const { text } = await place.asDeveloper(`GET ${base()}`);
      assert.ok(!text.includes(row.private_key) && !text.includes('KEY BLOCK'));
    });

    it('are refused with invalid values', async () => {
      const refused = async (json: object, message: object) =>
        assert.deepEqual(messageOf(await create({ codename: 'fine', ...json })), [400, message]);
      assert.deepEqual((await create({})).body, { error: 'codename is missing' });
      await refused({ codename: '' }, { codename: ["can't be blank"] });
      for (const codename of ['../sid', 'a/b', '.hidden', 'with space', 'ä', 'x'.repeat(256)]) {
        await refused({ codename }, { codename: ['is invalid'] });
      }
      await refused({ suite: 'a b' }, { suite: ['is invalid'] });
      await refused({ origin: 'Lamps\nSHA256: forged' }, { origin: ['is invalid'] });
      await refused({ description: 'x'.repeat(256) }, { description: ['is too long (maximum is 255 characters)'] });
      await refused(
        { valid_time_duration_seconds: 86_399 },
        { valid_time_duration_seconds: ['must be greater than or equal to 86400'] },
      );
      await refused(
        { valid_time_duration_seconds: Number.MAX_SAFE_INTEGER },
        { valid_time_duration_seconds: ['must be less than or equal to 3153600000'] },
      );
      await refused({ components: ['main/contrib'] }, { components: ['is invalid'] });
      await refused({ components: [] }, { components: ["can't be blank"] });
      await refused(
        { components: Array.from({ length: 21 }, (_, n) => `c${n}`) },
        { components: ['are too many (maximum is 20)'] },
      );
      await refused({ architectures: ['../amd64'] }, { architectures: ['is invalid'] });
      await refused(
        { architectures: Array.from({ length: 30 }, (_, n) => `a${n}`) },
        { architectures: ['are too many (maximum is 30)'] },
      );
      const { body } = await place.asDeveloper(`GET ${base()}?codename=fine`);
      assert.deepEqual(body, []);
    });

    it('have codenames and suites that differ from all others of the place', async () => {
      assert.equal((await create({ codename: 'one', suite: 'first' })).status, 201);
      const taken = 'has already been taken';
      const refusals = [
        [{ codename: 'one' }, { codename: [taken] }],
        [{ codename: 'first' }, { codename: [`${taken} as Suite`] }],
        [{ codename: 'two', suite: 'first' }, { suite: [taken] }],
        [{ codename: 'two', suite: 'one' }, { suite: [`${taken} as Codename`] }],
      ] as const;
      for (const [json, message] of refusals) assert.deepEqual(messageOf(await create(json)), [400, message]);
      assert.equal((await create({ codename: 'two' })).status, 201);
      const change = await place.asDeveloper(`PUT ${base()}/two`, { json: { suite: 'one' } });
      assert.deepEqual(messageOf(change), [400, { suite: [`${taken} as Codename`] }]);
      assert.equal((await create({ codename: 'one', suite: 'first' }, inGroup())).status, 201);
      const answers = await atOnce(6, (n) =>
        create(n % 2 === 0 ? { codename: 'raced' } : { codename: `r${n}`, suite: 'raced' }),
      );
      assert.equal(answers.filter(({ status }) => status === 201).length, 1);
      assert.ok(answers.every(({ status }) => status === 201 || status === 400));
    });

    it('are read by Reporters and changed by Developers', async () => {
      const { server, reporter, guest } = place;
      for (const path of [base(), inGroup()]) {
        assert.equal((await create({ codename: 'guarded' }, path)).status, 201);
        for (const below of ['', '/guarded', '/guarded/key.asc']) {
          const status = async (token: string | null) => (await server.api(`GET ${path}${below}`, { token })).status;
          assert.deepEqual(
            [await status(reporter.token), await status(guest.token), await status(stranger.token), await status(null)],
            [200, 403, 404, 404],
          );
        }
        for (const call of [`POST ${path}`, `PUT ${path}/guarded`]) {
          const status = async (token: string | null) =>
            (await server.api(call, { token, json: { codename: 'guarded', label: 'mine' } })).status;
          assert.deepEqual(
            [await status(reporter.token), await status(stranger.token), await status(null)],
            [403, 404, 401],
          );
        }
        assert.equal((await server.api(`DELETE ${path}/guarded`, { token: stranger.token })).status, 404);
        assert.equal((await server.api(`DELETE ${path}/guarded`, { token: null })).status, 401);
      }
    });

    it('are hidden from members of a single project in a private group', async () => {
      const { server } = place;
      const project = await server.must('POST /projects', { json: { name: 'inner', namespace_id: group } });
      const json = { user_id: stranger.user.id, access_level: Role.maintainer };
      await server.must(`POST /projects/${project.id}/members`, { json });
      const as = { token: stranger.token };
      assert.equal((await server.api(`GET /groups/${group}`, as)).status, 200);
      assert.equal((await server.api(`GET ${inGroup()}`, as)).status, 403);
      assert.equal((await server.api(`POST ${inGroup()}`, { ...as, json: { codename: 'mine' } })).status, 403);
    });

    it('accept deploy tokens by their scopes', async () => {
      const { server } = place;
      for (const [owner, path] of [
        [place.base, base()],
        [`/groups/${group}`, inGroup()],
      ] as const) {
        const token = async (scope: string) => {
          const made = await server.must(`POST ${owner}/deploy_tokens`, { json: { name: scope, scopes: [scope] } });
          return { token: null, headers: { 'deploy-token': made.token } };
        };
        const [reading, writing] = [await token('read_package_registry'), await token('write_package_registry')];
        const json = { codename: 'deployed' };
        assert.equal((await server.api(`POST ${path}`, { ...reading, json })).status, 403);
        assert.equal((await server.api(`POST ${path}`, { ...writing, json })).status, 201);
        assert.equal((await server.api(`GET ${path}/deployed/key.asc`, reading)).status, 200);
        assert.equal((await server.api(`GET ${path}/deployed`, writing)).status, 200);
        assert.equal((await server.api(`DELETE ${path}/deployed`, writing)).status, 401);
      }
    });

    it('are removed with their group', async () => {
      const { server } = place;
      const made = await server.must('POST /groups', { json: { name: 'Brief', path: 'brief' } });
      await server.must(`POST /groups/${made.id}/-/debian_distributions`, { json: { codename: 'brief' } });
      const left = () =>
        server.db.read.selectFrom('debian_distributions').select('id').where('codename', '=', 'brief').execute();
      assert.equal((await left()).length, 1);
      await server.db.write((trx) => trx.deleteFrom('namespaces').where('id', '=', made.id).execute());
      assert.equal((await left()).length, 0);
    });
  });
});
