import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { readPushOptions } from '../../../src/ci/pipeline-creation/push-options.ts';
import { forEachEngine } from '../../support/engines.ts';
import { GitClient, withCredentials } from '../../support/git-client.ts';
import { type ProjectWithRoles, projectWithRoles } from '../../support/project-with-roles.ts';
import type { Person } from '../../support/scene.ts';

describe('push option parser', () => {
  const cases: [option: string, variables: [string, string][], inputs: Record<string, string>][] = [
    ['ci.variable=A=1', [['A', '1']], {}],
    ['ci.variable="A=b=c"', [['A', 'b=c']], {}],
    ['ci.variable=A="b"', [['A', '"b"']], {}],
    ['ci.variable=A=', [['A', '']], {}],
    ['ci.variable=A-B=1', [], {}],
    ['ci.variable=A', [], {}],
    ['ci.input=level=10', [], { level: '10' }],
    ['ci.input="some-name=a=b"', [], { 'some-name': 'a=b' }],
    ['ci.input=names=["a", "b"]', [], { names: '["a", "b"]' }],
    ['ci.input==1', [], {}],
    ['ci.input', [], {}],
  ];
  for (const [option, variables, inputs] of cases) {
    it(option, () => {
      const read = readPushOptions([option]);
      assert.deepEqual(
        read.variables.map(({ key, value }) => [key, value]),
        variables,
      );
      assert.deepEqual(read.inputs, inputs);
    });
  }
});

const config = `
spec:
  inputs:
    who: {default: nobody}
    level: {type: number, default: 1}
    loud: {type: boolean, default: false}
---
"for $[[ inputs.who ]] at $[[ inputs.level ]] $[[ inputs.loud ]]": {script: make}
`;

forEachEngine((engine) => {
  describe('pipelines of pushes with options', () => {
    let fixture: ProjectWithRoles;
    const source = new GitClient();
    let number = 0;

    before(async () => {
      await source.init();
      await source.commit({ '.gitlab-ci.yml': config }, 'root');
      fixture = await projectWithRoles(engine, 'optional', source);
    });

    /** Pushes a new branch with options. Returns the output of git and the created pipelines. */
    const push = async (person: Person, ...options: string[]) => {
      number += 1;
      const branch = `branch-${number}`;
      await source.git('checkout', '-q', '-b', branch, 'main');
      await source.commit({ a: branch }, branch);
      const { server, project, base, asOwner } = fixture;
      const path = `${fixture.owner.user.username}/${project.path}`;
      const url = withCredentials(server.url, path, person.user.username, person.token);
      const flags = options.flatMap((option) => ['-o', option]);
      const { code, stderr } = await source.run('push', ...flags, url, branch);
      assert.equal(code, 0, stderr);
      await server.running.services.queue.drain();
      const { body } = await asOwner(`GET ${base}/pipelines?ref=${branch}`);
      return { output: stderr, pipelines: body as { id: number; status: string }[] };
    };
    const jobsOf = async (pipelines: readonly { id: number }[]) =>
      (await fixture.asOwner(`GET ${fixture.base}/pipelines/${pipelines[0]?.id}/jobs`)).body.map(
        (job: { name: string }) => job.name,
      );

    it('get inputs converted to their types', async () => {
      const plain = await push(fixture.developer);
      assert.deepEqual(await jobsOf(plain.pipelines), ['for nobody at 1 false']);
      const withInputs = await push(fixture.developer, 'ci.input=who=10', 'ci.input="level=7"', 'ci.input=loud=true');
      assert.deepEqual(await jobsOf(withInputs.pipelines), ['for 10 at 7 true']);
    });

    it('fail with undeclared or mistyped inputs', async () => {
      for (const [option, text] of [
        ['ci.input=other=1', /unknown input arguments: other/],
        ['ci.input=level=high', /`level` input: provided value is not a number/],
      ] as const) {
        const { pipelines } = await push(fixture.developer, option);
        const { body } = await fixture.asOwner(`GET ${fixture.base}/pipelines/${pipelines[0]?.id}`);
        assert.equal(body.status, 'failed', option);
        assert.match(body.yaml_errors, text);
      }
    });

    it('are not created with too many inputs', async () => {
      const many = Array.from({ length: 21 }, (_, index) => `ci.input=name${index}=1`);
      const { output, pipelines } = await push(fixture.developer, ...many);
      assert.deepEqual(pipelines, []);
      assert.match(output, /Error encountered with push options .*: There cannot be more than 20 inputs/);
    });

    it('get variables only from users who may set them', async () => {
      const { developer, owner, base, asOwner } = fixture;
      const variables = async (pipelines: readonly { id: number }[]) =>
        (await asOwner(`GET ${base}/pipelines/${pipelines[0]?.id}/variables`)).body.map(
          ({ key, value }: { key: string; value: string }) => `${key}=${value}`,
        );
      const setting = (role: string) =>
        asOwner(`PUT ${base}`, { json: { ci_pipeline_variables_minimum_override_role: role } });
      assert.equal((await setting('maintainer')).status, 200);
      const refused = await push(developer, 'ci.variable=TARGET=production');
      assert.deepEqual(refused.pipelines, []);
      assert.match(
        refused.output,
        /push options 'ci.variable=TARGET=production': Insufficient permissions to set pipeline/,
      );
      assert.equal((await push(developer, 'ci.input=who=me')).pipelines.length, 1);
      assert.deepEqual(await variables((await push(owner, 'ci.variable=TARGET=test')).pipelines), ['TARGET=test']);
      await setting('no_one_allowed');
      assert.deepEqual((await push(owner, 'ci.variable=TARGET=test')).pipelines, []);
      await setting('developer');
      assert.deepEqual(await variables((await push(developer, 'ci.variable=TARGET=test')).pipelines), ['TARGET=test']);
    });
  });
});
