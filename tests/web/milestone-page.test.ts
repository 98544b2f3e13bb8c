import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { Browser, rootPassword } from '../support/browser.ts';
import { addUser } from '../support/cast.ts';
import { forEachEngine } from '../support/engines.ts';
import { hostile } from '../support/hostile-texts.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

forEachEngine((engine) => {
  describe('milestone page', () => {
    let server: TestServer;
    let root: Browser;
    const url = '/projects/band%2Fsong';
    const page = '/band/song/-/milestones/1';
    let milestone: { id: number };

    before(async () => {
      server = await startTestServer(engine);
      root = new Browser(server);
      await root.signIn('root', rootPassword);
      const group = await server.must('POST /groups', { json: { name: 'Band', path: 'band', visibility: 'public' } });
      await server.must('POST /projects', { json: { name: 'song', namespace_id: group.id, visibility: 'public' } });
      milestone = await server.must(`POST ${url}/milestones`, {
        json: { title: hostile.attribute, start_date: '2026-01-01', due_date: '2027-12-31' },
      });
      for (const [title, weight] of [
        ['Verse', 3],
        ['Chorus', 5],
        [hostile.element, 2],
      ])
        await server.must(`POST ${url}/issues`, { json: { title, weight, milestone_id: milestone.id } });
      await server.must(`PUT ${url}/issues/2`, { json: { state_event: 'close' } });
    });

    const openPage = (path: string, who: Browser = root) => who.page(path);

    it('draws burndown charts by issues and by weight', async () => {
      const text = await openPage(page);
      assert.match(text, /<strong>Burndown<\/strong> <span class="muted">2 of 3 issues open/);
      assert.match(text, /<strong>Burnup<\/strong> <span class="muted">1 of 3 issues done/);
      assert.match(text, /<polyline class="main"/);
      assert.match(await openPage(`${page}?by=weight`), /5 of 10 by weight open/);
      assert.match((await new Browser(server).open(page)).headers.get('location') ?? '', /sign_in/);
    });

    it('draws no chart without dates or for an extremely long milestone', async () => {
      const change = (json: object) => server.must(`PUT ${url}/milestones/${milestone.id}`, { json });
      await change({ start_date: '0001-01-01', due_date: '9999-12-31' });
      assert.match(await openPage(page), /Too many events to draw a chart/);
      await change({ start_date: '', due_date: '' });
      assert.match(await openPage(page), /Set a start and a due date/);
      await change({ start_date: '2026-01-01', due_date: '2027-12-31' });
    });

    it('lists open issues, closed issues and merge requests', async () => {
      const text = await openPage(page);
      assert.match(text, /Open issues 2[\s\S]*Closed issues 1/);
      assert.ok(text.includes('Verse') && text.includes('marker1') && !text.includes('<strong>Chorus'));
      const closed = await openPage(`${page}?show=closed`);
      assert.ok(closed.includes('<strong>Chorus') && !closed.includes('<strong>Verse'));
      assert.match(await openPage(`${page}?show=merge_requests`), /No merge requests\./);
      await openPage(`${page}?show=${encodeURIComponent(hostile.element)}&by=x&page=7`);
    });

    it('promotes the milestone to the group with permission', async () => {
      const user = await addUser(server);
      await server.must(`POST ${url}/members`, { json: { user_id: user.id, access_level: 40 } });
      const maintainer = new Browser(server);
      await maintainer.signIn(user.username, 'long enough 4 you');
      assert.doesNotMatch(await openPage(page, maintainer), /Promote/);
      assert.equal((await maintainer.fill(page, `${page}/promote`, {})).status, 403);
      assert.equal((await root.post(`${page}/promote`, {})).status, 422);
      const done = await root.fill(page, `${page}/promote`, {});
      assert.equal(done.headers.get('location'), '/groups/band/-/milestones', done.text);
      const there = '/groups/band/-/milestones/1';
      assert.match(await openPage(there), /marker2[\s\S]*2 of 3 issues open[\s\S]*Verse/);
      assert.equal((await root.open(page)).status, 404);
      assert.doesNotMatch(await openPage(there), /Promote/);
    });
  });
});
