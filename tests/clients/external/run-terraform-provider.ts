import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import type { Engine } from '../../../src/platform/database/database.ts';
import { engines } from '../../support/engines.ts';
import { rootToken, startTestServer } from '../../support/server.ts';
import { sshKeyPair } from '../../support/ssh-keys.ts';

// npm run test:terraform-provider -- /path/to/terraform-provider-gitlab [sqlite|postgres]
const [path, only] = process.argv.slice(2);
if (path === undefined || !(only === undefined || only === 'sqlite' || only === 'postgres')) {
  console.error('usage: npm run test:terraform-provider -- /path/to/terraform-provider-gitlab [sqlite|postgres]');
  process.exit(2);
}
const binary = resolve(path);
const configuration = join(import.meta.dirname, 'terraform_provider', 'main.tf');

/** Uses the binary as the provider for any version, without downloads. */
const settings = `provider_installation {
  dev_overrides { "gitlabhq/gitlab" = "${dirname(binary)}" }
  direct {}
}
`;

/** Resources that are removed from the state and imported again, with the import ID the provider expects. */
const imported: readonly (readonly [address: string, id: (ids: Ids) => string])[] = [
  ['gitlab_topic.this', (ids) => ids('gitlab_topic.this')],
  ['gitlab_group.house', (ids) => ids('gitlab_group.house')],
  ['gitlab_group_variable.this', (ids) => ids('gitlab_group_variable.this')],
  ['gitlab_group_label.bug', (ids) => `${ids('gitlab_group.house')}:bug`],
  ['gitlab_project.copy', (ids) => ids('gitlab_project.copy')],
  ['gitlab_project_variable.scoped', (ids) => ids('gitlab_project_variable.scoped')],
  ['gitlab_tag_protection.versions', (ids) => ids('gitlab_tag_protection.versions')],
  ['gitlab_deploy_key.this', (ids) => `${ids('gitlab_project.lamp')}:${ids('gitlab_deploy_key.this')}`],
  ['gitlab_project_milestone.one', (ids) => ids('gitlab_project_milestone.one')],
  ['gitlab_project_level_mr_approvals.this', (ids) => ids('gitlab_project_level_mr_approvals.this')],
  ['gitlab_project_freeze_period.night', (ids) => ids('gitlab_project_freeze_period.night')],
];

type Ids = (address: string) => string;
type Done = { readonly code: number | null; readonly out: string };

async function tryOn(engine: Engine): Promise<void> {
  const server = await startTestServer(engine, ['--allow-local-egress']);
  const home = await mkdtemp(join(tmpdir(), 'hearth-terraform-provider-'));
  await copyFile(configuration, join(home, 'main.tf'));
  await writeFile(join(home, 'cli.tfrc'), settings);
  const nextMonth = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10);
  const key = () => sshKeyPair().public.split(' ').slice(0, 2).join(' ');
  const variables = {
    TF_VAR_deploy_key: key(),
    TF_VAR_user_key: key(),
    TF_VAR_expires_at: nextMonth,
    TF_VAR_mirror_url: `${server.url.replace('://', '://mirror:secret@')}/house/elsewhere.git`,
  };

  function terraform(round: string, args: readonly string[], token = rootToken): Promise<Done> {
    const env = {
      ...variables,
      PATH: process.env.PATH,
      HOME: home,
      CHECKPOINT_DISABLE: '1',
      TF_IN_AUTOMATION: '1',
      TF_CLI_CONFIG_FILE: join(home, 'cli.tfrc'),
      TF_VAR_round: round,
      GITLAB_BASE_URL: `${server.url}/api/v4/`,
      GITLAB_TOKEN: token,
    };
    const child = spawn('terraform', args, { cwd: home, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let out = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (out += chunk));
    return new Promise((done, fail) => {
      child.once('error', fail);
      child.once('close', (code) => done({ code, out }));
    });
  }

  async function must(round: string, ...args: string[]): Promise<string> {
    const { code, out } = await terraform(round, args);
    assert.equal(code, 0, `terraform ${args.join(' ')}: ${out}`);
    return out;
  }

  const apply = ['apply', '-auto-approve', '-input=false', '-no-color'];
  const plan = ['plan', '-detailed-exitcode', '-input=false', '-no-color'];
  /** Asserts that a plan shows no changes: exit code 0; 2 would mean changes. */
  const unchanged = (round: string) => must(round, ...plan);

  const stranger = await terraform('first', apply, 'glpat-of-nobody');
  assert.equal(stranger.code, 1);
  assert.match(stranger.out, /401/);

  assert.match(await must('first', ...apply), /Apply complete! Resources: \d+ added, 0 changed, 0 destroyed/);
  await unchanged('first');

  const changed = await must('second', ...apply);
  assert.match(changed, /Apply complete!/);
  // The provider can only replace a project share to change its access level.
  assert.deepEqual(changed.match(/# .* must be replaced/g), ['# gitlab_project_share_group.guests must be replaced']);
  await unchanged('second');
  assert.match(changed, /"project" = "The second"/);
  assert.match(changed, /"house\/cellar\/copy",\s+"house\/lamp"/);

  await server.must('PUT /projects/house%2Flamp', { json: { description: 'By hand', merge_method: 'merge' } });
  await server.must('DELETE /projects/house%2Flamp/variables/PLAIN?filter[environment_scope]=production');
  const drifted = await terraform('second', plan);
  assert.equal(drifted.code, 2, drifted.out);
  assert.match(drifted.out, /"By hand" +-> "The second"/);
  assert.match(drifted.out, /gitlab_project_variable\.scoped will be created/);
  await must('second', ...apply);
  await unchanged('second');

  const { resources } = JSON.parse(await readFile(join(home, 'terraform.tfstate'), 'utf8'));
  const ids: Ids = (address) => {
    const [type, name] = address.split('.');
    return resources.find((one: { type: string; name: string; mode: string }) => {
      return one.mode === 'managed' && one.type === type && one.name === name;
    }).instances[0].attributes.id;
  };
  for (const [address, id] of imported) {
    await must('second', 'state', 'rm', address);
    await must('second', 'import', '-input=false', '-no-color', address, id(ids));
  }
  const found = await terraform('second', plan);
  assert.doesNotMatch(found.out, /# (?!data\.)\S+ (must|will) be/, found.out);

  const gone = await must('second', 'destroy', '-auto-approve', '-input=false', '-no-color');
  assert.match(gone, /Destroy complete!/);
  const { body } = await server.api('GET /groups/house');
  assert.ok(body.message === '404 Group Not Found' || body.marked_for_deletion_on, JSON.stringify(body));
  assert.equal((await server.api('GET /admin/ci/variables/OF_THE_INSTANCE')).status, 404);
  await rm(home, { recursive: true, force: true });
}

for (const engine of engines.filter((name) => only === undefined || name === only)) {
  await tryOn(engine);
  console.log(`${engine}: passed`);
}
process.exit(0);
