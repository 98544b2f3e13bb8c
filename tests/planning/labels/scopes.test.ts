import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { forEachEngine } from '../../support/engines.ts';
import { addPerson, type Person } from '../../support/scene.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

forEachEngine((engine) => {
  describe('label scopes', () => {
    let server: TestServer;
    let owner: Person;
    let project: string;

    const must = (call: string, json?: object) => server.must(call, { token: owner.token, ...(json && { json }) });
    const carried = [[], ['size::1'], ['size::2', 'bug'], ['sizes'], ['size::2', 'team::a::b'], ['size']];

    before(async () => {
      server = await startTestServer(engine);
      owner = await addPerson(server, 'owner');
      await must('POST /groups', { name: 'Scopes', path: 'scopes' });
      await must('POST /groups/scopes/labels', { name: 'size::2', color: '#ff0000' });
      const namespace_id = (await must('GET /groups/scopes')).id;
      const { id } = await must('POST /projects', { name: 'p', namespace_id, initialize_with_readme: true });
      project = `projects/${id}`;
      for (const [at, labels] of carried.entries()) {
        const title = String(at);
        await must(`POST /${project}/issues`, { title, labels });
        await must('POST /groups/scopes/epics', { title, labels });
        await must(`POST /${project}/repository/branches?branch=b${at}&ref=main`);
        await must(`POST /${project}/merge_requests`, {
          title,
          labels,
          source_branch: `b${at}`,
          target_branch: 'main',
        });
      }
    });

    for (const [query, expected] of [
      ['labels=size::*', ['1', '2', '4']],
      ['labels=size::*,bug', ['2']],
      ['labels[]=team::*&labels[]=size::*', ['4']],
      ['labels=team::a::*', ['4']],
      ['labels=siz::*', []],
      ['not[labels]=size::*', ['0', '3', '5']],
      ['labels=size::2&not[labels]=team::*', ['2']],
      ['labels=size::*&state=closed', []],
      ['labels=size::*&search=2&in=title', ['2']],
    ] as const) {
      it(`filter lists by ${query}`, async () => {
        for (const list of [
          `${project}/issues`,
          'groups/scopes/issues',
          'issues',
          `${project}/merge_requests`,
          'groups/scopes/merge_requests',
          'merge_requests',
          'groups/scopes/epics',
        ]) {
          const rows = await must(`GET /${list}?${query}`);
          const titles = rows.map(({ title }: { title: string }) => title).sort();
          assert.deepEqual(titles, expected, list);
        }
      });
    }

    it('filter statistics', async () => {
      const { statistics } = await must(`GET /${project}/issues_statistics?labels=size::*`);
      assert.deepEqual(statistics.counts, { all: 3, closed: 0, opened: 3 });
    });
  });
});
