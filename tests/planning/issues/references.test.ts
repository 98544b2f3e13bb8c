import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { addUser } from '../../support/cast.ts';
import { forEachEngine } from '../../support/engines.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

forEachEngine((engine) => {
  describe('issue references', () => {
    let server: TestServer;
    let stranger: { token: string };

    before(async () => {
      server = await startTestServer(engine);
      stranger = await addUser(server, 'stranger');
      const group = await server.must('POST /groups', { json: { name: 'grp', path: 'grp', visibility: 'public' } });
      const make = (path: string, visibility: string) =>
        server.must('POST /projects', { json: { name: path, path, namespace_id: group.id, visibility } });
      const [open, closed] = [await make('open', 'public'), await make('closed', 'private')];
      const write = (project: { id: number }, json: object) =>
        server.must(`POST /projects/${project.id}/issues`, { json });
      await write(open, { title: 'First <one>' });
      await write(open, { title: 'Secret', confidential: true });
      await write(open, { title: 'Done' });
      await server.must(`PUT /projects/${open.id}/issues/3`, { json: { state_event: 'close' } });
      await write(closed, { title: 'Hidden' });
    });

    const linksOf = async (text: string, project: string | undefined, token?: string) => {
      const { html } = await server.must('POST /markdown', {
        json: { text, gfm: true, project },
        ...(token && { token }),
      });
      return [...html.matchAll(/<a href="([^"]*)"[^>]*title="([^"]*)"[^>]*>([^<]*)</g)].map(([, ...parts]) => parts);
    };

    const text = () => `#1 #2 #3 #9 closed#1 grp/closed#1 ${server.url}/grp/open/-/issues/1#note_4`;
    const first = ['/grp/open/-/issues/1', 'First &lt;one&gt;', '#1'];
    const done = ['/grp/open/-/issues/3', 'Done', '#3 (closed)'];
    const note = ['/grp/open/-/issues/1#note_4', 'First &lt;one&gt;', '#1 (comment 4)'];

    it('resolve to issues that the reader can see', async () => {
      assert.deepEqual(await linksOf(text(), 'grp/open'), [
        first,
        ['/grp/open/-/issues/2', 'Secret', '#2'],
        done,
        ['/grp/closed/-/issues/1', 'Hidden', 'closed#1'],
        ['/grp/closed/-/issues/1', 'Hidden', 'closed#1'],
        note,
      ]);
      assert.deepEqual(await linksOf(text(), 'grp/open', stranger.token), [first, done, note]);
    });

    it('need a project unless they have a path', async () => {
      assert.deepEqual(await linksOf('#1 grp/open#1', undefined), [
        ['/grp/open/-/issues/1', 'First &lt;one&gt;', 'grp/open#1'],
      ]);
    });

    it('take a constant number of queries', async () => {
      // References that do not resolve cause one additional query for the external tracker.
      const written = (count: number) => Array.from({ length: count }, (_, at) => `#${at + 1}`).join(' ');
      const cost = (count: number) => server.queriesOf(() => linksOf(`${written(count)} #99999`, 'grp/open'));
      await cost(3);
      assert.equal(await cost(500), await cost(3));
    });
  });
});
