import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { transitionJob } from '../../../src/ci/jobs/public.ts';
import { variablesOfJob } from '../../../src/ci/variables/public.ts';
import { digest } from '../../../src/platform/secrets/tokens.ts';
import { forEachEngine } from '../../support/engines.ts';
import { GitClient } from '../../support/git-client.ts';
import { type ProjectWithRoles, projectWithRoles } from '../../support/project-with-roles.ts';
import { addMember, addPerson } from '../../support/scene.ts';
import type { Answer } from '../../support/server.ts';

forEachEngine((engine) => {
  describe('pipeline triggers', () => {
    let place: ProjectWithRoles;
    let token: string;
    const says = (answer: Answer) => [answer.status, answer.body.message ?? answer.body.error];
    const start = (json: object, path = `${place.base}/trigger/pipeline`) =>
      place.server.api(`POST ${path}`, { token: null, json });
    const jobsOf = (pipelineId: number) =>
      place.server.db.read.selectFrom('ci_jobs').selectAll().where('pipeline_id', '=', pipelineId).execute();

    before(async () => {
      const source = new GitClient();
      await source.init();
      await source.commit({ '.gitlab-ci.yml': 'build: {script: make}\n' }, 'root');
      await source.git('branch', 'feature/one');
      await source.git('checkout', '-q', '-b', 'broken');
      await source.commit({ '.gitlab-ci.yml': 'build: {}\n' }, 'broken');
      await source.git('checkout', '-q', 'main');
      place = await projectWithRoles(engine, 'triggered', source);
    });

    it('are created, shown in full only to their owners, updated and deleted', async () => {
      const { base, asOwner, asDeveloper, server } = place;
      const created = await asOwner(`POST ${base}/triggers`, { json: { description: 'for the nightly' } });
      assert.equal(created.status, 201);
      token = created.body.token;
      assert.match(token, /^glptt-[\w-]{32}$/);
      assert.deepEqual([created.body.owner.id, created.body.last_used], [place.owner.user.id, null]);
      const maintainer = await addPerson(server, 'maintainer');
      await addMember(server, place.project, maintainer, 40);
      const listed = await server.api(`GET ${base}/triggers`, { token: maintainer.token });
      assert.deepEqual([listed.body.length, listed.body[0].token], [1, token.slice(6, 10)]);
      const one = `${base}/triggers/${created.body.id}`;
      const change = { token: maintainer.token, json: { description: 'mine' } };
      assert.equal((await server.api(`PUT ${one}`, change)).status, 403);
      assert.equal((await asOwner(`PUT ${one}`, { json: { description: 'hourly' } })).body.description, 'hourly');
      assert.equal((await asDeveloper(`GET ${base}/triggers`)).status, 403);
      assert.equal((await asOwner(`GET ${base}/triggers/999`)).status, 404);
      assert.deepEqual(says(await asOwner(`POST ${base}/triggers`, { json: {} })), [400, 'description is missing']);
      const second = await asOwner(`POST ${base}/triggers`, { json: { description: 'second' } });
      assert.equal((await asOwner(`DELETE ${base}/triggers/${second.body.id}`)).status, 204);
      assert.equal((await start({ token: second.body.token, ref: 'main' })).status, 404);
      const row = await server.db.read.selectFrom('pipeline_triggers').selectAll().executeTakeFirstOrThrow();
      assert.doesNotMatch(JSON.stringify(row), new RegExp(token));
    });

    it('start pipelines as their owner', async () => {
      const created = await start({ token, ref: 'main', variables: { WHERE: 'here' } });
      assert.equal(created.status, 201);
      assert.deepEqual([created.body.source, created.body.user.id], ['trigger', place.owner.user.id]);
      const [job] = await jobsOf(created.body.id);
      assert.ok(job);
      const variables = await variablesOfJob(place.server.running.services, place.server.db.read, job);
      const valueFor = (key: string) => variables.find((one) => one.key === key)?.value;
      assert.equal(valueFor('WHERE'), 'here');
      assert.equal(valueFor('CI_PIPELINE_TRIGGERED'), 'true');
      assert.equal(valueFor('CI_TRIGGER_SHORT_TOKEN'), token.slice(6, 10));
      assert.deepEqual(JSON.parse(valueFor('TRIGGER_PAYLOAD') ?? ''), { ref: 'main', variables: { WHERE: 'here' } });
      const slashed = await start({ token }, `${place.base}/ref/feature%2Fone/trigger/pipeline`);
      assert.deepEqual([slashed.status, slashed.body.ref], [201, 'feature/one']);
      const form = await place.server.api(
        `POST ${place.base}/trigger/pipeline?token=${token}&ref=main&variables[A]=1`,
        { token: null },
      );
      assert.equal(form.status, 201);
      const [shown] = (await place.asOwner(`GET ${place.base}/triggers`)).body;
      assert.ok(shown.last_used);
    });

    it('reject invalid requests', async () => {
      const refused = async (json: object, status: number, text: unknown) =>
        assert.deepEqual(says(await start(json)), [status, text]);
      await refused({ token: 'glptt-none', ref: 'main' }, 404, '404 Not Found');
      await refused({ ref: 'main' }, 400, 'token is missing');
      await refused({ token }, 400, 'ref is missing');
      await refused({ token, ref: 'none' }, 400, { base: ['Reference not found'] });
      const text = 'variables needs to be a map of key-valued strings';
      await refused({ token, ref: 'main', variables: { A: 1 } }, 400, text);
      await refused({ token, ref: 'main', variables: 'x' }, 400, 'variables is invalid');
      for (const header of ['x-gitlab-event', 'x-service-event']) {
        const hooked = await place.server.api(`POST ${place.base}/trigger/pipeline`, {
          token: null,
          headers: { [header]: 'Pipeline Hook' },
          json: { token, ref: 'main' },
        });
        assert.deepEqual(says(hooked), [403, '403 Forbidden']);
      }
      const broken = await start({ token, ref: 'broken' });
      assert.equal(broken.status, 422);
      const other = await place.asOwner('POST /projects', { json: { name: 'other' } });
      const elsewhere = `/projects/${other.body.id}/trigger/pipeline`;
      assert.equal((await start({ token, ref: 'main' }, elsewhere)).status, 404);
      await place.asOwner(`PUT ${place.base}`, {
        json: { ci_pipeline_variables_minimum_override_role: 'no_one_allowed' },
      });
      await refused({ token, ref: 'main', variables: { A: '1' } }, 400, {
        base: ['Insufficient permissions to set pipeline variables'],
      });
      assert.equal((await start({ token, ref: 'main' })).status, 201);
      const gone = Date.now() + 1;
      const passing = await place.asOwner(`POST ${place.base}/triggers`, {
        json: { description: 'short', expires_at: new Date(gone + 60_000).toISOString() },
      });
      await place.server.db.write((trx) =>
        trx.updateTable('pipeline_triggers').set({ expires_at: 1 }).where('id', '=', passing.body.id).execute(),
      );
      await refused({ token: passing.body.token, ref: 'main' }, 404, '404 Not Found');
    });

    it('accept the token of a running job instead', async () => {
      const { server } = place;
      const created = await start({ token, ref: 'main' });
      await server.running.services.queue.drain();
      const [job] = await jobsOf(created.body.id);
      assert.ok(job);
      const secret = 'glcbt-test-token-of-a-job';
      await server.db.write((trx) =>
        transitionJob(server.running.services, trx, job.id, 'run', { change: { token_digest: digest(secret) } }),
      );
      const started = await start({ token: secret, ref: 'main' });
      assert.deepEqual([started.status, started.body.source], [201, 'pipeline']);
      // Other projects accept job tokens only from projects on their allowlist.
      const other = await place.asOwner('POST /projects', { json: { name: 'kept', initialize_with_readme: true } });
      const there = `/projects/${other.body.id}`;
      const elsewhere = () => start({ token: secret, ref: 'main' }, `${there}/trigger/pipeline`);
      assert.equal((await elsewhere()).status, 404);
      const allowed = { json: { target_project_id: place.project.id } };
      await place.asOwner(`POST ${there}/job_token_scope/allowlist`, allowed);
      assert.deepEqual(says(await elsewhere()), [400, { base: ['Missing CI config file'] }]);
      await server.db.write((trx) => transitionJob(server.running.services, trx, job.id, 'success'));
      assert.equal((await start({ token: secret, ref: 'main' })).status, 401);
      assert.equal((await start({ token: 'glcbt-unknown', ref: 'main' })).status, 404);
    });
  });
});
