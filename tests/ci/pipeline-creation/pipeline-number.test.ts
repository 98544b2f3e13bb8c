import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { atOnce, inRounds } from '../../support/at-once.ts';
import { forEachEngine } from '../../support/engines.ts';
import { GitClient } from '../../support/git-client.ts';
import { type ProjectWithRoles, projectWithRoles } from '../../support/project-with-roles.ts';

/** The number is asked for by name, by rules, by an environment; the workflow is asked before there is one. */
const config = `
workflow:
  name: "run $CI_PIPELINE_IID"
  rules: [{if: '$CI_PIPELINE_IID', when: never}, {if: '$NONE != "yes"'}]
all:
  script: make
  rules: [{if: '$EMPTY != "yes"'}]
  environment: {name: "site/$CI_PIPELINE_IID"}
odd: {script: make, rules: [{if: '$EMPTY != "yes" && $CI_PIPELINE_IID =~ /[13579]$/'}]}
even: {script: make, rules: [{if: '$EMPTY != "yes" && $CI_PIPELINE_IID =~ /[02468]$/'}]}
`;

forEachEngine((engine) => {
  describe('the number of a pipeline in its configuration', () => {
    let place: ProjectWithRoles;

    before(async () => {
      const source = new GitClient();
      await source.init();
      await source.commit({ '.gitlab-ci.yml': config }, 'root');
      place = await projectWithRoles(engine, 'numbered', source);
    });

    const start = (key?: string) =>
      place.asOwner(`POST ${place.base}/pipeline`, {
        json: { ref: 'main', ...(key && { variables: [{ key, value: 'yes' }] }) },
      });
    const namesOf = async (id: number) => {
      const rows = await place.server.db.read
        .selectFrom('ci_jobs')
        .select(['name', 'options'])
        .where('pipeline_id', '=', id)
        .orderBy('name')
        .execute();
      const [all] = rows;
      return { names: rows.map(({ name }) => name), environment: JSON.parse(all?.options ?? '{}').environment.name };
    };
    const isRight = async ({ id, iid }: { id: number; iid: number }) => {
      const { body } = await place.asOwner(`GET ${place.base}/pipelines/${id}`);
      assert.equal(body.name, `run ${iid}`);
      const expected = iid % 2 === 0 ? ['all', 'even'] : ['all', 'odd'];
      assert.deepEqual(await namesOf(id), { names: expected, environment: `site/${iid}` });
    };

    it('is that which it gets, and none is lost with what the rules filter out', async () => {
      const first = await start();
      assert.equal(first.status, 201, JSON.stringify(first.body));
      await isRight(first.body);
      for (const key of ['NONE', 'EMPTY']) assert.equal((await start(key)).status, 400, key);
      const second = (await start()).body;
      assert.equal(second.iid, first.body.iid + 1);
      await isRight(second);
    });

    it('is foretold where the configuration is only looked at', async () => {
      const { base, asOwner } = place;
      const upcoming = (await start()).body.iid + 1;
      const json = { content: config, dry_run: true, include_jobs: true };
      const { body } = await asOwner(`POST ${base}/ci/lint`, { json });
      assert.deepEqual(
        body.jobs.map(({ name }: { name: string }) => name).sort(),
        upcoming % 2 === 0 ? ['all', 'even'] : ['all', 'odd'],
      );
      assert.equal((await start()).body.iid, upcoming);
    });

    it('is each one’s own where several begin at once', async () => {
      const seen: number[] = [(await start()).body.iid];
      await inRounds(async () => {
        const made = await atOnce(6, (index) => start(index % 3 === 2 ? 'EMPTY' : undefined));
        const pipelines = made.filter(({ status }) => status === 201).map(({ body }) => body);
        assert.equal(pipelines.length, 4);
        for (const pipeline of pipelines) await isRight(pipeline);
        seen.push(...pipelines.map(({ iid }) => iid).sort((one, other) => one - other));
      });
      assert.deepEqual(
        seen,
        seen.map((_, at) => (seen[0] ?? 0) + at),
      );
    });
  });
});
