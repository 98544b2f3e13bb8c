import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { Role } from '../../../src/access/roles.ts';
import { transitionJob } from '../../../src/ci/jobs/public.ts';
import { atOnce } from '../../support/at-once.ts';
import { forEachEngine } from '../../support/engines.ts';
import { GitClient } from '../../support/git-client.ts';
import { type ProjectWithRoles, projectWithRoles } from '../../support/project-with-roles.ts';
import { addMember, addPerson, type Person } from '../../support/scene.ts';
import type { Answer } from '../../support/server.ts';

const configuration = `
deploy:
  script: make deploy
  environment: {name: production, on_stop: tear down}
by hand:
  script: make release
  when: manual
  environment: live/eu
tear down:
  script: make undeploy
  when: manual
  environment: {name: production, action: stop}
after:
  stage: deploy
  needs: [deploy]
  script: make after
`;

forEachEngine((engine) => {
  describe('protected environments and deployment approvals', () => {
    let fixture: ProjectWithRoles;
    let maintainer: Person;
    let second: Person;
    const statusAndMessage = (answer: Answer) => [answer.status, answer.body.message ?? answer.body.error];
    const at = (rest = '') => `${fixture.base}/protected_environments${rest}`;
    const drainQueue = () => fixture.server.running.services.queue.drain();
    const as = (person: Person) => (call: string, json?: object) =>
      fixture.server.api(call, { token: person.token, ...(json ? { json } : {}) });
    const start = async (person: Person) => {
      const { body, status } = await as(person)(`POST ${fixture.base}/pipeline`, { ref: 'main' });
      assert.equal(status, 201, JSON.stringify(body));
      await drainQueue();
      return body.id as number;
    };
    const jobOf = async (pipeline: number, name: string) => {
      const jobs = await fixture.asOwner(`GET ${fixture.base}/pipelines/${pipeline}/jobs`);
      const job = jobs.body.find((one: { name: string }) => one.name === name);
      assert.ok(job, name);
      return job as { id: number; status: string; failure_reason?: string };
    };
    const deploymentOf = async (job: number) => {
      const { body } = await fixture.asOwner(`GET ${fixture.base}/deployments?sort=desc&per_page=100`);
      const found = body.find((one: { deployable: { id: number } | null }) => one.deployable?.id === job);
      return found && (await fixture.asOwner(`GET ${fixture.base}/deployments/${found.id}`)).body;
    };
    const approve = (person: Person, deployment: number, more: object = {}) =>
      as(person)(`POST ${fixture.base}/deployments/${deployment}/approval`, { status: 'approved', ...more });
    const protect = async (json: object) => {
      const created = await fixture.asOwner(`POST ${at()}`, { json });
      assert.equal(created.status, 201, JSON.stringify(created.body));
      return created.body;
    };
    const unprotect = (name: string) => fixture.asOwner(`DELETE ${at(`/${encodeURIComponent(name)}`)}`);

    before(async () => {
      const source = new GitClient();
      await source.init();
      await source.commit({ '.gitlab-ci.yml': configuration }, 'root [skip ci]');
      fixture = await projectWithRoles(engine, 'guarded', source);
      await fixture.asOwner(`DELETE ${fixture.base}/protected_branches/main`);
      maintainer = await addPerson(fixture.server, 'maintainer');
      second = await addPerson(fixture.server, 'second');
      await addMember(fixture.server, fixture.project, maintainer, Role.maintainer);
      await addMember(fixture.server, fixture.project, second, Role.maintainer);
      await drainQueue();
    });

    it('are created, listed, updated and deleted', async () => {
      const created = await protect({
        name: 'live/eu',
        deploy_access_levels: [{ access_level: 40 }, { user_id: fixture.developer.user.id }],
        approval_rules: [{ access_level: 30, required_approvals: 2 }],
      });
      assert.equal(created.name, 'live/eu');
      assert.equal(created.required_approval_count, 0);
      assert.deepEqual(
        created.deploy_access_levels.map(({ id: _, ...one }: { id: number }) => one),
        [
          {
            access_level: 40,
            access_level_description: 'Maintainers',
            user_id: null,
            group_id: null,
            group_inheritance_type: 0,
          },
          {
            access_level: null,
            access_level_description: fixture.developer.user.name,
            user_id: fixture.developer.user.id,
            group_id: null,
            group_inheritance_type: 0,
          },
        ],
      );
      assert.equal(created.approval_rules[0].required_approvals, 2);
      const one = at('/live%2Feu');
      assert.deepEqual((await fixture.asOwner(`GET ${one}`)).body, created);
      assert.deepEqual((await fixture.asOwner(`GET ${at()}`)).body, [created]);
      const [first, person] = created.deploy_access_levels;
      const changed = await fixture.asOwner(`PUT ${one}`, {
        json: {
          required_approval_count: 3,
          deploy_access_levels: [
            { id: first.id, _destroy: true },
            { id: person.id, access_level: 30 },
          ],
          approval_rules: [
            { id: created.approval_rules[0].id, required_approvals: 1 },
            { user_id: maintainer.user.id },
          ],
        },
      });
      assert.equal(changed.status, 200);
      assert.equal(changed.body.required_approval_count, 3);
      assert.deepEqual(
        changed.body.deploy_access_levels.map((level: Record<string, unknown>) => [level.id, level.access_level]),
        [[person.id, 30]],
      );
      assert.deepEqual(
        changed.body.approval_rules.map((rule: Record<string, unknown>) => [
          rule.access_level,
          rule.user_id,
          rule.required_approvals,
        ]),
        [
          [30, null, 1],
          [null, maintainer.user.id, 1],
        ],
      );
      const duplicate = await fixture.asOwner(`POST ${at()}`, {
        json: { name: 'live/eu', deploy_access_levels: [{ access_level: 40 }] },
      });
      assert.deepEqual(statusAndMessage(duplicate), [409, "Protected environment 'live/eu' already exists"]);
      const unknown = await fixture.asOwner(`PUT ${one}`, {
        json: { deploy_access_levels: [{ id: 0, access_level: 40 }] },
      });
      assert.equal(unknown.status, 404);
      assert.equal((await fixture.asOwner(`DELETE ${one}`)).status, 204);
      assert.deepEqual(statusAndMessage(await fixture.asOwner(`GET ${one}`)), [404, '404 Not Found']);
      assert.equal((await fixture.asOwner(`DELETE ${one}`)).status, 404);
      const audit = await fixture.asOwner(`GET ${fixture.base}/audit_events`);
      assert.deepEqual(
        audit.body
          .map((event: { event_name: string }) => event.event_name)
          .filter((name: string) => /environment/.test(name)),
        ['environment_unprotected', 'environment_protected'],
      );
    });

    it('require Maintainer access and valid input', async () => {
      const { server, developer } = fixture;
      const stranger = await addPerson(server, 'stranger');
      const good = { name: 'x', deploy_access_levels: [{ access_level: 40 }] };
      assert.equal((await as(developer)(`GET ${at()}`)).status, 403);
      assert.equal((await as(developer)(`POST ${at()}`, good)).status, 403);
      assert.equal((await as(stranger)(`GET ${at()}`)).status, 404);
      assert.equal((await as(stranger)(`POST ${at()}`, good)).status, 404);
      assert.equal((await server.api(`GET ${at()}`, { token: null })).status, 401);
      const refused = async (json: object) => statusAndMessage(await as(maintainer)(`POST ${at()}`, json));
      assert.deepEqual(await refused({ name: 'x' }), [400, 'deploy_access_levels is missing']);
      assert.deepEqual(await refused({ ...good, deploy_access_levels: [] }), [
        422,
        ["Deploy access levels can't be blank"],
      ]);
      assert.equal((await refused({ ...good, deploy_access_levels: [{ access_level: 20 }] }))[0], 400);
      assert.equal((await refused({ ...good, deploy_access_levels: [{ user_id: stranger.user.id }] }))[0], 422);
      assert.equal((await refused({ ...good, deploy_access_levels: [{ group_id: 1_000_000 }] }))[0], 422);
      assert.equal((await refused({ ...good, deploy_access_levels: [{}] }))[0], 422);
      assert.equal((await refused({ ...good, required_approval_count: 6 }))[0], 422);
      const rules = [{ access_level: 40, required_approvals: 0 }];
      assert.equal((await refused({ ...good, approval_rules: rules }))[0], 422);
      assert.equal((await refused({ ...good, name: '/x' }))[0], 422);
      const many = Array.from({ length: 20_000 }, () => ({ access_level: 40 }));
      assert.equal((await refused({ ...good, deploy_access_levels: many }))[0], 422);
      assert.deepEqual((await as(maintainer)(`GET ${at()}`)).body, []);
      const answers = await atOnce(4, () => as(maintainer)(`POST ${at()}`, good));
      assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409, 409, 409]);
      await unprotect('x');
    });

    it('restrict deployments to the granted users', async () => {
      await protect({ name: 'production', deploy_access_levels: [{ access_level: 40 }] });
      const refused = await start(fixture.developer);
      const failed = await jobOf(refused, 'deploy');
      assert.deepEqual([failed.status, failed.failure_reason], ['failed', 'protected_environment_failure']);
      assert.equal((await jobOf(refused, 'after')).status, 'skipped');
      const asDeveloper = as(fixture.developer);
      assert.equal((await asDeveloper(`POST ${fixture.base}/jobs/${failed.id}/retry`)).status, 403);
      const stop = await jobOf(refused, 'tear down');
      assert.equal((await asDeveloper(`POST ${fixture.base}/jobs/${stop.id}/play`)).status, 403);
      assert.equal((await asDeveloper(`POST ${fixture.base}/jobs/${stop.id}/cancel`)).status, 403);
      const sha = (await fixture.asOwner(`GET ${fixture.base}/repository/branches/main`)).body.commit.id;
      const deploymentParams = { environment: 'production', sha, ref: 'main', tag: false, status: 'success' };
      assert.equal((await asDeveloper(`POST ${fixture.base}/deployments`, deploymentParams)).status, 403);

      const allowed = await start(maintainer);
      const job = await jobOf(allowed, 'deploy');
      assert.equal(job.status, 'pending');
      for (const event of ['run', 'success'] as const) {
        await fixture.server.db.write((trx) => transitionJob(fixture.server.running.services, trx, job.id, event));
      }
      await drainQueue();
      const { body } = await fixture.asOwner(`GET ${fixture.base}/environments?name=production`);
      const one = `${fixture.base}/environments/${body[0].id}`;
      assert.equal((await asDeveloper(`PUT ${one}`, { tier: 'other' })).status, 403);
      assert.equal((await asDeveloper(`POST ${one}/stop`)).status, 403);
      assert.equal((await asDeveloper(`DELETE ${one}`)).status, 403);
      assert.equal((await asDeveloper(`GET ${one}`)).body.state, 'available');
      assert.equal((await as(maintainer)(`POST ${one}/stop`)).body.state, 'stopping');
      const stopping = await jobOf(allowed, 'tear down');
      assert.equal(stopping.status, 'pending');
      await unprotect('production');
      assert.equal((await jobOf(await start(fixture.developer), 'deploy')).status, 'pending');
    });

    it('block jobs until enough approvals are given', async () => {
      await protect({
        name: 'production',
        deploy_access_levels: [{ access_level: 30 }],
        approval_rules: [{ access_level: 40, required_approvals: 2 }],
      });
      const pipeline = await start(fixture.developer);
      const job = await jobOf(pipeline, 'deploy');
      assert.equal(job.status, 'manual');
      assert.equal((await jobOf(pipeline, 'after')).status, 'created');
      const blocked = await deploymentOf(job.id);
      assert.deepEqual([blocked.status, blocked.pending_approval_count, blocked.approvals], ['blocked', 2, []]);
      assert.equal(blocked.approval_summary.rules[0].required_approvals, 2);
      const play = () => as(fixture.developer)(`POST ${fixture.base}/jobs/${job.id}/play`);
      assert.deepEqual(statusAndMessage(await play()), [400, '400 Bad request - Unplayable Job']);
      const noPermission =
        "You don't have permission to review this deployment. Contact the project or group owner for help.";
      assert.deepEqual(statusAndMessage(await approve(fixture.developer, blocked.id)), [400, noPermission]);
      assert.equal((await approve(fixture.guest, blocked.id)).status, 403);
      const wrong = await approve(maintainer, blocked.id, { represented_as: 'Nobody' });
      assert.equal(wrong.status, 400);
      assert.equal((await approve(maintainer, blocked.id, { status: 'maybe' })).status, 400);
      assert.equal((await approve(maintainer, blocked.id, { comment: 'x'.repeat(256) })).status, 400);
      const first = await approve(maintainer, blocked.id, { comment: 'looks good', represented_as: 'Maintainers' });
      assert.equal(first.status, 201);
      assert.deepEqual(
        [first.body.status, first.body.comment, first.body.user.id],
        ['approved', 'looks good', maintainer.user.id],
      );
      await approve(maintainer, blocked.id);
      const half = await deploymentOf(job.id);
      assert.deepEqual([half.status, half.pending_approval_count], ['blocked', 1]);
      assert.equal(half.approval_summary.rules[0].deployment_approvals.length, 1);
      const both = await atOnce(2, (index) => approve(index === 0 ? second : fixture.owner, blocked.id));
      assert.ok(both.some(({ status }) => status === 201));
      const free = await deploymentOf(job.id);
      assert.deepEqual([free.status, free.pending_approval_count], ['created', 0]);
      assert.deepEqual(statusAndMessage(await approve(second, blocked.id)), [
        400,
        'This deployment is not waiting for approvals.',
      ]);
      assert.equal((await jobOf(pipeline, 'deploy')).status, 'manual');
      assert.equal((await play()).body.status, 'pending');
      await unprotect('production');
    });

    it('can be rejected, and not approved by the deployer', async () => {
      await protect({ name: 'live/eu', deploy_access_levels: [{ access_level: 30 }], required_approval_count: 1 });
      const pipeline = await start(maintainer);
      const job = await jobOf(pipeline, 'by hand');
      const blocked = await deploymentOf(job.id);
      assert.deepEqual([blocked.status, blocked.pending_approval_count], ['blocked', 1]);
      const self = [400, 'You cannot approve your own deployment.'];
      assert.deepEqual(statusAndMessage(await approve(maintainer, blocked.id)), self);
      const setting = (allow: boolean) =>
        fixture.asOwner(`PUT ${fixture.base}`, { json: { allow_pipeline_trigger_approve_deployment: allow } });
      await setting(true);
      assert.equal((await approve(maintainer, blocked.id, { status: 'rejected', comment: 'no' })).status, 201);
      await setting(false);
      await drainQueue();
      const failed = await jobOf(pipeline, 'by hand');
      assert.deepEqual([failed.status, failed.failure_reason], ['failed', 'deployment_rejected']);
      const rejected = await deploymentOf(job.id);
      assert.deepEqual(
        [rejected.status, rejected.pending_approval_count, rejected.approvals[0].status],
        ['failed', 0, 'rejected'],
      );
      const retry = await as(maintainer)(`POST ${fixture.base}/jobs/${job.id}/retry`);
      assert.equal(retry.status, 403);
      await unprotect('live/eu');
    });

    it('block jobs that existed before the rule', async () => {
      const pipeline = await start(maintainer);
      const job = await jobOf(pipeline, 'by hand');
      assert.equal(await deploymentOf(job.id), undefined);
      await protect({ name: 'live/eu', deploy_access_levels: [{ access_level: 30 }], required_approval_count: 1 });
      const play = () => as(maintainer)(`POST ${fixture.base}/jobs/${job.id}/play`);
      assert.equal((await play()).body.status, 'manual');
      assert.equal((await deploymentOf(job.id)).status, 'blocked');
      assert.equal((await play()).status, 400);
      await unprotect('live/eu');
      assert.equal((await play()).body.status, 'pending');
    });

    it('apply by tier to every project of a group', async () => {
      const { server, owner, developer } = fixture;
      const make = (json: object) => server.api('POST /groups', { token: owner.token, json });
      const { body: group } = await make({ name: 'fleet', path: 'fleet' });
      const { body: subgroup } = await make({ name: 'operators', path: 'operators', parent_id: group.id });
      const path = `/groups/${group.id}/protected_environments`;
      const asOwner = as(owner);
      const wrong = await asOwner(`POST ${path}`, { name: 'eu', deploy_access_levels: [{ access_level: 40 }] });
      assert.deepEqual(statusAndMessage(wrong), [
        422,
        ['Name must be one of environment tiers: production, staging, testing, development, other.'],
      ]);
      const users = await asOwner(`POST ${path}`, {
        name: 'staging',
        deploy_access_levels: [{ user_id: developer.user.id }],
      });
      assert.equal(users.status, 422);
      const created = await asOwner(`POST ${path}`, {
        name: 'production',
        deploy_access_levels: [{ group_id: subgroup.id }],
      });
      assert.equal(created.status, 201);
      assert.equal(created.body.deploy_access_levels[0].access_level_description, 'operators');
      assert.equal((await as(developer)(`GET ${path}`)).status, 404);
      const project = await asOwner('POST /projects', { name: 'of the fleet', namespace_id: group.id });
      const environments = `/projects/${project.body.id}/environments`;
      const { body } = await asOwner(`POST ${environments}`, { name: 'live' });
      assert.equal(body.tier, 'production');
      // The owner is only a member of the parent group, which counts with group_inheritance_type 1.
      await server.db.write((trx) =>
        trx
          .deleteFrom('members')
          .where('namespace_id', '=', subgroup.id)
          .where('user_id', '=', owner.user.id)
          .execute(),
      );
      assert.equal((await asOwner(`POST ${environments}/${body.id}/stop`)).status, 403);
      const [{ id }] = created.body.deploy_access_levels;
      const inherited = await asOwner(`PUT ${path}/production`, {
        deploy_access_levels: [{ id, group_inheritance_type: 1 }],
      });
      assert.equal(inherited.body.deploy_access_levels[0].group_id, subgroup.id);
      assert.equal((await asOwner(`POST ${environments}/${body.id}/stop`)).body.state, 'stopped');
      assert.equal((await asOwner(`DELETE ${path}/production`)).status, 204);
    });

    it('store Kubernetes settings without deploying anything', async () => {
      const asDeveloper = as(fixture.developer);
      const path = `${fixture.base}/environments`;
      const more = { kubernetes_namespace: 'flux-system', flux_resource_path: 'a/b/hr.1' };
      const created = await asDeveloper(`POST ${path}`, { name: 'clustered', ...more });
      assert.equal(created.status, 201);
      const { kubernetes_namespace, flux_resource_path, cluster_agent } = created.body;
      assert.deepEqual({ kubernetes_namespace, flux_resource_path, cluster_agent }, { ...more, cluster_agent: null });
      const one = `${path}/${created.body.id}`;
      assert.equal((await asDeveloper(`PUT ${one}`, { kubernetes_namespace: '' })).body.kubernetes_namespace, null);
      assert.equal((await asDeveloper(`PUT ${one}`, { kubernetes_namespace: 'No_Such' })).status, 400);
      const agent = await asDeveloper(`PUT ${one}`, { cluster_agent_id: 1 });
      const text = "cluster agent doesn't exist or cannot be associated with this environment";
      assert.deepEqual(statusAndMessage(agent), [400, `400 Bad request - ${text}`]);
    });

    it('are not stopped as stale', async () => {
      const path = `${fixture.base}/environments`;
      await fixture.asOwner(`POST ${path}`, { json: { name: 'old one' } });
      await fixture.asOwner(`POST ${path}`, { json: { name: 'old two' } });
      await fixture.server.db.write((trx) =>
        trx.updateTable('environments').set({ updated_at: 0 }).where('name', 'like', 'old %').execute(),
      );
      await protect({ name: 'old one', deploy_access_levels: [{ access_level: 40 }] });
      const before = new Date(Date.now() - 8 * 86_400_000).toISOString();
      assert.equal((await fixture.asOwner(`POST ${path}/stop_stale`, { json: { before } })).status, 200);
      const marked = await fixture.server.db.read
        .selectFrom('environments')
        .select('name')
        .where('auto_stop_at', 'is not', null)
        .where('name', 'like', 'old %')
        .execute();
      assert.deepEqual(marked, [{ name: 'old two' }]);
      await unprotect('old one');
    });
  });
});
