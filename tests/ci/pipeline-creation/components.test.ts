import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { Project } from '../../../src/access/tables.ts';
import { newestVersion } from '../../../src/ci/pipeline-creation/component-version.ts';
import { forEachEngine } from '../../support/engines.ts';
import { GitClient } from '../../support/git-client.ts';
import { addFilledProject } from '../../support/git-project.ts';
import { addPerson, addProject, type Person } from '../../support/scene.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

const released = ['1.0.0', '1.2.0', '1.10.1', '2.0.0-rc.1', 'v0.9.0', 'nightly'];

describe('component version', () => {
  for (const [requested, expected] of [
    ['~latest', '1.10.1'],
    ['1', '1.10.1'],
    ['1.2', '1.2.0'],
    ['0', 'v0.9.0'],
    ['2', undefined],
    ['1.2.0', undefined],
    ['main', undefined],
  ] as const) {
    it(`${requested} is ${expected ?? 'none'}`, () => assert.equal(newestVersion(requested, released), expected));
  }
});

const component = (output: string) => `
spec:
  inputs:
    stage: {default: test}
---
"$[[ component.name ]]-$[[ inputs.stage ]]":
  stage: $[[ inputs.stage ]]
  script: echo ${output} $[[ component.version ]] $[[ component.reference ]] $[[ component.sha ]]
`;

forEachEngine((engine) => {
  describe('includes of components and templates', () => {
    let server: TestServer;
    let owner: Person;
    let stranger: Person;
    let user: Project;
    let foreign: Project;
    let shas: Record<string, string>;
    let parts: string;

    const lint = async (content: string, person = owner, project = user) => {
      const json = { content, include_jobs: true };
      return server.must(`POST /projects/${project.id}/ci/lint`, { token: person.token, json });
    };
    const scripts = async (include: string) => {
      const { errors, jobs } = await lint(`include: [${include}]`);
      return errors.length > 0
        ? errors
        : jobs.map(({ name, script }: { name: string; script: string }) => [name, script]);
    };

    before(async () => {
      server = await startTestServer(engine);
      owner = await addPerson(server, 'owner');
      stranger = await addPerson(server, 'stranger');
      user = await addProject(server, owner, 'user');
      foreign = await addProject(server, stranger, 'foreign');
      const source = new GitClient();
      await source.init();
      shas = {};
      for (const tag of ['1.0.0', '1.1.0']) {
        shas[tag] = await source.commit({ 'templates/build.yml': component(tag) }, tag);
        await source.git('tag', tag);
      }
      shas.main = await source.commit(
        {
          'templates/build.yml': component('main'),
          'templates/deep/template.yml': 'include: {local: more.yml}\ndeep: {script: deep}\n',
          'more.yml': 'more: {script: more}\n',
        },
        'more',
      );
      const project = await addFilledProject(server, owner, 'parts', source);
      await server.running.services.queue.drain();
      for (const tag_name of ['1.0.0', '1.1.0']) {
        const json = { tag_name, description: 'a version' };
        await server.must(`POST /projects/${project.id}/releases`, { token: owner.token, json });
      }
      parts = `${owner.user.username}/parts`;
    });

    it('resolve a component in the requested version', async () => {
      const host = '$CI_SERVER_FQDN';
      for (const [reference, version, output] of [
        ['1.0.0', '1.0.0', '1.0.0'],
        ['1', '1.1.0', '1.1.0'],
        ['~latest', '1.1.0', '1.1.0'],
        ['main', 'main', 'main'],
      ] as const) {
        assert.deepEqual(await scripts(`{component: ${host}/${parts}/build@${reference}, inputs: {stage: build}}`), [
          ['build-build', [`echo ${output} ${version} ${reference} ${shas[output]}`]],
        ]);
      }
      const bySha = await scripts(`{component: ${host}/${parts}/build@${shas['1.0.0']}}`);
      assert.deepEqual(bySha, [['build-test', [`echo 1.0.0 ${shas['1.0.0']} ${shas['1.0.0']} ${shas['1.0.0']}`]]]);
      const deep = await scripts(`{component: ${host}/${parts}/deep@main}`);
      assert.deepEqual(deep.toSorted(), [
        ['deep', ['deep']],
        ['more', ['more']],
      ]);
    });

    it('reject components of other hosts, inaccessible projects and missing files', async () => {
      const { host } = new URL(server.url);
      for (const address of [
        `elsewhere.example/${parts}/build@main`,
        `${host}/${parts}/build`,
        `${host}/${parts}/build@7`,
        `${host}/${parts}/none@main`,
        `${host}/${parts}/../more@main`,
        `${host}/nobody/at-all/build@main`,
      ]) {
        assert.deepEqual(await scripts(`{component: ${address}}`), [`Component '${address}' - content not found`]);
      }
      const address = `${host}/${parts}/build@main`;
      const { errors } = await lint(`include: [{component: ${address}}]`, stranger, foreign);
      assert.deepEqual(errors, [`Component '${address}' - content not found`]);
    });

    it('resolve templates of the instance', async () => {
      const { errors, merged_yaml } = await lint(
        'include: [{template: Nodejs.gitlab-ci.yml}, {template: Workflows/MergeRequest-Pipelines.gitlab-ci.yml}]',
      );
      assert.deepEqual(errors, []);
      assert.match(merged_yaml, /\$CI_MERGE_REQUEST_IID/);
      assert.match(merged_yaml, /npm/);
      const [missing] = await scripts('{template: Jobs/SAST.gitlab-ci.yml}');
      assert.match(missing, /`Jobs\/SAST\.gitlab-ci\.yml` is empty or does not exist! This instance has the templates/);
    });
  });
});
