import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { Project } from '../../../src/access/tables.ts';
import { forEachEngine } from '../../support/engines.ts';
import { GitClient } from '../../support/git-client.ts';
import { addFilledProject } from '../../support/git-project.ts';
import { addPerson, type Person } from '../../support/scene.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

const source = new GitClient();
const people: [name: string, email: string][] = [
  ['Zoe', 'zoe@example.com'],
  ['adam', 'B@example.com'],
  ['Zoe', 'zoe@example.com'],
  ['Mona', 'a@example.com'],
  ['Zoe B', 'zoe@example.com'],
];

before(async () => {
  await source.init();
  for (const [i, [name, email]] of people.entries()) {
    Object.assign(source.env, { GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: email });
    Object.assign(source.env, { GIT_COMMITTER_DATE: `${1_600_000_000 + i} +0000` });
    await source.commit({ 'a.txt': `${i}` }, `${i}`);
  }
});

forEachEngine((engine) => {
  describe('contributors', () => {
    let server: TestServer;
    let owner: Person;
    let project: Project;

    before(async () => {
      server = await startTestServer(engine);
      owner = await addPerson(server, 'owner');
      project = await addFilledProject(server, owner, 'contributors', source, 'public');
    });

    const list = (query = '') =>
      server.api(`GET /projects/${project.id}/repository/contributors?${query}`, { token: null });
    const emails = async (query: string) => (await list(query)).body.map((one: { email: string }) => one.email);

    it('are grouped by e-mail address with the latest name', async () => {
      const answer = await list();
      assert.deepEqual(answer.body, [
        { name: 'Zoe B', email: 'zoe@example.com', commits: 3, additions: 0, deletions: 0 },
        { name: 'Mona', email: 'a@example.com', commits: 1, additions: 0, deletions: 0 },
        { name: 'adam', email: 'B@example.com', commits: 1, additions: 0, deletions: 0 },
      ]);
      assert.equal(answer.headers.get('x-total'), '3');
    });

    it('are sorted as requested', async () => {
      const [zoe, mona, adam] = ['zoe@example.com', 'a@example.com', 'B@example.com'];
      assert.deepEqual(await emails('order_by=name'), [adam, mona, zoe]);
      assert.deepEqual(await emails('order_by=email'), [mona, adam, zoe]);
      assert.deepEqual(await emails('order_by=commits&sort=desc'), [zoe, adam, mona]);
      assert.deepEqual(await emails('order_by=name&sort=desc&per_page=1&page=2'), [mona]);
      assert.deepEqual(await emails('ref=main~3'), [adam, zoe]);
      assert.equal((await list('order_by=x')).status, 400);
      assert.deepEqual((await list('ref=none')).body, { message: '404 Not Found' });
    });
  });
});
