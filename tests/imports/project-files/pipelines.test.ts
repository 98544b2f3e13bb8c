import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { forEachEngine } from '../../support/engines.ts';
import { addPerson, addProject, type Person } from '../../support/scene.ts';
import { type Answer, startTestServer, type TestServer } from '../../support/server.ts';
import { until } from '../../support/until.ts';
import { exportedFile, fileOf, importedFrom } from './round-trip.ts';

type Entity = Answer['body'];

const config = [
  'stages: [build, check]',
  'compile: { stage: build, script: make, tags: [linux, big] }',
  'lint: { stage: check, script: lint, allow_failure: true }',
  'publish: { stage: check, script: ship, when: manual }',
  'follow: { stage: check, trigger: { include: child.yml } }',
].join('\n');

const keep = ({
  name,
  stage,
  status,
  allow_failure,
  tag_list,
  coverage,
  started_at,
  finished_at,
  created_at,
}: Entity) => ({
  ...{ name, stage, status, allow_failure, tag_list, coverage, started_at, finished_at, created_at },
});

forEachEngine((engine) => {
  describe('jobs of imported pipelines', () => {
    let server: TestServer;
    let owner: Person;
    let original: number;
    let copy: number;
    let earlier: Entity[];
    let sha: string;

    const get = (path: string): Promise<Entity> => server.must(`GET /projects/${path}`, { token: owner.token });
    const ask = (call: string) => server.api(call, { token: owner.token });

    before(async () => {
      server = await startTestServer(engine);
      owner = await addPerson(server, 'owner');
      original = (await addProject(server, owner, 'original')).id;
      const send = (call: string, json: object) =>
        server.must(call.replace(' /', ` /projects/${original}/`), { token: owner.token, json });
      const actions = { '.gitlab-ci.yml': config, 'child.yml': 'inner: { script: inner }' };
      ({ id: sha } = await send('POST /repository/commits', {
        branch: 'main',
        commit_message: 'Build it',
        actions: Object.entries(actions).map(([file_path, content]) => ({ action: 'create', file_path, content })),
      }));
      const created = async (): Promise<Entity> => (await get(`${original}/pipelines?source=push`))[0];
      await until(async () => (await created()) !== undefined);
      const pipeline = await created();
      await until(async () => (await get(`${original}/pipelines/${pipeline.id}/jobs`)).length === 3);
      await send(`POST /statuses/${sha}`, {
        ...{ state: 'success', name: 'outside', target_url: 'https://1.1.1.1/7', ref: 'main' },
      });
      const at = Date.UTC(2026, 0, 2, 3, 4, 5);
      await server.db.write(async (trx) => {
        const ended = { started_at: at, finished_at: at + 61_000, updated_at: at + 61_000 };
        const jobs = (name: string, change: object) =>
          trx
            .updateTable('ci_jobs')
            .set(change)
            .where('pipeline_id', '=', pipeline.id)
            .where('name', '=', name)
            .execute();
        await jobs('compile', { ...ended, status: 'success', coverage: 81.5 });
        await jobs('lint', { ...ended, status: 'failed', failure_reason: 'script_failure' });
        await jobs('publish', { status: 'manual' });
        await jobs('follow', { ...ended, status: 'success' });
        await trx
          .updateTable('pipelines')
          .set({ status: 'success', finished_at: at + 61_000 })
          .where('id', '=', pipeline.id)
          .execute();
      });
      earlier = await get(`${original}/pipelines/${pipeline.id}/jobs`);
      const found = await importedFrom(server, owner, await exportedFile(server, owner, original), {
        path: 'copy',
        namespace: owner.user.username,
      });
      assert.deepEqual(found.failed, []);
      copy = found.id;
    });

    const copied = async () => {
      const pipelines = await get(`${copy}/pipelines?source=push`);
      return pipelines[0].id as number;
    };

    it('are as they were, and those that were waiting count as skipped', async () => {
      const jobs = await get(`${copy}/pipelines/${await copied()}/jobs`);
      const expected = earlier.map((job) => ({ ...keep(job), ...(job.name === 'publish' && { status: 'skipped' }) }));
      assert.equal(expected.length, 3);
      assert.deepEqual(jobs.map(keep), expected);
      assert.deepEqual(
        jobs.map(({ name, archived, failure_reason }: Entity) => [name, archived, failure_reason]).sort(),
        [
          ['compile', true, undefined],
          ['lint', true, 'script_failure'],
          ['publish', true, undefined],
        ],
      );
      const [bridge] = await get(`${copy}/pipelines/${await copied()}/bridges`);
      assert.deepEqual([bridge.name, bridge.status, bridge.downstream_pipeline], ['follow', 'success', null]);
      const statuses = await get(`${copy}/repository/commits/${sha}/statuses`);
      const outside = statuses.find(({ name }: Entity) => name === 'outside');
      assert.deepEqual([outside.status, outside.target_url], ['success', 'https://1.1.1.1/7']);
    });

    it('cannot run again', async () => {
      const pipeline = await copied();
      const jobs: Entity[] = await get(`${copy}/pipelines/${pipeline}/jobs`);
      for (const { id } of jobs) {
        assert.equal((await ask(`POST /projects/${copy}/jobs/${id}/retry`)).status, 403);
        assert.equal((await ask(`POST /projects/${copy}/jobs/${id}/play`)).status, 403);
        assert.equal((await ask(`GET /projects/${copy}/jobs/${id}`)).status, 200);
        assert.equal((await ask(`GET /projects/${copy}/jobs/${id}/trace`)).text, '');
      }
      const again = await ask(`POST /projects/${copy}/pipelines/${pipeline}/retry`);
      assert.deepEqual([again.status, again.body.status], [201, 'success']);
      assert.deepEqual(await get(`${copy}/pipelines/${pipeline}/jobs?include_retried=true`), jobs);
    });

    it('survive another export', async () => {
      const next = await importedFrom(server, owner, await exportedFile(server, owner, copy), {
        path: 'next',
        namespace: owner.user.username,
      });
      const [pipeline] = await get(`${next.id}/pipelines?source=push`);
      const [first, second] = [
        await get(`${copy}/pipelines/${await copied()}/jobs`),
        await get(`${next.id}/pipelines/${pipeline.id}/jobs`),
      ];
      assert.deepEqual(second.map(keep), first.map(keep));
    });

    it('are read from files of other servers, as far as they are valid', async () => {
      const job = (fields: object) => ({
        type: 'Ci::Build',
        status: 'success',
        created_at: '2024-01-02T03:04:05Z',
        ...fields,
      });
      const pipeline = {
        ...{ iid: 9, sha: 'a'.repeat(40), ref: 'main', status: 'failed', source: 'push' },
        stages: [
          {
            name: 'test',
            position: 2,
            statuses: [
              job({
                name: 'old style',
                failure_reason: 'no such reason',
                when: 'never',
                coverage: -1,
                options: { script: ['x'] },
              }),
              job({ name: 'still running', status: 'running', user_id: 5, tag_list: ['a', 7] }),
              job({ name: '' }),
              job({ name: 'n'.repeat(300), status: 'manual' }),
              { type: 'GenericCommitStatus', name: 'link', status: 'pending', target_url: 'javascript:alert(1)' },
              'not a job',
            ],
          },
          { name: null, builds: [job({ name: 'first' })], bridges: 7 },
          null,
        ],
      };
      const many = {
        ...pipeline,
        iid: 10,
        stages: [{ name: 'all', builds: Array.from({ length: 4000 }, (_, at) => job({ name: `${at}` })) }],
      };
      many.stages.push({ name: 'more', builds: many.stages[0]?.builds ?? [] });
      const bytes = await fileOf({
        './VERSION': '0.2.4',
        './tree/project.json': '{}',
        './tree/project/ci_pipelines.ndjson': `${JSON.stringify(pipeline)}\n${JSON.stringify(many)}\n`,
      });
      const { id, failed } = await importedFrom(server, owner, bytes, {
        path: 'other',
        namespace: owner.user.username,
      });
      assert.deepEqual(failed, []);
      const [large, small] = await get(`${id}/pipelines`);
      const jobs: Entity[] = await get(`${id}/pipelines/${small.id}/jobs`);
      assert.deepEqual(
        jobs
          .map(({ name, stage, status, tag_list, coverage }) => [name.slice(0, 20), stage, status, tag_list, coverage])
          .sort(),
        [
          ['first', '', 'success', [], null],
          ['n'.repeat(20), 'test', 'skipped', [], null],
          ['old style', 'test', 'success', [], null],
          ['still running', 'test', 'canceled', ['a'], null],
        ],
      );
      const [status, none] = await server.db.read
        .selectFrom('commit_statuses')
        .select(['name', 'status', 'target_url'])
        .where('pipeline_id', '=', small.id)
        .execute();
      assert.deepEqual([status, none], [{ name: 'link', status: 'canceled', target_url: null }, undefined]);
      const query = server.db.read.selectFrom('ci_jobs').where('pipeline_id', '=', large.id);
      const { total } = await query.select((eb) => eb.fn.countAll().as('total')).executeTakeFirstOrThrow();
      assert.equal(Number(total), 5000);
    });
  });
});
