import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { Browser, rootPassword } from '../support/browser.ts';
import { addUser } from '../support/cast.ts';
import { forEachEngine } from '../support/engines.ts';
import { assertHarmless, hostile } from '../support/hostile-texts.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const numbered = (change = '') =>
  Array.from({ length: 60 }, (_, at) => (at === 29 && change !== '' ? change : `line ${at + 1}`)).join('\n');

forEachEngine((engine) => {
  describe('merge request pages', () => {
    let server: TestServer;
    let browser: Browser;
    let reader: Browser;
    const url = '/projects/root%2Fcode';
    const list = '/root/code/-/merge_requests';

    before(async () => {
      server = await startTestServer(engine);
      browser = new Browser(server);
      await browser.signIn('root', rootPassword);
      const user = await addUser(server);
      reader = new Browser(server);
      await reader.signIn(user.username, 'long enough 4 you');
      await server.must('POST /projects', {
        json: { name: 'code', visibility: 'public', initialize_with_readme: true },
      });
      const commit = (branch: string, action: string, content: string, start?: string) =>
        server.must(`POST ${url}/repository/commits`, {
          json: {
            branch,
            commit_message: `Change the long file\n\n${hostile.markdown}`,
            ...(start && { start_branch: start }),
            actions: [{ action, file_path: 'long.txt', content }],
          },
        });
      await commit('main', 'create', numbered());
      await commit('feature/one', 'update', numbered(hostile.element), 'main');
      await commit('feature/two', 'update', numbered('two'), 'main');
      await server.running.services.queue.drain();
    });

    const openPage = (path: string, who: Browser = browser) => who.page(path);

    const submit = async (path: string, to: string, fields: Record<string, string>) => {
      const redirected = await browser.send(path, to, fields);
      await server.running.services.queue.drain();
      return redirected;
    };

    const make = (branch: string) =>
      submit(`${list}/new`, list, { source_branch: branch, target_branch: 'main', title: hostile.attribute });

    it('create a merge request from a comparison, with the commit’s title, and show errors', async () => {
      const compared = await openPage('/root/code/-/compare/main...feature/two');
      const [, href = ''] = /href="([^"]*merge_requests\/new[^"]*)"/.exec(compared) ?? [];
      const form = await openPage(href.replaceAll('&amp;', '&'));
      assert.match(form, /name="source_branch" required value="feature\/two"/);
      assert.match(form, /name="title" required value="Change the long file"/);
      assert.match(form, /marker3/);
      const fields = { source_branch: 'feature/two', target_branch: 'main', title: hostile.attribute };
      const wrong = await browser.fill(list, list, { ...fields, assignees: 'nobody-here' });
      assert.equal(wrong.status, 422);
      assert.match(wrong.text, /There is no user nobody-here[\s\S]*marker2/);
      assertHarmless(wrong.text, 'new merge request');
      const same = await browser.fill(list, list, { ...fields, source_branch: 'main' });
      assert.equal(same.status, 422, same.text);
    });

    it('prefill the defaults of the project', async () => {
      const form = () => openPage(`${list}/new?merge_request%5Bsource_branch%5D=main`);
      const ticked = (page: string) => ['squash', 'remove_source_branch'].map((name) => ticksOf(page, name));
      const ticksOf = (page: string, name: string) =>
        /checked/.test(new RegExp(`<input[^>]*name="${name}"[^>]*>`).exec(page)?.[0] ?? '');
      assert.deepEqual(ticked(await form()), [false, true]);
      const settings = { squash_option: 'default_on', remove_source_branch_after_merge: false };
      await server.must(`PUT ${url}`, { json: { ...settings, merge_requests_template: `Why: ${hostile.element}` } });
      const changed = await form();
      assert.deepEqual(ticked(changed), [true, false]);
      assert.match(changed, /<textarea[^>]*name="description"[^>]*>\s*Why: /);
      const given = await openPage(`${list}/new?merge_request%5Bdescription%5D=Mine`);
      assert.match(given, /<textarea[^>]*name="description"[^>]*>\s*Mine/);
      const plain = { squash_option: 'default_off', remove_source_branch_after_merge: true };
      await server.must(`PUT ${url}`, { json: { ...plain, merge_requests_template: '' } });
      const file = { branch: 'main', commit_message: 'Template', content: 'From the file' };
      const path = encodeURIComponent('.gitlab/merge_request_templates/Default.md');
      await server.must(`POST ${url}/repository/files/${path}`, { json: file });
      assert.match(await form(), /<textarea[^>]*name="description"[^>]*>\s*From the file/);
      await server.must(`DELETE ${url}/repository/files/${path}`, { json: file });
    });

    it('show changes inline, side by side and with full context', async () => {
      const page = await make('feature/one');
      const inline = await openPage(`${page}/diffs`);
      assert.match(inline, /marker1 &lt;img/);
      assert.doesNotMatch(inline, /line 12</);
      const beside = await openPage(`${page}/diffs?view=parallel`);
      assert.match(beside, /<table class="code parallel">/);
      assert.match(beside, /<td class="del">line 30<\/td>.*<td class="add">marker1 &lt;img/);
      const more = await openPage(`${page}/diffs?expand=long.txt`);
      assert.match(more, /line 1<[\s\S]*line 12<[\s\S]*line 60</);
      assert.doesNotMatch(await openPage(`${page}/diffs?expand=no-such-file`), /line 12</);
      assert.match(await openPage(`${page}/commits`), /Change the long file/);
      assert.match(await openPage(`${page}/pipelines`), /No pipelines/);
    });

    it('add line comments and replies, and resolve threads, without scripts', async () => {
      const page = `${list}/1`;
      const [, link = ''] = /href="(\?line=[0-9a-f]{40}_31_30#[^"]*)"/.exec(await openPage(`${page}/diffs`)) ?? [];
      assert.notEqual(link, '');
      const shown = await openPage(`${page}/diffs${link.split('#')[0]}`);
      // A browser without scripts ignores the template of the form.
      const form = shown.replace(/<template[\s\S]*<\/template>/, '');
      const fields = Object.fromEntries(
        [...form.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)">/g)]
          .map(([, name = '', value = '']) => [name, value] as const)
          .filter(([name]) => name !== 'authenticity_token'),
      );
      assert.deepEqual([fields.old_line, fields.new_line, fields.new_path], ['', '30', 'long.txt']);
      const said = await submit(page, `${page}/discussions`, { ...fields, note: hostile.comment });
      assert.match(said, /\/diffs#note_\d+$/);
      assert.match(await openPage(`${page}/diffs`), /remarks[\s\S]*marker4/);
      const overview = await openPage(page);
      assert.match(overview, /long\.txt:30[\s\S]*badge-unresolved[\s\S]*marker4/);
      const [, thread = ''] = /action="([^"]*\/discussions\/[0-9a-f]+)\/reply"/.exec(overview) ?? [];
      const answered = await submit(page, `${thread}/reply`, { note: hostile.element, from: 'diffs' });
      assert.match(answered, /\/diffs#note_\d+$/);
      await submit(page, `${thread}/resolve`, { resolved: 'true' });
      assert.match(await openPage(page), /badge-resolved/);
      const [, note = ''] = /action="([^"]*\/notes\/\d+)\/edit"/.exec(await openPage(page)) ?? [];
      await submit(page, `${note}/edit`, { note: 'Said otherwise' });
      assert.match(await openPage(page), /Said otherwise/);
      await submit(page, `${note}/remove`, {});
      assert.doesNotMatch(await openPage(page), /Said otherwise/);
      const nowhere = await browser.fill(page, `${page}/discussions`, { ...fields, new_line: '9999', note: 'x' });
      assert.equal(nowhere.status, 400);
    });

    it('show outdated comments above the file', async () => {
      const page = `${list}/1`;
      await server.must(`POST ${url}/repository/commits`, {
        json: {
          branch: 'feature/one',
          commit_message: 'again',
          actions: [{ action: 'update', file_path: 'long.txt', content: numbered('other') }],
        },
      });
      await server.running.services.queue.drain();
      assert.match(await openPage(`${page}/diffs`), /Outdated comments[\s\S]*marker1/);
    });

    it('edit, toggle draft, approve and merge', async () => {
      const page = await make('feature/two');
      const path = page.slice(page.lastIndexOf('/'));
      assert.match(await openPage(`${page}/edit`), /name="title" required value="marker2/);
      await submit(`${page}/edit`, `${page}/edit`, {
        title: 'Two',
        target_branch: 'main',
        description: hostile.markdown,
        assignees: 'root',
        reviewers: '@root',
        labels: 'fine, good',
        milestone_id: '',
      });
      const request = await server.must(`GET ${url}/merge_requests${path}`);
      assert.deepEqual(
        [request.title, request.assignees.length, request.reviewers.length, request.labels],
        ['Two', 1, 1, ['fine', 'good']],
      );
      await submit(page, `${page}/draft`, {});
      assert.match(await openPage(page), /badge-draft[\s\S]*The merge request is a draft/);
      await submit(page, `${page}/draft`, {});
      assert.doesNotMatch(await openPage(page), /badge-draft/);
      const sha = /name="sha" value="([0-9a-f]{40})"/.exec(await openPage(page))?.[1] ?? '';
      await submit(page, `${page}/approve`, { sha });
      assert.match(await openPage(page), /Approved by [\s\S]*Revoke approval/);
      await submit(page, `${page}/unapprove`, {});
      await submit(page, `${page}/merge`, { sha, choices: 'shown', should_remove_source_branch: 'true' });
      assert.match(await openPage(page), /badge-merged[\s\S]*Merged by/);
      assert.equal((await server.api(`GET ${url}/repository/branches/feature%2Ftwo`)).status, 404);
    });

    it('show external status checks, and retry failed ones', async () => {
      const page = `${list}/1`;
      assert.doesNotMatch(await openPage(page), /Status checks/);
      const check = await server.must(`POST ${url}/external_status_checks`, {
        json: { name: hostile.element, external_url: 'https://checks.example.com' },
      });
      assert.match(await openPage(page), /Status checks[\s\S]*badge-pending/);
      const { sha } = await server.must(`GET ${url}/merge_requests/1`);
      await server.must(`POST ${url}/merge_requests/1/status_check_responses`, {
        json: { sha, external_status_check_id: check.id, status: 'failed' },
      });
      assert.match(await openPage(page), /badge-failed[\s\S]*Retry/);
      assert.doesNotMatch(await openPage(page, reader), /Status checks/);
      await submit(page, `${page}/status_checks/${check.id}/retry`, {});
      assert.match(await openPage(page), /Status checks[\s\S]*badge-pending/);
      await server.must(`DELETE ${url}/external_status_checks/${check.id}`);
    });

    it('offer a rebase if the target branch has new commits', async () => {
      const page = `${list}/1`;
      assert.match(await openPage(page), /behind the target branch/);
      const conflict = await browser.fill(page, `${page}/rebase`, {});
      assert.equal(conflict.status, 303, conflict.text);
    });

    it('enforce permissions, and are readable without signing in', async () => {
      const page = `${list}/1`;
      for (const action of ['merge', 'rebase', 'draft', 'edit', 'discussions']) {
        const refused = await reader.fill(page, `${page}/${action}`, { title: 'mine now', note: 'x' });
        assert.ok(refused.status >= 400 && refused.status < 500, `${action}: ${refused.status}`);
        assert.equal((await browser.post(`${page}/${action}`, { title: 'forged' })).status, 422, action);
      }
      assert.equal((await server.must(`GET ${url}/merge_requests/1`)).title, hostile.attribute);
      const stranger = new Browser(server);
      for (const view of ['', '/commits', '/pipelines', '/diffs?view=parallel']) await openPage(page + view, stranger);
      assert.match((await stranger.open(`${page}/edit`)).headers.get('location') ?? '', /sign_in/);
    });

    it('add to and remove from a merge train', async () => {
      const config = `test: { script: [make], rules: [{ if: '$CI_MERGE_REQUEST_EVENT_TYPE == "merge_train"' }] }\n`;
      await server.must(`PUT ${url}`, { json: { merge_pipelines_enabled: true, merge_trains_enabled: true } });
      const file = (branch: string, path: string, content: string, start?: string) =>
        server.must(`POST ${url}/repository/commits`, {
          json: {
            branch,
            commit_message: path,
            ...(start && { start_branch: start }),
            actions: [{ action: 'create', file_path: path, content }],
          },
        });
      await file('main', '.gitlab-ci.yml', config);
      await file('rides', 'rides.txt', 'rides', 'main');
      const created = { source_branch: 'rides', target_branch: 'main', title: 'Ride' };
      const { iid, sha } = await server.must(`POST ${url}/merge_requests`, { json: created });
      await server.running.services.queue.drain();
      const page = `${list}/${iid}`;
      assert.match(await openPage(page), /name="auto_merge" value="true">Add to the merge train</);
      await submit(page, `${page}/merge`, { sha, choices: 'shown', auto_merge: 'true' });
      assert.match(
        await openPage(page),
        /on the <a href="[^"]*">merge train<\/a> of its target branch[\s\S]*badge-pending/,
      );
      const train = `${list.replace('merge_requests', 'merge_trains')}?target_branch=main`;
      assert.ok((await openPage(page)).includes(`href="${train}"`));
      assert.match(await openPage(train), /Merge train of main[\s\S]*<strong>Ride<\/strong>[\s\S]*badge-pending/);
      assert.match(await openPage(`${train}&scope=complete`), /No merged cars yet/);
      assert.match(await openPage(train.replace('=main', '=other')), /The merge train is empty/);
      await submit(page, `${page}/cancel_merge`, {});
      assert.match(await openPage(train), /The merge train is empty/);
      assert.match(await openPage(page), /Add to the merge train</);
    });
  });
});
