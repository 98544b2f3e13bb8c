import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { forEachEngine } from '../support/engines.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const several = 4;

forEachEngine((engine) => {
  describe('a page takes as many queries as one with a single row:', () => {
    let server: TestServer;
    let group: { id: number };
    let project: { id: number };
    let epic: { id: number; iid: number };
    let milestone: { id: number };

    before(async () => {
      server = await startTestServer(engine);
      group = await server.must('POST /groups', { json: { name: 'Top', path: 'top' } });
      project = await server.must('POST /projects', { json: { name: 'It', namespace_id: group.id } });
      milestone = await server.must(`POST /projects/${project.id}/milestones`, { json: { title: 'all of them' } });
      epic = await server.must(`POST /groups/${group.id}/epics`, { json: { title: 'all of them' } });
      const label = await server.must(`POST /groups/${group.id}/labels`, { json: { name: 'red', color: '#f00' } });
      for (let n = 0; n < several; n++) {
        const file = { content: 'x', file_name: `f${n}`, visibility: 'public' };
        await server.must('POST /snippets', { json: { title: `s${n}`, ...file } });
        await server.must(`POST /projects/${project.id}/snippets`, { json: { title: `p${n}`, ...file } });
        await server.must(`POST /projects/${project.id}/milestones`, { json: { title: `m${n}` } });
        await server.must(`POST /groups/${group.id}/milestones`, { json: { title: `g${n}` } });
        await server.must(`POST /groups/${group.id}/epics`, { json: { title: `e${n}`, labels: 'red,blue' } });
        const board = await server.must(`POST /projects/${project.id}/boards`, { json: { name: `b${n}` } });
        await server.must(`POST /projects/${project.id}/boards/${board.id}/lists`, { json: { label_id: label.id } });
        const wanted = { title: `i${n}`, milestone_id: milestone.id, epic_id: epic.id, labels: 'red' };
        await server.must(`POST /projects/${project.id}/issues`, { json: wanted });
      }
      const cadence = { title: 'c', start_date: '2026-01-05', duration_in_weeks: 4 };
      await server.must(`POST /groups/${group.id}/iteration_cadences`, { json: cadence });
    });

    async function queriesOf(call: string): Promise<{ rows: number; queries: number }> {
      let rows = 0;
      const queries = await server.queriesOf(async () => {
        rows = (await server.must(call)).length;
      });
      return { rows, queries };
    }

    const lists: [string, () => string][] = [
      ['own snippets', () => '/snippets?'],
      ['all snippets', () => '/snippets/all?'],
      ['snippets of a project', () => `/projects/${project.id}/snippets?`],
      ['milestones of a project', () => `/projects/${project.id}/milestones?include_ancestors=true&`],
      ['milestones of a group', () => `/groups/${group.id}/milestones?include_descendants=true&`],
      ['issues of a milestone', () => `/projects/${project.id}/milestones/${milestone.id}/issues?`],
      ['epics', () => `/groups/${group.id}/epics?`],
      ['issues of an epic', () => `/groups/${group.id}/epics/${epic.iid}/issues?`],
      ['boards', () => `/projects/${project.id}/boards?`],
      ['iterations', () => `/groups/${group.id}/iterations?`],
    ];
    for (const [name, path] of lists) {
      it(name, async () => {
        // Runs each request a second time, because the first one fills caches.
        await queriesOf(`GET ${path()}per_page=2&page=2`);
        const few = await queriesOf(`GET ${path()}per_page=1&page=1`);
        const more = await queriesOf(`GET ${path()}per_page=3&page=1`);
        assert.deepEqual([few.rows, more.rows], [1, 3]);
        assert.equal(more.queries, few.queries);
      });
    }
  });
});
