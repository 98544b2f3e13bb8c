import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { atOnce, inRounds } from '../../support/at-once.ts';
import { forEachEngine } from '../../support/engines.ts';
import { GitClient } from '../../support/git-client.ts';
import { type ProjectWithRoles, projectWithRoles } from '../../support/project-with-roles.ts';

/** The IID is used in the pipeline name, in rules and in an environment. It is not available in workflow rules. */
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
  describe('CI_PIPELINE_IID in the configuration', () => {
    let fixture: ProjectWithRoles;

    before(async () => {
      const source = new GitClient();
      await source.init();
      await source.commit({ '.gitlab-ci.yml': config }, 'root');
      fixture = await projectWithRoles(engine, 'numbered', source);
    });

    const start = (key?: string) =>
      fixture.asOwner(`POST ${fixture.base}/pipeline`, {
        json: { ref: 'main', ...(key && { variables: [{ key, value: 'yes' }] }) },
      });
    const namesOf = async (id: number) => {
      const rows = await fixture.server.db.read
        .selectFrom('ci_jobs')
        .select(['name', 'options'])
        .where('pipeline_id', '=', id)
        .orderBy('name')
        .execute();
      const [all] = rows;
      return { names: rows.map(({ name }) => name), environment: JSON.parse(all?.options ?? '{}').environment.name };
    };
    const assertUsesIid = async ({ id, iid }: { id: number; iid: number }) => {
      const { body } = await fixture.asOwner(`GET ${fixture.base}/pipelines/${id}`);
      assert.equal(body.name, `run ${iid}`);
      const expected = iid % 2 === 0 ? ['all', 'even'] : ['all', 'odd'];
      assert.deepEqual(await namesOf(id), { names: expected, environment: `site/${iid}` });
    };

    it('matches the created pipeline and is not consumed by filtered pipelines', async () => {
      const first = await start();
      assert.equal(first.status, 201, JSON.stringify(first.body));
      await assertUsesIid(first.body);
      for (const key of ['NONE', 'EMPTY']) assert.equal((await start(key)).status, 400, key);
      const second = (await start()).body;
      assert.equal(second.iid, first.body.iid + 1);
      await assertUsesIid(second);
    });

    it('is predicted by CI lint', async () => {
      const { base, asOwner } = fixture;
      const nextIid = (await start()).body.iid + 1;
      const json = { content: config, dry_run: true, include_jobs: true };
      const { body } = await asOwner(`POST ${base}/ci/lint`, { json });
      assert.deepEqual(
        body.jobs.map(({ name }: { name: string }) => name).sort(),
        nextIid % 2 === 0 ? ['all', 'even'] : ['all', 'odd'],
      );
      assert.equal((await start()).body.iid, nextIid);
    });

    it('is unique for pipelines created concurrently', async () => {
      const iids: number[] = [(await start()).body.iid];
      await inRounds(async () => {
        const answers = await atOnce(6, (index) => start(index % 3 === 2 ? 'EMPTY' : undefined));
        const pipelines = answers.filter(({ status }) => status === 201).map(({ body }) => body);
        assert.equal(pipelines.length, 4);
        for (const pipeline of pipelines) await assertUsesIid(pipeline);
        iids.push(...pipelines.map(({ iid }) => iid).sort((one, other) => one - other));
      });
      assert.deepEqual(
        iids,
        iids.map((_, at) => (iids[0] ?? 0) + at),
      );
    });
  });
});
