import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { Browser, rootPassword } from '../../support/browser.ts';
import { forEachEngine } from '../../support/engines.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { info, RunnerClient } from '../runner-client.ts';

const configuration = `
spec:
  inputs:
    place: {default: here, options: [here, there], description: Where to}
    times: {type: number, default: 1}
---
deploy:
  when: manual
  variables: {PLACE: "$[[ inputs.place ]]"}
  inputs:
    env: {default: staging, options: [staging, production]}
    replicas: {type: number, default: 3}
    debug: {type: boolean, default: false}
    tags: {type: array, default: [a]}
    version: {default: latest, regex: '^[a-z0-9.]+$'}
  script: 'echo "\${{ job.inputs.env }}"'
`;

const features = { ...info.features, job_inputs: true };

forEachEngine((engine) => {
  describe('inputs of pipelines and jobs', () => {
    let server: TestServer;
    let runner: RunnerClient;
    const url = '/projects/root%2Fworks';

    const drain = () => server.running.services.queue.drain();
    const run = async (inputs = {}) => {
      const { id } = await server.must(`POST ${url}/pipeline`, { json: { ref: 'main', inputs } });
      await drain();
      const [job] = await server.must(`GET ${url}/pipelines/${id}/jobs`);
      return job.id as number;
    };
    const take = async () => (await runner.ask({ info: { ...info, features } })).body;
    const play = (id: number, job_inputs: unknown) =>
      server.api(`POST ${url}/jobs/${id}/play`, { json: { job_inputs } });
    const retry = (id: number, json: object) => server.api(`POST ${url}/jobs/${id}/retry`, { json });
    const contents = (job: { inputs: { key: string; value: { content: unknown } }[] }) =>
      Object.fromEntries(job.inputs.map(({ key, value }) => [key, value.content]));

    before(async () => {
      server = await startTestServer(engine);
      await server.must('POST /projects', { json: { name: 'works' } });
      const actions = [{ action: 'create', file_path: '.gitlab-ci.yml', content: configuration }];
      await server.must(`POST ${url}/repository/commits`, { json: { branch: 'main', commit_message: 'CI', actions } });
      await drain();
      runner = await RunnerClient.create(server, { runner_type: 'instance_type' });
    });

    it('lists the inputs of new pipelines and of a job', async () => {
      const inputs = await server.must(`GET ${url}/pipelines/inputs?ref=main`);
      assert.deepEqual(inputs[0], {
        ...{ name: 'place', type: 'string', description: 'Where to', required: false, default: 'here' },
        ...{ options: ['here', 'there'], regex: null, rules: null },
      });
      assert.equal((await server.api(`GET ${url}/pipelines/inputs?ref=none`)).status, 404);
      const [env] = await server.must(`GET ${url}/jobs/${await run()}/inputs`);
      assert.deepEqual(
        [env.name, env.default, env.value, env.options],
        ['env', 'staging', 'staging', ['staging', 'production']],
      );
    });

    it('gives given values to runners, keeps them on retry, and takes new ones', async () => {
      const id = await run();
      assert.equal((await play(id, { env: 'production', replicas: '5' })).status, 200);
      const job = await take();
      assert.deepEqual(contents(job), { env: 'production', replicas: 5, debug: false, tags: ['a'], version: 'latest' });
      assert.deepEqual(job.inputs[1], { key: 'replicas', value: { content: 5, type: 'number' } });
      await runner.report(job, { state: 'success' });
      await drain();
      assert.equal((await retry(id, {})).status, 201);
      const second = await take();
      assert.equal(contents(second).replicas, 5);
      await runner.report(second, { state: 'success' });
      await drain();
      assert.equal((await retry(second.id, { inputs: { debug: true, tags: ['b'] } })).status, 201);
      const third = await take();
      assert.deepEqual(contents(third), {
        env: 'production',
        replicas: 5,
        debug: true,
        tags: ['b'],
        version: 'latest',
      });
      await runner.report(third, { state: 'success' });
    });

    it('refuses unknown and wrong values, and changes nothing', async () => {
      const id = await run();
      const cases: [unknown, string][] = [
        [{ other: 1 }, 'Unknown input: other'],
        [{ a: 1, b: 2 }, 'Unknown inputs: a, b'],
        [{ env: 'prod' }, '`env` input: `prod` cannot be used because it is not in the list of allowed options'],
        [{ replicas: 'many' }, '`replicas` input: provided value is not a number'],
        [{ debug: 1 }, '`debug` input: provided value is not a boolean'],
        [{ tags: 'a' }, '`tags` input: provided value is not an array'],
        [{ version: 'A B' }, '`version` input: provided value does not match required RegEx pattern'],
      ];
      for (const [inputs, text] of cases) {
        const answer = await play(id, inputs);
        assert.deepEqual([answer.status, answer.body.message], [400, `400 Bad request - ${text}`]);
      }
      assert.equal((await play(id, 'text')).status, 400);
      assert.equal((await server.must(`GET ${url}/jobs/${id}`)).status, 'manual');
    });

    it('fails on runners that do not know inputs', async () => {
      const id = await run();
      await play(id, {});
      assert.equal((await runner.ask()).status, 204);
      await drain();
      assert.equal((await server.must(`GET ${url}/jobs/${id}`)).failure_reason, 'runner_unsupported');
    });

    it('has forms for both', async () => {
      const browser = new Browser(server);
      await browser.signIn('root', rootPassword);
      const form = '/root/works/-/pipelines/new';
      assert.match(await browser.page(form), /<select name="input:place">.*selected>here[\s\S]*name="input:times"/);
      const sent = { ref: 'main', 'input:place': 'there', 'input:times': '1', variables: '' };
      const created = await browser.send(form, '/root/works/-/pipelines', sent);
      await drain();
      const [job] = await server.must(`GET ${url}/pipelines/${created.split('/').at(-1)}/jobs`);
      const page = `/root/works/-/jobs/${job.id}`;
      assert.match(await browser.page(page), /<select name="input:env">/);
      await browser.send(page, `${page}/play`, { 'input:env': 'production', 'input:replicas': '3' });
      const taken = await take();
      assert.equal(contents(taken).env, 'production');
      assert.equal(taken.variables.find((one: { key: string }) => one.key === 'PLACE').value, 'there');
      await runner.report(taken, { state: 'failed' });
      await drain();
      await browser.send(page, `${page}/retry`, { 'input:env': 'staging' });
      assert.equal(contents(await take()).env, 'staging');
    });
  });
});
