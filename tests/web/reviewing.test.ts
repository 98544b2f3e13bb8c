import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { Browser, rootPassword } from '../support/browser.ts';
import { addUser } from '../support/cast.ts';
import { forEachEngine } from '../support/engines.ts';
import { assertHarmless, hostile, hostileName } from '../support/hostile-texts.ts';
import { addPerson } from '../support/scene.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

forEachEngine((engine) => {
  describe('review pages', () => {
    let server: TestServer;
    let author: Browser;
    let reviewer: Browser;
    let username = '';
    const url = '/projects/root%2Fcode';
    const request = '/root/code/-/merge_requests/1';

    before(async () => {
      server = await startTestServer(engine);
      author = new Browser(server);
      await author.signIn('root', rootPassword);
      const user = await addUser(server);
      ({ username } = user);
      reviewer = new Browser(server);
      await reviewer.signIn(username, 'long enough 4 you');
      await server.must('POST /projects', { json: { name: 'code', visibility: 'public' } });
      await server.must(`POST ${url}/members`, { json: { user_id: user.id, access_level: 40 } });
      const commit = (branch: string, action: string, content: string, start?: string) =>
        server.must(`POST ${url}/repository/commits`, {
          json: {
            branch,
            commit_message: 'Change it',
            ...(start && { start_branch: start }),
            actions: [{ action, file_path: 'a.txt', content }],
          },
        });
      await commit('main', 'create', 'one\ntwo\nthree\n');
      await commit('better', 'update', 'one\n2\nthree\n', 'main');
      await server.must(`POST ${url}/merge_requests`, {
        json: { title: 'Count', source_branch: 'better', target_branch: 'main' },
      });
      await server.must(`POST ${url}/issues`, { json: { title: 'Numbers' } });
      await server.running.services.queue.drain();
    });

    const openPage = (path: string, who: Browser) => who.page(path);

    const submit = async (who: Browser, path: string, to: string, fields: Record<string, string> = {}) => {
      const redirected = await who.send(path, to, fields);
      await server.running.services.queue.drain();
      return redirected;
    };

    const lineForm = async (who: Browser) => {
      const page = await openPage(`${request}/diffs`, who);
      const links = [...page.matchAll(/href="(\?line=[^"#]+)#/g)].map(([, link = '']) => link);
      const form = await openPage(`${request}/diffs${links[3]}`, who);
      const [, inside = ''] = /action="[^"]*\/discussions">([\s\S]*?)<\/form>/.exec(form) ?? [];
      return Object.fromEntries(
        [...inside.matchAll(/type="hidden" name="([^"]+)" value="([^"]*)"/g)].map(([, name, value]) => [name, value]),
      );
    };

    it('keep draft notes until the review is submitted, and approve with it', async () => {
      const fields = await lineForm(reviewer);
      const note = `${hostile.markdown}\n\n\`\`\`suggestion\nzwei\n\`\`\`\n`;
      await submit(reviewer, `${request}/diffs`, `${request}/discussions`, { ...fields, note, as: 'draft' });
      const mine = await openPage(`${request}/diffs`, reviewer);
      assert.match(mine, /Your review[\s\S]*1 comment that only you see[\s\S]*marker3[\s\S]*Submit and approve/);
      assert.doesNotMatch(await openPage(request, author), /marker3|Your review/);
      await submit(reviewer, request, `${request}/review`, { approve: 'true', sha: 'f'.repeat(40) }).then(
        () => assert.fail('what was never looked at is approved'),
        (error) => assert.match(String(error), /409/),
      );
      // Nothing was published either.
      assert.match(await openPage(request, reviewer), /1 comment that only you see/);
      assert.doesNotMatch(await openPage(request, author), /marker3/);
      const { sha } = await server.must(`GET ${url}/merge_requests/1`);
      await submit(reviewer, `${request}/diffs`, `${request}/discussions`, {
        ...fields,
        note: 'and this',
        as: 'draft',
      });
      await submit(reviewer, request, `${request}/review`, { approve: 'true', sha });
      const seen = await openPage(request, author);
      assert.match(seen, /marker3[\s\S]*and this/);
      const { approved_by } = await server.must(`GET ${url}/merge_requests/1/approvals`);
      assert.deepEqual(
        approved_by.map((one: { user: { username: string } }) => one.user.username),
        [username],
      );
      assert.doesNotMatch(await openPage(request, reviewer), /Your review/);
    });

    it('support draft replies and deleted drafts', async () => {
      const [thread] = await server.must(`GET ${url}/merge_requests/1/discussions`);
      assert.match(await openPage(request, reviewer), /formaction="[^"]*\/draft">Add to review/);
      await submit(reviewer, request, `${request}/discussions/${thread.id}/draft`, { note: 'a later reply' });
      const page = await openPage(request, reviewer);
      const [, id = ''] = /drafts\/(\d+)\/remove/.exec(page) ?? [];
      assert.match(page, /a later reply/);
      const foreign = await author.fill(request, `${request}/drafts/${id}/remove`, {});
      assert.equal(foreign.status, 404);
      await submit(reviewer, request, `${request}/drafts/${id}/remove`);
      assert.doesNotMatch(await openPage(request, reviewer), /a later reply/);
    });

    it('apply a suggestion', async () => {
      const page = await openPage(request, author);
      const [, id = ''] = /suggestions\/(\d+)\/apply/.exec(page) ?? [];
      assert.match(page, /Suggested change[\s\S]*Apply suggestion/);
      assert.doesNotMatch(await openPage(request, new Browser(server)), /Apply suggestion/);
      await submit(author, request, `${request}/suggestions/${id}/apply`);
      const file = await server.must(`GET ${url}/repository/files/a.txt/raw?ref=better`);
      assert.match(file, /zwei/);
    });

    it('show approval rules and approvers', async () => {
      const rule = await server.must(`POST ${url}/approval_rules`, {
        json: { name: hostile.element, approvals_required: 2, usernames: [username] },
      });
      const rules = /aria-label="Approval rules"[\s\S]*marker1[\s\S]*/;
      assert.match((await openPage(request, author)).match(rules)?.[0] ?? '', new RegExp(`0 of 2.*${username}`));
      const { sha } = await server.must(`GET ${url}/merge_requests/1`);
      await submit(reviewer, request, `${request}/approve`, { sha });
      assert.match((await openPage(request, author)).match(rules)?.[0] ?? '', /1 of 2.*approved by/);
      await server.must(`DELETE ${url}/approval_rules/${rule.id}`);
    });

    it('update the sidebar without scripts', async () => {
      const milestone = await server.must(`POST ${url}/milestones`, { json: { title: hostile.attribute } });
      await server.must(`POST ${url}/labels`, { json: { name: 'soon', color: '#00ff00' } });
      for (const [path, api] of [
        [request, `${url}/merge_requests/1`],
        ['/root/code/-/issues/1', `${url}/issues/1`],
      ] as const) {
        const save = (part: string, fields: Record<string, string>) =>
          submit(author, `${path}?edit=${part}`, `${path}/sidebar`, { part, ...fields });
        assert.match(await openPage(path, author), /href="[^"]+\?edit=assignees#side-assignees"/);
        assert.match(await openPage(`${path}?edit=assignees`, author), new RegExp(`name="chosen" value="${username}"`));
        await save('assignees', { chosen: username });
        await save('labels', { chosen: 'soon', typed: 'later, now' });
        assert.match(await openPage(`${path}?edit=milestone`, author), /marker2/);
        await save('milestone', { milestone_id: String(milestone.id) });
        const now = await server.must(`GET ${api}`);
        assert.deepEqual(
          [now.assignees.map((one: { username: string }) => one.username), now.labels, now.milestone.id],
          [[username], ['later', 'now', 'soon'], milestone.id],
        );
        assert.match(await openPage(path, author), /fill="#00ff00"/i);
        await save('assignees', {});
        await save('labels', {});
        await save('milestone', { milestone_id: '' });
        const bare = await server.must(`GET ${api}`);
        assert.deepEqual([bare.assignees, bare.labels, bare.milestone], [[], [], null]);
        const wrong = await author.fill(path, `${path}/sidebar`, { part: 'assignees', typed: hostile.element });
        assert.equal(wrong.status, 422);
        assert.match(wrong.text, /role="alert">There is no user/);
        assertHarmless(wrong.text, path);
        assert.equal((await author.fill(path, `${path}/sidebar`, { part: 'state' })).status, 422);
        assert.equal((await author.post(`${path}/sidebar`, { part: 'labels' })).status, 422);
        const stranger = new Browser(server);
        await stranger.signIn((await addUser(server)).username, 'long enough 4 you');
        assert.doesNotMatch(await openPage(path, stranger), /\?edit=/);
        const refused = await stranger.fill(path, `${path}/sidebar`, { part: 'labels', typed: 'mine' });
        assert.ok([403, 404].includes(refused.status), `${refused.status}`);
      }
      await submit(author, request, `${request}/sidebar`, { part: 'reviewers', chosen: username });
      await submit(author, '/root/code/-/issues/1', '/root/code/-/issues/1/sidebar', {
        part: 'due_date',
        due_date: '2027-02-03',
      });
      const [reviewed, due] = await Promise.all([
        server.must(`GET ${url}/merge_requests/1`),
        server.must(`GET ${url}/issues/1`),
      ]);
      assert.deepEqual([reviewed.reviewers.length, due.due_date], [1, '2027-02-03']);
      assert.match(await openPage('/', reviewer), /Review requests[\s\S]{0,80}1/);
    });

    it('add and remove a reaction', async () => {
      for (const [path, api] of [
        [request, `${url}/merge_requests/1`],
        ['/root/code/-/issues/1', `${url}/issues/1`],
      ] as const) {
        assert.match(await openPage(path, reviewer), /aria-pressed="false" aria-label="👍 thumbsup: nobody yet"/);
        await submit(reviewer, path, `${path}/reactions`, { name: 'thumbsup' });
        assert.equal((await server.must(`GET ${api}/award_emoji`)).length, 1);
        assert.match(
          await openPage(path, reviewer),
          /aria-pressed="true" aria-label="👍 1 thumbsup: [^"]+" title="[^"]+">👍 1</,
        );
        assert.match(
          await openPage(path, author),
          /aria-pressed="false" aria-label="👍 1 thumbsup: [^"]+" title="[^"]+">👍 1</,
        );
        await submit(reviewer, path, `${path}/reactions`, { name: 'thumbsup' });
        assert.deepEqual(await server.must(`GET ${api}/award_emoji`), []);
        assert.equal((await reviewer.fill(path, `${path}/reactions`, { name: '"><x>' })).status, 404);
        assert.doesNotMatch(await openPage(path, new Browser(server)), /thumbsup/);

        const note = await server.must(`POST ${api}/notes`, { json: { body: 'To be liked' } });
        const action = `${path}/notes/${note.id}/reactions`;
        assert.equal(await submit(reviewer, path, action, { name: 'rocket' }), `${path}#note_${note.id}`);
        await submit(author, path, action, { name: 'rocket' });
        assert.match(
          await openPage(path, reviewer),
          /value="rocket" aria-pressed="true" aria-label="🚀 2 rocket: you and/,
        );
        const counted = `GET ${api}/notes/award_emoji?note_ids[]=${note.id}&note_ids[]=999999`;
        const [{ own_award_id, ...counts }, ...others] = await server.must(counted);
        assert.deepEqual([counts, others], [{ note_id: note.id, name: 'rocket', count: 2 }, []]);
        assert.ok(own_award_id > 0);
        await submit(reviewer, path, action, { name: 'rocket' });
        assert.match(
          await openPage(path, reviewer),
          /value="rocket" aria-pressed="false" aria-label="🚀 1 rocket: others"/,
        );
        assert.equal((await reviewer.fill(path, action, { name: '"><x>' })).status, 404);
        assert.equal((await reviewer.fill(path, `${path}/notes/999999/reactions`, { name: 'rocket' })).status, 404);
        assert.equal((await reviewer.post(action, { name: 'rocket' })).status, 422);
        const many = Array.from({ length: 201 }, (_, at) => `note_ids[]=${at}`).join('&');
        assert.equal((await server.api(`GET ${api}/notes/award_emoji?${many}`)).status, 400);
        assert.equal((await server.api(`GET ${api}/notes/award_emoji`)).status, 400);
      }
    });

    it('count many reactions, and mark the user’s own', async () => {
      const { iid } = await server.must(`POST ${url}/issues`, { json: { title: 'Liked by many' } });
      const path = `/root/code/-/issues/${iid}`;
      const crowd = 103;
      for (let at = 0; at < crowd; at += 1) {
        const { token } = await addPerson(server, 'crowd');
        await server.must(`POST ${url}/issues/${iid}/award_emoji`, { token, json: { name: 'tada' } });
      }
      await submit(reviewer, path, `${path}/reactions`, { name: 'tada' });
      const page = await openPage(path, reviewer);
      assert.match(page, /value="tada" aria-pressed="true" aria-label="🎉 104 tada: (crowd, ){19}crowd and 84 more"/);
      await submit(reviewer, path, `${path}/reactions`, { name: 'tada' });
      assert.match(await openPage(path, reviewer), /value="tada" aria-pressed="false" aria-label="🎉 103 tada/);
    });

    it('star and unstar a project, and set its notification level', async () => {
      const home = '/root/code';
      assert.match(await openPage(home, reviewer), />Star 0<[\s\S]*<option value="global" selected>/);
      await submit(reviewer, home, `${home}/-/star`);
      assert.match(await openPage(home, reviewer), /name="unstar" value="true"><button>Unstar 1</);
      assert.match(await openPage(home, author), />Star 1</);
      await submit(reviewer, home, `${home}/-/star`, { unstar: 'true' });
      assert.match(await openPage(home, reviewer), />Star 0</);
      await submit(reviewer, home, `${home}/-/notifications`, { level: 'watch' });
      assert.match(await openPage(home, reviewer), /<option value="watch" selected>/);
      assert.match(await openPage(home, author), /<option value="global" selected>/);
      assert.equal((await reviewer.fill(home, `${home}/-/notifications`, { level: '"><x>' })).status, 400);
      assert.doesNotMatch(await openPage(home, new Browser(server)), /Unstar|\/-\/notifications/);
    });

    it('resolve conflicts by hunk, by side, or by text', async () => {
      const commit = (branch: string, texts: readonly string[], action = 'update', start?: string) =>
        server.must(`POST ${url}/repository/commits`, {
          json: {
            branch,
            commit_message: 'Change all',
            ...(start && { start_branch: start }),
            actions: texts.map((text, at) => ({
              action,
              file_path: `${hostileName}-${at}`,
              content: Buffer.from(text).toString('base64'),
              encoding: 'base64',
            })),
          },
        });
      const many = 'same\n'.repeat(9);
      await commit('ground', [`x\n${many}x\n`, 'x\n', 'x\n', '\0x'], 'create', 'main');
      await commit('ours', [`${hostile.comment}\n${many}s2\n`, 's\n', 's\n', '\0s'], 'update', 'ground');
      await commit('ground', [`t1\n${many}t2\n`, 't\n', 't\n', '\0t']);
      const { iid } = await server.must(`POST ${url}/merge_requests`, {
        json: { title: 'Apart', source_branch: 'ours', target_branch: 'ground' },
      });
      await server.running.services.queue.drain();
      const page = `/root/code/-/merge_requests/${iid}`;
      assert.match(await openPage(page, author), /There are merge conflicts[^<]*<a href="[^"]*\/conflicts">/);
      assert.match(await openPage('/dashboard/todos', author), /It conflicts with its target ·/);
      const shown = await openPage(`${page}/conflicts`, author);
      assert.match(shown, /marker4[\s\S]*t1[\s\S]*… 3 lines that both have/);
      assert.match(shown, /cannot be compared line by line/);
      const hidden = [...shown.matchAll(/type="hidden" name="(\w+_sha)" value="([^"]*)"/g)];
      const shas = Object.fromEntries(hidden.map(([, name = '', value = '']) => [name, value]));
      const fields = {
        ...shas,
        commit_message: 'Together',
        'way-0': 'parts',
        'side-0-0': 'both',
        'side-0-1': 'target',
        'way-1': 'source',
        'way-2': 'text',
        'text-2': `${hostile.comment}\r\nagreed\r\n`,
        'way-3': 'target',
      };
      const half = await author.fill(`${page}/conflicts`, `${page}/conflicts`, { ...fields, 'side-0-1': '' });
      assert.equal(half.status, 422);
      assertHarmless(half.text, page);
      assert.match(half.text, /agreed[\s\S]*<input type="radio" name="way-3" value="target" checked>/);
      const stale = { ...fields, source_sha: shas.target_sha ?? '' };
      const late = await author.fill(`${page}/conflicts`, `${page}/conflicts`, stale);
      assert.match(late.text, /have changed since/);
      assert.doesNotMatch(late.text, /agreed/);
      assert.equal(await submit(author, `${page}/conflicts`, `${page}/conflicts`, fields), page);
      const text = async (at: number) =>
        (await server.api(`GET ${url}/repository/files/${encodeURIComponent(`${hostileName}-${at}`)}/raw?ref=ours`))
          .text;
      assert.deepEqual(
        [await text(0), await text(1), await text(2), await text(3)],
        [`${hostile.comment}\nt1\n${many}t2\n`, 's\n', `${hostile.comment}\nagreed\n`, '\0t'],
      );
      assert.match(await openPage(`${page}/conflicts`, author), /There are no conflicts/);
      assert.doesNotMatch(await openPage(page, author), /There are merge conflicts/);
      assert.equal((await new Browser(server).open(`${page}/conflicts`)).status, 303);
    });

    it('create, update and delete a release', async () => {
      const list = '/root/code/-/releases';
      assert.doesNotMatch(await openPage(list, new Browser(server)), /New release/);
      const wrong = await author.fill(`${list}/new`, list, { tag_name: 'v1', ref: 'no-such', name: hostile.attribute });
      assert.equal(wrong.status, 422);
      assertHarmless(wrong.text, list);
      await submit(author, `${list}/new`, list, {
        tag_name: 'v1',
        ref: 'main',
        name: hostile.attribute,
        description: hostile.markdown,
      });
      assert.match(await openPage(`${list}/v1`, author), /marker2[\s\S]*Edit[\s\S]*marker3/);
      await submit(author, `${list}/v1/edit`, `${list}/v1/edit`, { name: 'The first', description: 'Counts.' });
      assert.match(await openPage(`${list}/v1`, new Browser(server)), /The first[\s\S]*Counts\./);
      const refused = await new Browser(server).post(`${list}/v1/remove`, {});
      assert.equal(refused.status, 303);
      assert.equal((await server.api(`GET ${url}/releases/v1`)).status, 200);
      await submit(author, `${list}/v1`, `${list}/v1/remove`);
      assert.equal((await server.api(`GET ${url}/releases/v1`)).status, 404);
    });

    it('show user profiles and visible activity', async () => {
      await server.must('PUT /user/status', { json: { message: hostile.element, availability: 'busy' } });
      const page = await openPage('/root', reviewer);
      assert.match(page, /busy[\s\S]*marker1[\s\S]*Projects[\s\S]*code[\s\S]*Activity/);
      await server.must('POST /projects', { json: { name: 'secret-plan', visibility: 'private' } });
      assert.doesNotMatch(await openPage('/root', reviewer), /secret-plan/);
      assert.match(await openPage('/root', author), /secret-plan/);
    });
  });
});
