import assert from 'node:assert/strict';
import { createPublicKey, verify } from 'node:crypto';
import { before, describe, it } from 'node:test';
import { variablesOfJob } from '../../../src/ci/variables/public.ts';
import { forEachEngine } from '../../support/engines.ts';
import { GitClient } from '../../support/git-client.ts';
import { type ProjectWithRoles, projectWithRoles } from '../../support/project-with-roles.ts';

const configuration = `
sign:
  script: make
  id_tokens:
    VAULT_TOKEN: {aud: https://vault.example.com}
    CLOUD_TOKEN: {aud: [https://one.example.com, https://two.example.com]}
    OWN_TOKEN: {aud: $CI_SERVER_URL/$CI_PROJECT_NAME}
`;

forEachEngine((engine) => {
  describe('ID tokens of jobs', () => {
    let fixture: ProjectWithRoles;
    const page = async (path: string) => {
      const answer = await fetch(`${fixture.server.url}${path}`);
      assert.equal(answer.status, 200);
      return (await answer.json()) as { keys: Record<string, string>[]; jwks_uri: string; issuer: string };
    };

    before(async () => {
      const source = new GitClient();
      await source.init();
      await source.commit({ '.gitlab-ci.yml': configuration }, 'root');
      fixture = await projectWithRoles(engine, 'signing', source);
      await fixture.server.running.services.queue.drain();
    });

    it('are verifiable with the published keys and identify the job', async () => {
      const { services } = fixture.server.running;
      const job = await fixture.server.db.read.selectFrom('ci_jobs').selectAll().executeTakeFirstOrThrow();
      const variables = await variablesOfJob(services, fixture.server.db.read, job);
      const found = await page('/.well-known/openid-configuration');
      assert.equal(found.jwks_uri, `${services.externalUrl}/oauth/discovery/keys`);
      const { keys } = await page('/oauth/discovery/keys');
      assert.equal(keys.length, 1);
      assert.deepEqual(Object.keys(keys[0] ?? {}).sort(), ['alg', 'e', 'kid', 'kty', 'n', 'use']);
      const audiences = ['VAULT_TOKEN', 'CLOUD_TOKEN', 'OWN_TOKEN'].map((name) => {
        const variable = variables.find(({ key }) => key === name);
        assert.deepEqual([variable?.masked, variable?.public], [true, false]);
        const [header = '', claims = '', signature = ''] = (variable?.value ?? '').split('.');
        const key = keys.find(({ kid }) => kid === JSON.parse(Buffer.from(header, 'base64url').toString()).kid);
        assert.ok(key);
        const publicKey = createPublicKey({ key, format: 'jwk' });
        const signed = Buffer.from(`${header}.${claims}`);
        assert.ok(verify('RSA-SHA256', signed, publicKey, Buffer.from(signature, 'base64url')));
        const payload = JSON.parse(Buffer.from(claims, 'base64url').toString());
        assert.equal(payload.iss, found.issuer);
        const path = `${fixture.owner.user.username}/signing`;
        assert.equal(payload.sub, `project_path:${path}:ref_type:branch:ref:main`);
        assert.deepEqual([payload.job_id, payload.user_access_level], [`${job.id}`, 'owner']);
        assert.ok(payload.exp > payload.iat && payload.nbf <= payload.iat);
        return payload.aud;
      });
      assert.deepEqual(audiences, [
        'https://vault.example.com',
        ['https://one.example.com', 'https://two.example.com'],
        `${services.externalUrl}/signing`,
      ]);
    });

    it('use the configured sub claim components, starting with the project path', async () => {
      const choose = (parts: readonly string[]) =>
        fixture.asOwner(`PUT ${fixture.base}`, { json: { ci_id_token_sub_claim_components: parts } });
      const subject = async () => {
        const job = await fixture.server.db.read.selectFrom('ci_jobs').selectAll().executeTakeFirstOrThrow();
        const variables = await variablesOfJob(fixture.server.running.services, fixture.server.db.read, job);
        const [, claims = ''] = (variables.find(({ key }) => key === 'VAULT_TOKEN')?.value ?? '').split('.');
        return JSON.parse(Buffer.from(claims, 'base64url').toString()).sub;
      };
      const path = `${fixture.owner.user.username}/signing`;
      assert.equal((await choose(['project_path'])).status, 200);
      assert.equal(await subject(), `project_path:${path}`);
      assert.equal((await choose(['project_path', 'ref'])).status, 200);
      assert.equal(await subject(), `project_path:${path}:ref:main`);
      for (const parts of [['ref'], ['ref', 'project_path'], ['project_path', 'user_login'], []]) {
        assert.equal((await choose(parts)).status, 400, parts.join());
      }
      assert.equal((await choose(['project_path', 'ref_type', 'ref'])).status, 200);
    });

    it('are not issued for completed jobs, and the signing key is stored encrypted', async () => {
      const job = await fixture.server.db.read.selectFrom('ci_jobs').selectAll().executeTakeFirstOrThrow();
      const completed = { ...job, status: 'success' };
      const variables = await variablesOfJob(fixture.server.running.services, fixture.server.db.read, completed);
      assert.equal(
        variables.find(({ key }) => key === 'VAULT_TOKEN'),
        undefined,
      );
      const row = await fixture.server.db.read.selectFrom('ci_signing_keys').selectAll().executeTakeFirstOrThrow();
      assert.match(row.private_key, /^v1\./);
    });
  });
});
