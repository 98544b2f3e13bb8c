import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { Project } from '../../../src/access/tables.ts';
import { coverageBadge, pipelineBadge, releaseBadge, renderBadge } from '../../../src/ci/badges/svg.ts';
import { forEachEngine } from '../../support/engines.ts';
import { GitClient } from '../../support/git-client.ts';
import { addFilledProject } from '../../support/git-project.ts';
import { addPerson, type Person } from '../../support/scene.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

describe('badge SVG', () => {
  it('escapes texts', () => {
    const svg = renderBadge({ key: '<script>', value: '"&\'', colour: '#fff' }, 'flat', 80);
    assert.ok(!svg.includes('<script>'));
    assert.match(svg, /&#60;script&#62;/);
  });

  it('has a text and a colour for each value', () => {
    assert.equal(pipelineBadge('success').value, 'passed');
    assert.equal(pipelineBadge(undefined).value, 'unknown');
    assert.deepEqual(coverageBadge(96), { value: '96.00%', colour: '#4c1' });
    assert.equal(coverageBadge(null).value, 'unknown');
    assert.equal(releaseBadge(undefined).value, 'none');
  });
});

forEachEngine((engine) => {
  describe('badges', () => {
    let server: TestServer;
    let owner: Person;
    let open: Project;
    let closed: Project;
    const get = async (project: Project, rest: string, token?: string) => {
      const headers = token === undefined ? {} : { 'private-token': token };
      const answer = await fetch(`${server.url}/${owner.user.username}/${project.path}/${rest}`, { headers });
      return { status: answer.status, type: answer.headers.get('content-type'), text: await answer.text() };
    };

    before(async () => {
      server = await startTestServer(engine);
      owner = await addPerson(server, 'owner');
      const source = new GitClient();
      await source.init();
      await source.commit({ '.gitlab-ci.yml': 'build: {script: make}\n' }, 'root');
      open = await addFilledProject(server, owner, 'open', source, 'public');
      closed = await addFilledProject(server, owner, 'closed', source);
      await server.running.services.queue.drain();
      await server.db.write((trx) => trx.updateTable('pipelines').set({ status: 'success', coverage: 92.5 }).execute());
    });

    it('show the latest pipeline, its coverage and the latest release', async () => {
      const pipeline = await get(open, 'badges/main/pipeline.svg');
      assert.deepEqual([pipeline.status, pipeline.type], [200, 'image/svg+xml']);
      assert.match(pipeline.text, />passed</);
      assert.match((await get(open, 'badges/main/coverage.svg?key_text=tests')).text, /tests: 92\.50%/);
      assert.match((await get(open, 'badges/none/pipeline.svg')).text, />unknown</);
      assert.match((await get(open, 'badges/feature%2Fx/pipeline.svg')).text, />unknown</);
      assert.match((await get(open, '-/badges/release.svg')).text, />none</);
    });

    it('require read access to the project', async () => {
      assert.equal((await get(closed, 'badges/main/pipeline.svg')).status, 404);
      assert.equal((await get(closed, 'badges/main/pipeline.svg', owner.token)).status, 200);
    });
  });
});
