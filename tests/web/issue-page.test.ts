import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { Browser, rootPassword, tokenIn } from '../support/browser.ts';
import { addUser } from '../support/cast.ts';
import { forEachEngine } from '../support/engines.ts';
import { assertHarmless, hostile } from '../support/hostile-texts.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const password = 'long enough 4 you';
const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGBgAAAABQABh6FO1AAAAABJRU5ErkJggg==',
  'base64',
);

forEachEngine((engine) => {
  describe('issue page', () => {
    let server: TestServer;
    let root: Browser;
    let guest: Browser;
    let stranger: Browser;
    const url = '/projects/shop%2Flamp';
    const page = '/shop/lamp/-/issues/1';

    before(async () => {
      server = await startTestServer(engine);
      root = new Browser(server);
      await root.signIn('root', rootPassword);
      const group = await server.must('POST /groups', { json: { name: 'Shop', path: 'shop', visibility: 'public' } });
      for (const name of ['lamp', 'desk'])
        await server.must('POST /projects', { json: { name, namespace_id: group.id, visibility: 'public' } });
      await server.must('POST /projects', { json: { name: 'vault', namespace_id: group.id, visibility: 'private' } });
      await server.must(`POST ${url}/issues`, { json: { title: 'It flickers' } });
      await server.must(`POST ${url}/issues`, { json: { title: hostile.attribute } });
      await server.must('POST /projects/shop%2Fdesk/issues', { json: { title: hostile.element } });
      await server.must('POST /projects/shop%2Fvault/issues', { json: { title: 'Nobody knows this' } });
      const [member, other] = [await addUser(server), await addUser(server)];
      await server.must(`POST ${url}/members`, { json: { user_id: member.id, access_level: 10 } });
      [guest, stranger] = [new Browser(server), new Browser(server)];
      await guest.signIn(member.username, password);
      await stranger.signIn(other.username, password);
    });

    const openPage = (path: string, who: Browser = root) => who.page(path);
    const submit = (to: string, fields: Record<string, string>, who: Browser = root) => who.send(page, to, fields);
    const issue = (iid = 1) => server.must(`GET ${url}/issues/${iid}`);

    it('links issues by reference or URL, and removes links', async () => {
      await submit(`${page}/links`, { target: '#2', link_type: 'blocks' });
      await submit(`${page}/links`, { target: 'desk#1', link_type: 'relates_to' });
      const text = await openPage(page);
      assert.match(text, /<h3>Blocks<\/h3>[\s\S]*marker2[\s\S]*<h3>Relates to<\/h3>[\s\S]*marker1/);
      assert.match(await openPage('/shop/lamp/-/issues/2'), /<h3>Is blocked by<\/h3>[\s\S]*It flickers/);
      const again = await root.fill(page, `${page}/links`, { part: 'link', target: '#2', link_type: 'blocks' });
      assert.equal(again.status, 422);
      assert.match(again.text, /role="alert">Issue\(s\) already assigned/);
      for (const target of ['nonsense', '#999', 'nowhere/at-all#1', '#1', hostile.element]) {
        const wrong = await root.fill(page, `${page}/links`, { part: 'link', target, link_type: 'relates_to' });
        assert.equal(wrong.status, 422, target);
        assert.match(wrong.text, /<details open><summary>Link an issue<\/summary><p class="notice"/, target);
        assertHarmless(wrong.text, page);
      }
      const [, link = ''] = /name="link" value="(\d+)"/.exec(text) ?? [];
      const refused = await stranger.fill(page, `${page}/links/remove`, { link });
      assert.ok([403, 404].includes(refused.status), `${refused.status}`);
      await submit(`${page}/links/remove`, { link });
      assert.equal((await server.must(`GET ${url}/issues/1/links`)).length, 1);
    });

    it('does not reveal inaccessible issues', async () => {
      await submit(`${page}/links`, { target: 'vault#1', link_type: 'relates_to' });
      assert.match(await openPage(page), /Nobody knows this/);
      assert.doesNotMatch(await openPage(page, guest), /Nobody knows this/);
      const guessed = await guest.fill(page, `${page}/links`, { part: 'link', target: 'vault#1' });
      assert.equal(guessed.status, 422);
      assert.match(guessed.text, /The issue does not exist, or you do not have access to it/);
      assert.doesNotMatch(await openPage(page, stranger), /Link an issue/);
      assert.doesNotMatch(await openPage(page, new Browser(server)), /Link an issue|Actions|Track time/);
    });

    it('shows merge requests that close or mention it', async () => {
      await server.must(`POST ${url}/repository/commits`, {
        json: { branch: 'main', commit_message: 'x', actions: [{ action: 'create', file_path: 'a', content: 'a' }] },
      });
      for (const [branch, description] of [
        ['closing', 'Closes #1'],
        ['naming', 'Goes with #1'],
      ]) {
        await server.must(`POST ${url}/repository/commits`, {
          json: {
            branch,
            start_branch: 'main',
            commit_message: `${branch}`,
            actions: [{ action: 'create', file_path: `${branch}`, content: 'a' }],
          },
        });
        const title = `${branch} ${hostile.comment}`;
        await server.must(`POST ${url}/merge_requests`, {
          json: { title, description, source_branch: branch, target_branch: 'main' },
        });
      }
      await server.running.services.queue.drain();
      const text = await openPage(page);
      assert.match(text, /<h2>Merge requests<\/h2>[\s\S]*closing[^<]*[\s\S]*closes this issue[\s\S]*naming/);
      assert.equal(text.split('closes this issue').length, 2);
    });

    it('tracks time, and rejects invalid durations', async () => {
      await submit(`${page}/time`, { part: 'time', act: 'estimate', duration: '3h' });
      await submit(`${page}/time`, { part: 'time', act: 'spend', duration: '1h 30m', summary: hostile.element });
      assert.match(await openPage(page), /<p>1h 30m spent of 3h<\/p><progress max="10800" value="5400">/);
      const wrong = await root.fill(page, `${page}/time`, { part: 'time', act: 'spend', duration: hostile.attribute });
      assert.equal(wrong.status, 422, wrong.text);
      assert.match(wrong.text, /<details open><summary>Track time[\s\S]*role="alert"/);
      assertHarmless(wrong.text, page);
      await submit(`${page}/time`, { part: 'time', act: 'spend', undo: 'forget' });
      await submit(`${page}/time`, { part: 'time', act: 'estimate', undo: 'unestimate' });
      const { time_stats: times } = await issue();
      assert.deepEqual([times.time_estimate, times.total_time_spent], [0, 0]);
      assert.equal((await root.fill(page, `${page}/time`, { act: 'toString' })).status, 404);
      assert.doesNotMatch(await openPage(page, guest), /Track time/);
      assert.equal((await guest.fill(page, `${page}/time`, { act: 'spend', duration: '1h' })).status, 403);
    });

    it('sets weight, epic, iteration, health status and severity in the sidebar', async () => {
      const epic = await server.must('POST /groups/shop/epics', { json: { title: hostile.element } });
      await server.must('POST /groups/shop/iteration_cadences', {
        json: { title: 'Weeks', start_date: '2026-01-05', duration_in_weeks: 1 },
      });
      const [iteration] = await server.must('GET /groups/shop/iterations?state=opened');
      const save = (part: string, value: string, name = part) => submit(`${page}/sidebar`, { part, [name]: value });
      assert.match(await openPage(`${page}?edit=epic`), /<select name="epic_id"[\s\S]*marker1/);
      assert.match(await openPage(`${page}?edit=iteration`), new RegExp(`<option value="${iteration.id}"`));
      await save('weight', '5');
      await save('epic', String(epic.id), 'epic_id');
      await save('iteration', String(iteration.id), 'iteration_id');
      await save('health_status', 'at_risk');
      const set = await issue();
      assert.deepEqual(
        [set.weight, set.epic.id, set.iteration.id, set.health_status],
        [5, epic.id, iteration.id, 'at_risk'],
      );
      const text = await openPage(page);
      assert.match(text, /href="\/groups\/shop\/-\/epics\/1"[^>]*>[^<]*marker1/);
      assert.match(text, /At risk/);
      assert.doesNotMatch(text, /side-severity/);
      await save('weight', '');
      await save('epic', '', 'epic_id');
      await save('iteration', '', 'iteration_id');
      await save('health_status', '');
      const bare = await issue();
      assert.deepEqual([bare.weight, bare.epic, bare.iteration, bare.health_status], [null, null, null, null]);
      const wrong = await root.fill(page, `${page}/sidebar`, { part: 'weight', weight: '-4' });
      assert.ok(wrong.status === 422, `${wrong.status}`);
      await server.must(`POST ${url}/issues`, { json: { title: 'Down', issue_type: 'incident' } });
      const incident = (await server.must(`GET ${url}/issues?issue_type=incident`))[0];
      const there = `/shop/lamp/-/issues/${incident.iid}`;
      await submit(`${there}/sidebar`, { part: 'severity', severity: 'critical' });
      assert.match(await openPage(there), /id="side-severity"[\s\S]*Critical/);
    });

    it('locks, makes confidential, moves, clones and deletes', async () => {
      const created = await server.must(`POST ${url}/issues`, { json: { title: 'To be moved' } });
      const there = `/shop/lamp/-/issues/${created.iid}`;
      await submit(`${there}/switch`, { name: 'lock' });
      assert.match(await openPage(there, stranger), /The discussion is locked/);
      assert.doesNotMatch(await openPage(there, stranger), /<textarea name="note"/);
      await submit(`${there}/switch`, { name: 'unlock' });
      await submit(`${there}/switch`, { name: 'hide' });
      assert.equal((await stranger.open(there)).status, 404);
      await submit(`${there}/switch`, { name: 'reveal' });
      assert.equal((await root.fill(there, `${there}/switch`, { name: 'constructor' })).status, 404);
      const refused = await guest.fill(there, `${there}/switch`, { name: 'lock' });
      assert.ok(refused.status === 403, `${refused.status}`);
      for (const to of ['nowhere/at-all', '', '../..']) {
        const wrong = await root.fill(there, `${there}/move`, { part: 'move', to });
        assert.equal(wrong.status, 422, to);
        assert.match(wrong.text, /The project does not exist/);
      }
      await server.must(`POST ${url}/issues/${created.iid}/notes`, { json: { body: 'Comes along' } });
      const copy = await submit(`${there}/move`, { to: 'shop/lamp', as: 'clone', with_notes: 'true' });
      assert.match(await openPage(copy), /To be moved[\s\S]*Comes along/);
      const moved = await submit(`${there}/move`, { part: 'move', to: '/shop/desk/' });
      assert.match(moved, /^\/shop\/desk\/-\/issues\/\d+$/);
      assert.match(await openPage(there), /badge-closed/);
      const repeated = await root.fill(there, `${there}/move`, { part: 'move', to: 'shop/desk' });
      assert.equal(repeated.status, 422, repeated.text);
      assert.equal((await guest.fill(there, `${there}/move`, { part: 'move', to: 'shop/desk' })).status, 422);
      assert.equal(await submit(`${copy}/remove`, {}), '/shop/lamp/-/issues');
      assert.equal((await root.open(copy)).status, 404);
    });

    it('manages metric images of an incident', async () => {
      const there = '/shop/lamp/-/issues/new';
      const form = await root.fill(there, '/shop/lamp/-/issues', { title: 'Lights out', issue_type: 'incident' });
      const incident = form.headers.get('location') ?? '';
      const text = await openPage(incident);
      assert.match(text, /badge-incident[\s\S]*<h2>Metrics<\/h2>/);
      const upload = async (who: Browser, fields: Record<string, string>, bytes?: Buffer, name = 'chart.png') => {
        const body = new FormData();
        body.set('authenticity_token', tokenIn((await who.open(incident)).text));
        for (const [field, value] of Object.entries(fields)) body.set(field, value);
        if (bytes) body.set('file', new File([new Uint8Array(bytes)], name));
        return fetch(`${server.url}${incident}/metric_images`, {
          method: 'POST',
          redirect: 'manual',
          body,
          headers: { accept: 'text/html', cookie: who.cookie ?? '' },
        });
      };
      const part = { part: 'metric_image' };
      const answer = await upload(root, { ...part, url: 'https://charts.example/1', url_text: hostile.element }, pixel);
      assert.equal(answer.status, 303, await answer.text());
      assert.match(await openPage(incident), /<img src="\/uploads\/[^"]+chart\.png"[\s\S]*marker1/);
      const empty = await upload(root, part);
      assert.equal(empty.status, 422);
      assert.match(await empty.text(), /Choose a picture first/);
      const script = await upload(root, part, Buffer.from('<svg onload="alert(1)">'), 'a.svg');
      assert.equal(script.status, 422);
      const scheme = await upload(root, { ...part, url: 'javascript:alert(1)' }, pixel);
      assert.equal(scheme.status, 422);
      assert.equal((await upload(stranger, part, pixel)).status, 403);
      const [, image = ''] = /name="image" value="(\d+)"/.exec(await openPage(incident)) ?? [];
      assert.doesNotMatch(await openPage(incident, stranger), /name="image"/);
      await submit(`${incident}/metric_images/remove`, { image });
      assert.match(await openPage(incident), /No metric images yet/);
    });

    it('lists participants', async () => {
      assert.match(await openPage(page), /<h2>1 participant<\/h2>[\s\S]*href="\/root"/);
    });

    it('is read-only in an archived project', async () => {
      await server.must(`POST ${url}/archive`);
      const text = await openPage(page);
      assert.doesNotMatch(text, /Link an issue|Track time|<h2>Actions|\?edit=/);
      await server.must(`POST ${url}/unarchive`);
    });
  });
});
