import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { PlannedSecret } from '../../../src/ci/config/public.ts';
import { providersConfigured, secretsOf } from '../../../src/ci/job-queue/secrets.ts';
import { forEachEngine } from '../../support/engines.ts';
import { GitClient } from '../../support/git-client.ts';
import { type ProjectWithRoles, projectWithRoles } from '../../support/project-with-roles.ts';
import { info, RunnerClient } from '../runner-client.ts';

const kv = { name: 'kv-v2', path: 'ops' };
const vault: PlannedSecret = {
  source: { provider: 'vault', engine: kv, path: 'db', field: 'password' },
  token: '$T',
  file: false,
};
const named = (provider: 'gcp_secret_manager' | 'azure_key_vault', version: string | null): PlannedSecret => ({
  source: { provider, name: 'db', version },
  token: '$T',
  file: true,
});
const aws = (more: Record<string, string>): PlannedSecret => ({
  source: { provider: 'aws_secrets_manager', named: { secret_id: 'db', ...more } },
  token: null,
  file: true,
});

/** The secret, required variables, optional variables, and the expected payload. */
const cases: readonly (readonly [PlannedSecret, Record<string, string>, Record<string, string>, object])[] = [
  [
    vault,
    { VAULT_SERVER_URL: 'https://v' },
    {},
    {
      vault: {
        server: { url: 'https://v', namespace: '', auth: { name: 'jwt', path: 'jwt', data: { jwt: '$T' } } },
        ...{ engine: kv, path: 'db', field: 'password' },
      },
      file: false,
    },
  ],
  [
    vault,
    { VAULT_SERVER_URL: 'https://v' },
    { VAULT_NAMESPACE: 'team', VAULT_AUTH_PATH: 'forge', VAULT_AUTH_ROLE: 'reader' },
    {
      vault: {
        server: {
          url: 'https://v',
          namespace: 'team',
          auth: { name: 'jwt', path: 'forge', data: { jwt: '$T', role: 'reader' } },
        },
        ...{ engine: kv, path: 'db', field: 'password' },
      },
      file: false,
    },
  ],
  [
    named('gcp_secret_manager', 'latest'),
    {
      GCP_PROJECT_NUMBER: '1',
      GCP_WORKLOAD_IDENTITY_FEDERATION_POOL_ID: 'pool',
      GCP_WORKLOAD_IDENTITY_FEDERATION_PROVIDER_ID: 'provider',
    },
    {},
    {
      gcp_secret_manager: {
        name: 'db',
        version: 'latest',
        server: {
          project_number: '1',
          workload_identity_federation_pool_id: 'pool',
          workload_identity_federation_provider_id: 'provider',
          jwt: '$T',
        },
      },
      file: true,
    },
  ],
  [
    named('azure_key_vault', null),
    { AZURE_KEY_VAULT_SERVER_URL: 'https://a' },
    { AZURE_CLIENT_ID: 'c', AZURE_TENANT_ID: 't' },
    {
      azure_key_vault: { name: 'db', server: { url: 'https://a', client_id: 'c', tenant_id: 't', jwt: '$T' } },
      file: true,
    },
  ],
  [
    aws({ field: 'password' }),
    { AWS_REGION: 'eu-1' },
    { AWS_ROLE_ARN: 'arn' },
    {
      aws_secrets_manager: {
        secret_id: 'db',
        field: 'password',
        server: { region: 'eu-1', jwt: '', role_arn: 'arn', role_session_name: '' },
      },
      file: true,
    },
  ],
  [
    aws({ region: 'us-1' }),
    {},
    {},
    {
      aws_secrets_manager: {
        secret_id: 'db',
        region: 'us-1',
        server: { region: '', jwt: '', role_arn: '', role_session_name: '' },
      },
      file: true,
    },
  ],
];

describe('secrets in the job payload', () => {
  for (const [secret, needed, other, expected] of cases) {
    it(`for ${secret.source.provider} with ${Object.keys({ ...needed, ...other }).join(', ') || 'no variables'}`, () => {
      const variables = Object.entries({ ...needed, ...other }).map(([key, value]) => ({ key, value }));
      assert.deepEqual(secretsOf({ A: secret }, variables), { A: expected });
      assert.equal(providersConfigured({ A: secret }, variables), true);
      for (const key of Object.keys(needed)) {
        const without = variables.map((one) => (one.key === key ? { key, value: '' } : one));
        assert.equal(providersConfigured({ A: secret }, without), false, key);
      }
    });
  }
});

const configuration = `
fetch:
  id_tokens: {VAULT_TOKEN: {aud: https://vault.example.com}}
  secrets: {PASSWORD: {vault: production/db/password@ops, file: false}}
  script: make
`;

forEachEngine((engine) => {
  describe('jobs with secrets', () => {
    let fixture: ProjectWithRoles;
    let runner: RunnerClient;
    const able = { info: { ...info, features: { ...info.features, vault_secrets: true } } };
    const start = async () => {
      const { server, base, owner } = fixture;
      const pipeline = await server.must(`POST ${base}/pipeline`, { token: owner.token, json: { ref: 'main' } });
      await server.running.services.queue.drain();
      return pipeline;
    };
    const jobOf = async ({ id }: { id: number }) =>
      (await fixture.server.must(`GET ${fixture.base}/pipelines/${id}/jobs`, { token: fixture.owner.token }))[0];

    before(async () => {
      const source = new GitClient();
      await source.init();
      await source.commit({ '.gitlab-ci.yml': configuration }, 'root [skip ci]');
      fixture = await projectWithRoles(engine, 'secretive', source);
      const runnerOf = { runner_type: 'project_type', project_id: fixture.project.id };
      runner = await RunnerClient.create(fixture.server, runnerOf, fixture.owner.token);
    });

    it('fail when the provider is not configured', async () => {
      const pipeline = await start();
      assert.equal((await runner.ask(able)).status, 204);
      const { status, failure_reason } = await jobOf(pipeline);
      assert.deepEqual([status, failure_reason], ['failed', 'secrets_provider_not_found']);
    });

    it('fail on a runner without support for secrets', async () => {
      await fixture.asOwner(`POST ${fixture.base}/variables`, {
        json: { key: 'VAULT_SERVER_URL', value: 'https://vault.example.com' },
      });
      const pipeline = await start();
      assert.equal((await runner.ask()).status, 204);
      assert.equal((await jobOf(pipeline)).failure_reason, 'runner_unsupported');
    });

    it('send the location and token of the secrets to the runner', async () => {
      await start();
      const { status, body } = await runner.ask(able);
      assert.equal(status, 201);
      assert.deepEqual(body.secrets, {
        PASSWORD: {
          vault: {
            server: {
              url: 'https://vault.example.com',
              namespace: '',
              auth: { name: 'jwt', path: 'jwt', data: { jwt: '$VAULT_TOKEN' } },
            },
            engine: { name: 'kv-v2', path: 'ops' },
            path: 'production/db',
            field: 'password',
          },
          file: false,
        },
      });
      const token = body.variables.find(({ key }: { key: string }) => key === 'VAULT_TOKEN');
      assert.match(token.value, /^eyJ/);
      assert.deepEqual([token.masked, token.public], [true, false]);
    });
  });
});
