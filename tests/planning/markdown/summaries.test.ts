import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { addUser } from '../../support/cast.ts';
import { forEachEngine } from '../../support/engines.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

forEachEngine((engine) => {
  describe('references with a summary', () => {
    let server: TestServer;
    let at: string;
    let people: Awaited<ReturnType<typeof addUser>>[];
    /** Texts of the links in the rendered text. */
    const links = async (text: string, token?: string) => {
      const { html } = await server.must('POST /markdown', {
        json: { text, gfm: true, project: 'root/sums' },
        ...(token && { token }),
      });
      return [...html.matchAll(/<a [^>]*>([^<]*)<\/a>/g)].map(([, shown]) => shown);
    };

    before(async () => {
      server = await startTestServer(engine);
      const project = await server.must('POST /projects', {
        json: { name: 'sums', visibility: 'public', initialize_with_readme: true },
      });
      at = `/projects/${project.id}`;
      people = await Promise.all(['ann', 'bob', 'cid'].map((name) => addUser(server, name)));
      for (const { id } of people) {
        await server.must(`POST ${at}/members`, { json: { user_id: id, access_level: 30 } });
      }
      const { id: milestone_id } = await server.must(`POST ${at}/milestones`, { json: { title: 'v1 <b>' } });
      const assignee_ids = people.map(({ id }) => id);
      await server.must(`POST ${at}/issues`, { json: { title: 'Planned', milestone_id, assignee_ids } });
      await server.must(`POST ${at}/issues`, { json: { title: 'Bare' } });
      await server.must(`POST ${at}/issues`, { json: { title: 'Hidden', milestone_id, confidential: true } });
      await server.must(`POST ${at}/repository/branches?branch=b&ref=main`);
      await server.must(`POST ${at}/repository/files/f`, { json: { branch: 'b', content: 'f', commit_message: 'f' } });
      const request = { title: 'Merge', source_branch: 'b', target_branch: 'main', milestone_id };
      await server.must(`POST ${at}/merge_requests`, { json: { ...request, assignee_ids: assignee_ids.slice(0, 1) } });
    });

    it('show assignees, milestone and health', async () => {
      const [first, second] = (await server.must(`GET ${at}/issues/1`)).assignees;
      const named = `${first.name}, ${second.name}+`;
      const health = { body: '/health_status on_track' };
      await server.must(`POST ${at}/issues/1/notes`, { json: health });
      assert.deepEqual(await links('#1 #1+ #1+s #2+s'), [
        '#1',
        'Planned (#1)',
        `Planned (#1) • ${named} • v1 &lt;b&gt; • On track`,
        'Bare (#2) • Unassigned',
      ]);
      const [only] = (await server.must(`GET ${at}/merge_requests/1`)).assignees;
      const url = `${server.url}/root/sums/-/merge_requests/1+s`;
      const summed = `Merge (!1) • ${only.name} • v1 &lt;b&gt;`;
      assert.deepEqual(await links(`!1+ !1+s ${url}`), ['Merge (!1)', summed, summed]);
    });

    it('are hidden from users without access', async () => {
      const stranger = await addUser(server, 'stranger');
      assert.deepEqual(await links('#3+s #2+s', stranger.token), ['Bare (#2) • Unassigned']);
    });
  });
});
