import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { Role } from '../../../src/access/roles.ts';
import type { Project } from '../../../src/access/tables.ts';
import { startDnsServer } from '../../support/dns-server.ts';
import { forEachEngine } from '../../support/engines.ts';
import { projectWithRoles } from '../../support/project-with-roles.ts';
import { addMember, addPerson, type Person } from '../../support/scene.ts';
import { type Answer, startTestServer } from '../../support/server.ts';
import { selfSigned } from './certificate.ts';
import { PagesPlace } from './place.ts';

const configuration = 'pages: {script: make, artifacts: {paths: [public]}}';

forEachEngine((engine) => {
  describe('Pages API', () => {
    let place: PagesPlace;
    let project: Project;
    let developer: Person;
    let maintainer: Person;
    let stranger: Person;
    const texts = new Map<string, string>();
    const says = ({ status, body }: Answer) => [status, body.message ?? body.error ?? body];
    const as = (person: Person, call: string, json?: unknown) => {
      const [method, rest] = call.split(' ');
      return place.server.api(`${method} /projects/${project.id}/pages${rest ?? ''}`, {
        token: person.token,
        ...(json !== undefined && { json }),
      });
    };

    before(async () => {
      place = await PagesPlace.start(engine, ['--pages-dns', await startDnsServer(texts)]);
      project = await place.project('api', configuration, { visibility: 'private' });
      const member = async (name: string, role: number) => {
        const person = await addPerson(place.server, name);
        await addMember(place.server, project, person, role);
        return person;
      };
      developer = await member('developer', Role.developer);
      maintainer = await member('maintainer', Role.maintainer);
      stranger = await addPerson(place.server, 'stranger');
      await place.run({ 'public/index.html': 'home' });
    });

    it('gets and updates the settings', async () => {
      const { status, body } = await as(maintainer, 'GET');
      assert.equal(status, 200);
      const { created_at, ...deployment } = body.deployments[0];
      assert.match(created_at, /^\d{4}-.*Z$/);
      assert.deepEqual(deployment, { url: `${body.url}/`, path_prefix: '', root_directory: 'public' });
      assert.deepEqual([body.is_unique_domain_enabled, body.force_https, body.primary_domain], [true, false, null]);
      const changed = await as(maintainer, 'PATCH', { pages_unique_domain_enabled: 'false', pages_https_only: true });
      assert.deepEqual([changed.status, changed.body.is_unique_domain_enabled], [200, false]);
      assert.match(changed.body.url, /^http:\/\/ann-\d+\.pages\.localhost:\d+\/api$/);
      assert.equal((await as(maintainer, 'PATCH', {})).status, 200);
      assert.deepEqual(says(await as(maintainer, 'PATCH', { pages_unique_domain_enabled: 'perhaps' })), [
        400,
        'pages_unique_domain_enabled is invalid',
      ]);
      const wrong = await as(maintainer, 'PATCH', { pages_primary_domain: 'www.example.com' });
      assert.deepEqual(says(wrong), [400, { pages_primary_domain: ['is not a domain of the site'] }]);
      await as(maintainer, 'PATCH', { pages_unique_domain_enabled: true });
    });

    it('requires the Maintainer role and hides projects from users without access', async () => {
      const calls = [
        'GET',
        'PATCH',
        'DELETE',
        'GET /domains',
        'POST /domains?domain=a.example',
        'GET /domains/a.example',
      ];
      for (const call of [
        ...calls,
        'PUT /domains/a.example',
        'PUT /domains/a.example/verify',
        'DELETE /domains/a.example',
      ]) {
        assert.deepEqual([call, (await as(developer, call)).status], [call, 403]);
        assert.deepEqual([call, (await as(stranger, call)).status], [call, 404]);
        const [method, rest] = call.split(' ');
        const anonymous = await place.server.api(`${method} /projects/${project.id}/pages${rest ?? ''}`, {
          token: null,
        });
        assert.equal(anonymous.status, 401, call);
      }
      assert.equal((await place.server.api('GET /pages/domains', { token: maintainer.token })).status, 403);
      assert.equal((await as(maintainer, 'GET')).body.deployments.length, 1);
    });

    it('creates, gets, updates and deletes domains', async () => {
      const made = await as(maintainer, 'POST /domains', { domain: 'WWW.Example.com' });
      assert.equal(made.status, 201, made.text);
      const { verification_code, ...rest } = made.body;
      assert.match(verification_code, /^[0-9a-f]{32}$/);
      const shape = { domain: 'www.example.com', verified: false, enabled_until: null, auto_ssl_enabled: false };
      const port = new URL(place.server.url).port;
      assert.deepEqual(rest, { ...shape, url: `http://www.example.com:${port}` });
      assert.deepEqual((await as(maintainer, 'GET /domains')).body, [made.body]);
      assert.deepEqual((await as(maintainer, 'GET /domains/www.example.com')).body, made.body);
      const [listed] = await place.server.must('GET /pages/domains');
      assert.deepEqual([listed.domain, listed.project_id], ['www.example.com', project.id]);
      const { certificate, key } = selfSigned('www.example.com');
      const put = (json: unknown) => as(maintainer, 'PUT /domains/www.example.com', json);
      const secured = await put({ certificate, key, auto_ssl_enabled: true });
      assert.deepEqual([secured.status, secured.body.url], [200, 'https://www.example.com']);
      assert.deepEqual(
        [secured.body.certificate.subject, secured.body.certificate.expired],
        ['/CN=www.example.com', false],
      );
      assert.equal(JSON.stringify(secured.body).includes('PRIVATE KEY'), false);
      const other = selfSigned('other.example');
      assert.deepEqual(says(await put({ certificate, key: other.key })), [
        400,
        { key: ["doesn't match the certificate"] },
      ]);
      assert.deepEqual(says(await put({ certificate: 'x', key: 'y' })), [
        400,
        { certificate: ['must be a valid PEM certificate'], key: ['must be a valid PEM private key'] },
      ]);
      assert.equal((await put({ certificate: ['x'] })).status, 400);
      assert.equal((await as(maintainer, 'GET /domains/www.example.com')).body.certificate.certificate, certificate);
      const bare = await put({ certificate: '', key: '' });
      assert.deepEqual([bare.body.certificate, bare.body.auto_ssl_enabled], [undefined, true]);
      assert.equal((await as(maintainer, 'DELETE /domains/www.example.com')).status, 204);
      assert.equal((await as(maintainer, 'DELETE /domains/www.example.com')).status, 404);
    });

    it('rejects invalid, duplicate and reserved domains', async () => {
      await as(maintainer, 'POST /domains', { domain: 'taken.example' });
      const problem = async (domain: unknown) => says(await as(maintainer, 'POST /domains', { domain }));
      assert.deepEqual(await problem('TAKEN.example'), [400, { domain: ['has already been taken'] }]);
      const invalid = [400, { domain: ['is not a valid domain name'] }];
      for (const domain of [
        'localhost',
        '10.0.0.1',
        'a..b',
        '-a.example',
        'a b.example',
        'http://a.example',
        `${'a'.repeat(64)}.example`,
      ]) {
        assert.deepEqual(await problem(domain), invalid, domain);
      }
      assert.deepEqual((await problem('other.pages.localhost'))[0], 400);
      assert.deepEqual(await problem(''), [400, 'domain is empty']);
      assert.equal((await as(maintainer, 'GET /domains')).body.length, 1);
    });

    it('serves a domain once it is verified in DNS', async () => {
      const { verification_code: code } = (await as(maintainer, 'POST /domains', { domain: 'docs.example' })).body;
      await place.server.must(`PUT /projects/${project.id}`, {
        token: maintainer.token,
        json: { pages_access_level: 'public' },
      });
      const home = () => place.visit('http://docs.example/');
      const verify = () => as(maintainer, 'PUT /domains/docs.example/verify');
      // Unknown hosts are still served by the main server.
      assert.notEqual((await home()).text, 'home');
      assert.deepEqual(says(await verify()), [422, "Couldn't verify docs.example"]);
      texts.set('_gitlab-pages-verification-code.docs.example', 'gitlab-pages-verification-code=wrong');
      assert.equal((await verify()).status, 422);
      texts.set('_gitlab-pages-verification-code.docs.example', `gitlab-pages-verification-code=${code}`);
      const verified = await verify();
      assert.deepEqual([verified.status, verified.body.verified], [200, true]);
      assert.ok(Date.parse(verified.body.enabled_until) > Date.now() + 6 * 86_400_000);
      assert.equal((await home()).text, 'home');
      assert.equal((await place.visit('http://docs.example:80/api/v4/version')).status, 404);
      const primary = await as(maintainer, 'PATCH', { pages_primary_domain: 'docs.example' });
      assert.equal(new URL(primary.body.primary_domain).hostname, 'docs.example');
      const led = await place.visit(`${primary.body.url}/x?y=1`);
      assert.deepEqual([led.status, led.headers.location], [308, `${primary.body.primary_domain}/x?y=1`]);
      texts.clear();
      await place.server.running.services.db.write((trx) =>
        trx.updateTable('pages_domains').set({ enabled_until: 1 }).where('domain', '=', 'docs.example').execute(),
      );
      assert.notEqual((await home()).text, 'home');
      await place.server.must('PUT /application/settings', { json: { pages_domain_verification_enabled: false } });
      assert.equal((await home()).text, 'home');
      await as(maintainer, 'DELETE /domains/docs.example');
      assert.equal((await as(maintainer, 'GET')).body.primary_domain, null);
      await place.server.must('PUT /application/settings', { json: { pages_domain_verification_enabled: true } });
    });

    it('removes domains that were never verified, and keeps the others', async () => {
      const again = async () => {
        const { db } = place.server.running.services;
        await db.write((trx) =>
          trx.updateTable('recurring_jobs').set({ next_run_at: 0 }).where('name', '=', 'pages.domains').execute(),
        );
        await place.settled();
        return (await as(maintainer, 'GET /domains')).body.map((one: { domain: string; verified: boolean }) => [
          one.domain,
          one.verified,
        ]);
      };
      const { verification_code: code } = (await as(maintainer, 'POST /domains', { domain: 'good.example' })).body;
      texts.set('good.example', `gitlab-pages-verification-code=${code}`);
      assert.deepEqual(await again(), [
        ['taken.example', false],
        ['good.example', true],
      ]);
      await place.server.running.services.db.write((trx) =>
        trx.updateTable('pages_domains').set({ remove_at: 1 }).where('verified_at', 'is', null).execute(),
      );
      assert.deepEqual(await again(), [['good.example', true]]);
    });

    it('unpublishes a site and audits changes', async () => {
      assert.equal((await as(maintainer, 'DELETE')).status, 204);
      assert.deepEqual((await as(maintainer, 'GET')).body.deployments, []);
      assert.equal((await as(maintainer, 'DELETE')).status, 204);
      const events = await place.server.must(`GET /projects/${project.id}/audit_events?per_page=100`);
      const names = new Set(events.map((one: { event_name: string }) => one.event_name));
      for (const name of ['pages_unpublished', 'pages_settings', 'pages_domain_added', 'pages_domain_removed'])
        assert.ok(names.has(name), name);
    });
  });

  describe('server without Pages', () => {
    it('answers 404 and sets no Pages variables', async () => {
      const place = await projectWithRoles(engine, 'without');
      assert.equal((await place.asOwner(`GET ${place.base}/pages`)).status, 404);
      assert.equal((await place.asOwner(`GET ${place.base}/pages/domains`)).status, 404);
      assert.equal((await place.server.api('GET /pages/domains')).status, 404);
      assert.equal((await place.server.api('GET /-/pages/auth?origin=http://a.b&state=x')).status, 404);
    });

    it('rejects a Pages domain that contains the main host', async () => {
      const start = (url: string) => startTestServer(engine, ['--pages-domain', 'example.com', '--url', url]);
      await assert.rejects(start('https://forge.example.com'), /must lie outside of example\.com/);
      await assert.rejects(start('https://example.com'), /must lie outside of example\.com/);
    });
  });
});
