import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { forEachEngine } from '../../support/engines.ts';
import { type ProjectWithRoles, projectWithRoles } from '../../support/project-with-roles.ts';
import { addPerson, type Person } from '../../support/scene.ts';

forEachEngine((engine) => {
  describe('package protection rules', () => {
    let place: ProjectWithRoles;
    let rules: string;
    let maintainer: Person;

    before(async () => {
      place = await projectWithRoles(engine, 'Parts');
      rules = `/projects/${place.project.id}/packages/protection/rules`;
      maintainer = await addPerson(place.server, 'maintainer');
      await place.server.must(`POST /projects/${place.project.id}/members`, {
        json: { user_id: maintainer.user.id, access_level: 40 },
      });
    });

    const as = (person: Person, call: string, json?: object) =>
      place.server.api(call, { token: person.token, ...(json ? { json } : {}) });
    const publish = (credential: { token: string } | { headers: Record<string, string> }, name: string) =>
      place.server.api(`PUT /projects/${place.project.id}/packages/generic/${name}/1.0/file`, {
        body: 'bytes',
        ...('token' in credential ? credential : { token: null }),
        headers: { 'content-type': 'application/octet-stream', ...('headers' in credential ? credential.headers : {}) },
      });
    const packages = async () =>
      (await place.server.must(`GET /projects/${place.project.id}/packages`)) as { id: number; name: string }[];

    it('are created, listed, updated and deleted by Maintainers', async () => {
      const made = await as(maintainer, `POST ${rules}`, {
        package_name_pattern: 'core-*',
        package_type: 'generic',
        minimum_access_level_for_push: 'maintainer',
      });
      assert.deepEqual(
        [made.status, made.body],
        [
          201,
          {
            id: made.body.id,
            project_id: place.project.id,
            package_name_pattern: 'core-*',
            package_type: 'generic',
            minimum_access_level_for_delete: null,
            minimum_access_level_for_push: 'maintainer',
          },
        ],
      );
      const listed = await as(maintainer, `GET ${rules}`);
      assert.deepEqual([listed.headers.get('x-total'), listed.body], ['1', [made.body]]);
      const change = { minimum_access_level_for_delete: 'owner', package_name_pattern: 'base-*' };
      const changed = await as(maintainer, `PATCH ${rules}/${made.body.id}`, change);
      assert.deepEqual([changed.status, changed.body], [200, { ...made.body, ...change }]);
      assert.equal((await as(maintainer, `DELETE ${rules}/${made.body.id}`)).status, 204);
      assert.equal((await as(maintainer, `DELETE ${rules}/${made.body.id}`)).status, 404);
      const stranger = await addPerson(place.server, 'stranger');
      for (const call of [`GET ${rules}`, `DELETE ${rules}/1`]) {
        assert.equal((await as(place.developer, call)).status, 403);
        assert.equal((await as(stranger, call)).status, 404);
        assert.equal((await place.server.api(call, { token: null })).status, 401);
      }
    });

    it('are rejected if empty, duplicate or of another project', async () => {
      const rule = { package_name_pattern: 'twice', package_type: 'npm', minimum_access_level_for_push: 'owner' };
      const send = async (change: object) => {
        const { status, body } = await as(place.owner, `POST ${rules}`, { ...rule, ...change });
        return [status, body.message ?? body.error];
      };
      const { body: made } = await as(place.owner, `POST ${rules}`, rule);
      assert.deepEqual(await send({}), [422, ['Package name pattern has already been taken']]);
      assert.deepEqual(await send({ package_name_pattern: '' }), [422, ["Package name pattern can't be blank"]]);
      assert.equal((await send({ package_name_pattern: 'a b' }))[0], 422);
      assert.equal((await send({ package_name_pattern: 'x'.repeat(256) }))[0], 422);
      assert.deepEqual(await send({ package_name_pattern: 'more', minimum_access_level_for_push: '' }), [
        422,
        ['A rule must have at least a minimum access role for push or delete.'],
      ]);
      assert.deepEqual(await send({ package_type: 'cargo' }), [400, 'package_type does not have a valid value']);
      assert.deepEqual(await send({ minimum_access_level_for_delete: 'maintainer' }), [
        400,
        'minimum_access_level_for_delete does not have a valid value',
      ]);
      const other = await place.server.must('POST /projects', { json: { name: 'Other' }, token: place.owner.token });
      const elsewhere = `/projects/${other.id}/packages/protection/rules/${made.id}`;
      assert.equal((await as(place.owner, `PATCH ${elsewhere}`, { package_name_pattern: 'x' })).status, 404);
      assert.equal((await as(place.owner, `DELETE ${elsewhere}`)).status, 404);
      assert.equal((await as(place.owner, `GET ${rules}`)).body.length, 1);

      const npm = async (name: string) => {
        const { status, body } = await as(
          place.developer,
          `PUT /projects/${place.project.id}/packages/npm/${name}`,
          {},
        );
        return [status, body.message];
      };
      assert.deepEqual(await npm('twice'), [403, '403 Forbidden - Package protected.']);
      assert.equal((await npm('free'))[0], 400);
    });

    it('restrict roles below the minimum and deploy tokens', async () => {
      const { developer, owner, project, server } = place;
      const deploy = await server.must(`POST /projects/${project.id}/deploy_tokens`, {
        json: { name: 'deploy', scopes: ['write_package_registry'] },
        token: owner.token,
      });
      const byDeploy = { headers: { 'deploy-token': deploy.token } };
      for (const credential of [developer, byDeploy]) assert.equal((await publish(credential, 'core-a')).status, 201);
      await as(owner, `POST ${rules}`, {
        package_name_pattern: 'core-*',
        package_type: 'generic',
        minimum_access_level_for_push: 'maintainer',
        minimum_access_level_for_delete: 'owner',
      });
      for (const credential of [developer, byDeploy]) {
        const refused = await publish(credential, 'core-b');
        assert.deepEqual([refused.status, refused.body], [403, { message: '403 Forbidden - Package protected.' }]);
        assert.equal((await publish(credential, 'free')).status, 201);
      }
      assert.equal((await publish(maintainer, 'core-a')).status, 201);
      assert.deepEqual((await packages()).map(({ name }) => name).sort(), ['core-a', 'free']);

      const core = (await packages()).find(({ name }) => name === 'core-a')?.id;
      const [file] = await server.must(`GET /projects/${project.id}/packages/${core}/package_files`);
      for (const path of [`${core}`, `${core}/package_files/${file.id}`]) {
        const refused = await as(maintainer, `DELETE /projects/${project.id}/packages/${path}`);
        assert.deepEqual(
          [refused.status, refused.body],
          [403, { message: '403 Forbidden - Package is deletion protected.' }],
        );
      }
      const free = (await packages()).find(({ name }) => name === 'free')?.id;
      assert.equal((await as(maintainer, `DELETE /projects/${project.id}/packages/${free}`)).status, 204);
      assert.equal((await as(owner, `DELETE /projects/${project.id}/packages/${core}`)).status, 204);
      assert.equal(
        (await publish({ token: 'glpat-test-root-token' }, 'core-c')).status,
        201,
        'administrators are exempt',
      );
    });
  });
});
