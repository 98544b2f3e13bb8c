import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { cleanUp } from '../../../src/ci/registry/cleanup/policy.ts';
import { forEachEngine } from '../../support/engines.ts';
import { type ProjectWithRoles, projectWithRoles } from '../../support/project-with-roles.ts';
import { basic, RegistryClient } from './registry-client.ts';

const hour = 3_600_000;
const day = 24 * hour;

forEachEngine((engine) => {
  describe('registry rate limits', () => {
    let place: ProjectWithRoles;
    let name: string;

    before(async () => {
      place = await projectWithRoles(engine, 'Images');
      name = `${place.owner.user.username}/images`;
    });

    const set = (json: object) => place.server.must('PUT /application/settings', { json });
    const throttle = (who: string, requests: number) => ({
      [`throttle_${who}_api_enabled`]: true,
      [`throttle_${who}_api_requests_per_period`]: requests,
      [`throttle_${who}_api_period_in_seconds`]: 3600,
    });

    it('count requests of signed-in users per user, including token requests', async () => {
      const [owner, developer] = [place.owner, place.developer].map(
        ({ token }) => new RegistryClient(place.server.url, basic('x', token)),
      ) as [RegistryClient, RegistryClient];
      await owner.pushImage(name, 'v1');
      await set(throttle('authenticated', 3));
      const { token, headers } = await owner.token(`repository:${name}:pull`);
      assert.equal(headers.get('ratelimit-remaining'), '2');
      const tags = () => owner.plain(`GET /v2/${name}/tags/list`, { headers: { authorization: `Bearer ${token}` } });
      assert.deepEqual([(await tags()).status, (await tags()).status], [200, 200]);
      const refused = await tags();
      assert.deepEqual([refused.status, refused.code], [429, 'TOOMANYREQUESTS']);
      assert.ok(Number(refused.headers.get('retry-after')) > 0);
      assert.equal((await owner.token(`repository:${name}:pull`)).status, 429);
      assert.equal((await developer.token(`repository:${name}:pull`)).status, 200);
      await set({ throttle_authenticated_api_enabled: false });
      assert.equal((await tags()).status, 200);
    });

    it('count anonymous requests per IP address', async () => {
      await set(throttle('unauthenticated', 2));
      const nobody = new RegistryClient(place.server.url);
      const requested = async () => (await nobody.plain('GET /v2/')).status;
      assert.deepEqual([await requested(), await requested(), await requested()], [401, 401, 429]);
      await set({ throttle_unauthenticated_api_enabled: false });
      assert.equal(await requested(), 401);
    });

    it('project API reports the next cleanup time', async () => {
      const { server, owner, project } = place;
      const nextRun = async () =>
        (await server.must(`GET /projects/${project.id}`, { token: owner.token })).container_expiration_policy
          .next_run_at;
      assert.equal(await nextRun(), null);
      const json = { container_expiration_policy_attributes: { enabled: true, cadence: '7d', name_regex: 'v.*' } };
      await server.must(`PUT /projects/${project.id}`, { json, token: owner.token });
      const now = Date.now();
      const first = Date.parse(await nextRun());
      assert.equal(new Date(first).getUTCMinutes(), 37);
      assert.ok(first > now && first <= Date.now() + hour);
      await cleanUp(server.running.services, undefined, now);
      const second = Date.parse(await nextRun());
      assert.equal(new Date(second).getUTCMinutes(), 37);
      assert.ok(second >= now + 7 * day && second < now + 7 * day + hour);
      const list = await server.must('GET /projects?owned=true', { token: owner.token });
      const [listed] = list.filter(({ id }: { id: number }) => id === project.id);
      assert.equal(Date.parse(listed.container_expiration_policy.next_run_at), second);
      const off = { container_expiration_policy_attributes: { enabled: false } };
      await server.must(`PUT /projects/${project.id}`, { json: off, token: owner.token });
      assert.equal(await nextRun(), null);
    });
  });
});
