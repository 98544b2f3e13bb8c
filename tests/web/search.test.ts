import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { Browser, browserOfMember, rootPassword } from '../support/browser.ts';
import { addUser } from '../support/cast.ts';
import { forEachEngine } from '../support/engines.ts';
import { hostile } from '../support/hostile-texts.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

forEachEngine((engine) => {
  describe('project search pages', () => {
    let server: TestServer;
    let browser: Browser;
    const api = '/projects/root%2Fteas';
    const page = '/root/teas/-/search';

    before(async () => {
      server = await startTestServer(engine);
      browser = new Browser(server);
      await browser.signIn('root', rootPassword);
      await server.must('POST /projects', { json: { name: 'teas' } });
      const actions = [
        {
          action: 'create',
          file_path: 'src/a b.js',
          content: `\n\nconst sencha = '<i>green</i>';\n// ${hostile.element}\n`,
        },
        { action: 'create', file_path: 'docs/teas.md', content: 'Sencha is green.\n' },
      ];
      await server.must(`POST ${api}/repository/commits`, {
        json: { branch: 'main', commit_message: 'Brew sencha', actions },
      });
      await server.must(`POST ${api}/issues`, { json: { title: 'Sencha is cold' } });
      await server.must(`POST ${api}/issues/1/notes`, { json: { body: `sencha ${hostile.element}` } });
      await server.must(`POST ${api}/wikis`, { json: { title: 'Sencha', content: 'How sencha is brewed' } });
    });

    const openPage = (address: string) => browser.page(address);
    const found = (search: string, scope = 'blobs') =>
      openPage(`${page}?${new URLSearchParams({ search, scope }).toString()}`);

    it('are linked from project pages and GitLab’s URL', async () => {
      assert.match(await openPage('/root/teas'), /action="\/root\/teas\/-\/search"/);
      assert.match(await openPage('/explore'), /action="\/search"/);
      const { id } = await server.must(`GET ${api}`);
      const moved = await browser.open(`/search?project_id=${id}&search=sencha&scope=commits&x=1`);
      assert.equal(moved.headers.get('location'), '/root/teas/-/search?search=sencha&scope=commits');
      assert.equal((await browser.open('/search?project_id=999&search=sencha')).status, 200);
    });

    it('show highlighted code with links to lines', async () => {
      const text = await found('sencha');
      assert.match(text, /href="\/root\/teas\/-\/blob\/main\/src\/a%20b\.js#L\d"/);
      assert.match(text, /#L3">3<\/a><\/td><td><span class="hljs-keyword">const<\/span> <mark>sencha<\/mark> = /);
      assert.match(text, /docs\/teas\.md/);
      assert.doesNotMatch(await found('sencha extension:js'), /docs\/teas\.md#/);
      assert.match(await found('sencha extension:js'), /<mark>sencha<\/mark>/);
      assert.match(await found('nowhere at all'), /No results/);
    });

    it('support all other scopes', async () => {
      assert.match(await found('cold', 'issues'), /\/root\/teas\/-\/issues\/1"[\s\S]*Sencha is cold/);
      assert.match(await found('sencha', 'notes'), /\/-\/issues\/1#note_\d+">sencha [\s\S]*marker1/);
      assert.match(await found('Brew', 'commits'), /\/-\/commit\/[0-9a-f]{40}"><strong>Brew sencha/);
      assert.match(await found('brewed', 'wiki_blobs'), /\/-\/wikis\/Sencha"/);
      assert.match(await found('root', 'users'), /href="\/root"/);
      assert.match(await found('x', hostile.attribute), /<h1>Search<\/h1>/);
    });

    it('search the instance, naming projects and hiding inaccessible ones', async () => {
      const everywhere = (search: string, scope: string, who = browser) =>
        who.page(`/search?${new URLSearchParams({ search, scope }).toString()}`);
      assert.match(
        await everywhere('sencha', 'blobs'),
        /\/root\/teas\/-\/blob\/main\/src\/a%20b\.js#L\d"[\s\S]*href="\/root\/teas">Administrator \/ teas<[\s\S]*<mark>sencha<\/mark>/,
      );
      assert.match(await everywhere('sencha', 'notes'), /\/root\/teas\/-\/issues\/1#note_\d+">sencha [\s\S]*marker1/);
      assert.match(await everywhere('Brew', 'commits'), /\/root\/teas\/-\/commit\/[0-9a-f]{40}"><strong>Brew sencha/);
      assert.match(await everywhere('brewed', 'wiki_blobs'), /\/root\/teas\/-\/wikis\/Sencha"/);
      assert.match(await everywhere('nowhere at all', 'blobs'), /No results/);
      const { username } = await addUser(server, 'stranger');
      const stranger = new Browser(server);
      await stranger.signIn(username, 'long enough 4 you');
      for (const scope of ['blobs', 'notes', 'commits', 'wiki_blobs']) {
        assert.match(await everywhere('sencha', scope, stranger), /No results/, scope);
      }
    });

    it('search a group with its subgroups, from all its pages', async () => {
      const group = await server.must('POST /groups', { json: { name: 'Herbs', path: 'herbs' } });
      const below = await server.must('POST /groups', { json: { name: 'Roots', path: 'roots', parent_id: group.id } });
      await server.must('POST /projects', { json: { name: 'ginger', namespace_id: below.id } });
      await server.must('POST /projects/herbs%2Froots%2Fginger/issues', { json: { title: 'Sencha with ginger' } });
      for (const path of ['herbs', 'herbs/roots']) {
        const home = await openPage(`/${path}`);
        assert.ok(home.includes(`action="/groups/${path}/-/search"`), home);
        assert.match(home, /placeholder="Search this group"/);
        const inGroup = (search: string, scope: string) =>
          openPage(`/groups/${path}/-/search?${new URLSearchParams({ search, scope })}`);
        const issues = await inGroup('sencha', 'issues');
        assert.match(issues, /href="\/herbs\/roots\/ginger\/-\/issues\/1"/);
        assert.doesNotMatch(issues, /\/root\/teas\/-\/issues/);
        assert.match(issues, /href="\/search\?search=sencha"/);
        assert.match(await inGroup('ginger', 'projects'), /href="\/herbs\/roots\/ginger"/);
        assert.match(await inGroup('brew', 'commits'), /No results/);
      }
      const moved = await browser.open(`/search?group_id=${below.id}&search=ginger&x=1`);
      assert.equal(moved.headers.get('location'), '/groups/herbs/roots/-/search?search=ginger');
      assert.equal((await browser.open('/search?group_id=99999&search=ginger')).status, 200);
      const stranger = await browserOfMember(server, api);
      assert.equal((await stranger.open('/groups/herbs/-/search?search=sencha')).status, 404);
      assert.equal((await new Browser(server).open('/groups/herbs/-/search?search=sencha')).status, 303);
    });

    it('report disabled scopes, and show nothing to visitors', async () => {
      await server.must(`PUT ${api}`, { json: { wiki_access_level: 'disabled' } });
      const text = await found('brewed', 'wiki_blobs');
      assert.match(text, /role="alert"|No results/);
      assert.doesNotMatch(text, /\/-\/wikis\/Sencha"/);
      const stranger = await browserOfMember(server, api);
      assert.equal((await stranger.open(`${page}?search=sencha`)).status, 404);
      assert.equal((await new Browser(server).open(`${page}?search=sencha`)).status, 303);
    });
  });
});
