import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { Gitlab } from '@gitbeaker/rest';
import { addUser } from '../../support/cast.ts';
import { forEachEngine } from '../../support/engines.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

forEachEngine((engine) => {
  describe('POST /markdown', () => {
    let server: TestServer;
    let member: { id: number; username: string; token: string };
    let outsider: { token: string };
    let sha: string;
    const project = 'outer/it';

    before(async () => {
      server = await startTestServer(engine);
      const group = await server.must('POST /groups', { json: { name: 'Outer', path: 'outer' } });
      const { id } = await server.must('POST /projects', {
        json: { name: 'It', path: 'it', namespace_id: group.id, initialize_with_readme: true },
      });
      member = await addUser(server, 'member');
      outsider = await addUser(server, 'outsider');
      await server.must(`POST /projects/${id}/members`, { json: { user_id: member.id, access_level: 20 } });
      await server.must(`POST /groups/${group.id}/labels`, { json: { name: 'two words', color: '#abc' } });
      await server.must(`POST /projects/${id}/labels`, { json: { name: 'bug', color: '#abc' } });
      [{ id: sha }] = await server.must(`GET /projects/${id}/repository/commits`);
    });

    const html = async (json: object, token = member.token): Promise<string> =>
      (await server.must('POST /markdown', { json, token })).html;

    it('renders a text', async () => {
      const answer = await server.api('POST /markdown', { json: { text: '**foo** #1 :tada:' }, token: outsider.token });
      assert.equal(answer.status, 201);
      assert.deepEqual(answer.body, { html: '<p dir="auto"><strong>foo</strong> #1 :tada:</p>' });
    });

    it('renders GitLab Flavored Markdown if requested', async () => {
      const drawn = await html({ text: 'Hello :tada: - @nobody-at-all', gfm: true });
      assert.equal(
        drawn,
        '<p dir="auto">Hello <gl-emoji title="tada" data-name="tada">🎉</gl-emoji> - @nobody-at-all</p>',
      );
    });

    it('links users, groups, labels and commits', async () => {
      const text = `@${member.username.toUpperCase()} @outer ~bug ~"two words" ${sha.slice(0, 9)} ${sha.slice(0, 8)}...${sha}`;
      const links = (await html({ text, gfm: true, project })).matchAll(
        /<a href="([^"]*)"[^>]*class="([^"]*)">([^<]*)</g,
      );
      assert.deepEqual(
        [...links].map(([, ...parts]) => parts),
        [
          [`/${member.username}`, 'gfm gfm-project_member', `@${member.username}`],
          ['/groups/outer', 'gfm gfm-project_member', '@outer'],
          ['/outer/it/-/issues?label_name[]=bug', 'gfm gfm-label', 'bug'],
          ['/outer/it/-/issues?label_name[]=two%20words', 'gfm gfm-label', 'two words'],
          [`/outer/it/-/commit/${sha}`, 'gfm gfm-commit', sha.slice(0, 8)],
          [`/outer/it/-/compare/${sha}...${sha}`, 'gfm gfm-commit_range', `${sha.slice(0, 8)}...${sha.slice(0, 8)}`],
        ],
      );
    });

    // As in Renovate's dashboard issue.
    it('links references in link targets', async () => {
      const { iid } = await server.must(`POST /projects/${encodeURIComponent(project)}/issues`, {
        json: { title: 'Wanted' },
      });
      const text = ` - [ ] <!-- rebase -->[Update @${member.username}](#${iid}) [nothing](!9999)`;
      const drawn = await html({ text, gfm: true, project });
      assert.match(drawn, new RegExp(`<a href="/outer/it/-/issues/${iid}"[^>]*>Update @${member.username}</a>`));
      assert.doesNotMatch(drawn, /gfm-project_member|gfm-merge_request/);
    });

    it('works with gitbeaker', async () => {
      const { Markdown } = new Gitlab({ host: server.url, token: member.token });
      const { html: drawn } = await Markdown.render('~bug', { gfm: 'true', project });
      assert.match(drawn, /class="gfm gfm-label">bug</);
    });

    it('resolves relative links in the repository', async () => {
      const drawn = await html({ text: '[a](docs/a.md) ![b](b.png)', gfm: true, project });
      assert.match(drawn, /href="\/outer\/it\/-\/blob\/main\/docs\/a\.md".*src="\/outer\/it\/-\/raw\/main\/b\.png"/);
    });

    it('does not reveal private projects to other users', async () => {
      const written = `outer/it~bug outer/it@${sha} @outer ${server.url}/outer/it/-/commit/${sha}`;
      const text = `${written} [l](outer/it~bug) [c](${server.url}/outer/it/-/commit/${sha})`;
      assert.equal((await html({ text, gfm: true })).match(/class="gfm/g)?.length, 6);
      assert.doesNotMatch(await html({ text, gfm: true }, outsider.token), /class="gfm/);
      const hidden = await server.api('POST /markdown', { json: { text, gfm: true, project }, token: outsider.token });
      assert.deepEqual([hidden.status, hidden.body], [404, { message: '404 Project Not Found' }]);
      const missing = await server.api('POST /markdown', { json: { text, gfm: true, project: 'no/where' } });
      assert.deepEqual([missing.status, missing.body], [404, { message: '404 Project Not Found' }]);
    });

    it('removes scripts and event handlers', async () => {
      const drawn = await html({
        text: '<script>alert(1)</script><img src=x onerror=alert(1)> [x](javascript:alert(1))',
        gfm: true,
      });
      assert.doesNotMatch(drawn, /<script|onerror|href="javascript/);
    });

    it('renders a million brackets as plain text', async () => {
      const { status, body } = await server.api('POST /markdown', { json: { text: '['.repeat(1_000_000), gfm: true } });
      assert.equal(status, 201);
      assert.ok(body.html.startsWith('<pre class="code">'));
    });

    it('requires a text and an authenticated caller', async () => {
      const missing = await server.api('POST /markdown', { json: {} });
      assert.deepEqual([missing.status, missing.body], [400, { error: 'text is missing' }]);
      const wrong = await server.api('POST /markdown', { json: { text: 'x', gfm: 'perhaps' } });
      assert.deepEqual([wrong.status, wrong.body], [400, { error: 'gfm is invalid' }]);
      assert.equal((await server.api('POST /markdown', { json: { text: 'x' }, token: null })).status, 401);
      assert.equal((await server.api('POST /markdown', { json: { text: 'x' }, token: 'nonsense' })).status, 401);
    });

    it('accepts tokens with scope read_api', async () => {
      const reader = await addUser(server, 'reader', ['read_api']);
      assert.equal(await html({ text: 'x' }, reader.token), '<p dir="auto">x</p>');
      const other = await addUser(server, 'other', ['read_user']);
      assert.equal((await server.api('POST /markdown', { json: { text: 'x' }, token: other.token })).status, 403);
    });

    it('takes a constant number of queries for any number of references', async () => {
      const cost = (count: number) => {
        const text = Array.from({ length: count }, (_, at) => `~l${at} @u${at}`).join(' ');
        return server.queriesOf(() => html({ text, gfm: true, project }));
      };
      await cost(1);
      assert.equal(await cost(300), await cost(3));
    });
  });
});
