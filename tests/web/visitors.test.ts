import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { Browser, rootPassword } from '../support/browser.ts';
import { addUser } from '../support/cast.ts';
import { forEachEngine } from '../support/engines.ts';
import { hostile } from '../support/hostile-texts.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

forEachEngine((engine) => {
  describe('visitors without an account', () => {
    let server: TestServer;
    const visitor = () => new Browser(server);

    /** Returns the links in tabs and views of a page, and their status for a visitor. */
    const linksOn = async (path: string) => {
      const { text } = await visitor().open(path);
      const bars = [...text.matchAll(/<nav [^>]*aria-label="(?:Sections|Views)"[^>]*>([\s\S]*?)<\/nav>/g)];
      return bars.flatMap(([, bar = '']) => [...bar.matchAll(/href="([^"]*)"/g)].map(([, href = '']) => href));
    };

    before(async () => {
      server = await startTestServer(engine);
      const { id } = await server.must('POST /groups', { json: { name: 'Town', path: 'town', visibility: 'public' } });
      const open = { namespace_id: id, visibility: 'public', initialize_with_readme: true };
      await server.must('POST /projects', { json: { name: 'hall', ...open } });
      await server.must('POST /projects', {
        json: {
          name: 'vault',
          ...open,
          issues_access_level: 'private',
          builds_access_level: 'private',
          releases_access_level: 'disabled',
        },
      });
    });

    it('see exactly the links that they can open', async () => {
      const pages = [
        '/town/hall',
        '/town/hall/-/issues',
        '/town/hall/-/pipelines',
        '/town/hall/-/commits/main',
        '/town',
      ];
      for (const page of pages) {
        const links = await linksOn(page);
        assert.ok(links.length > 3, `${page}: ${links}`);
        for (const link of links) assert.equal((await visitor().open(link)).status, 200, `${page}: ${link}`);
      }
      assert.ok((await linksOn('/town/hall')).includes('/town/hall/-/issues'));
    });

    it('do not see links for members only', async () => {
      const links = await linksOn('/town/vault');
      assert.deepEqual(
        links.filter((link) => /issues|pipelines|releases|settings/.test(link)),
        [],
      );
      assert.ok(links.includes('/town/vault/-/merge_requests'), links.join(' '));
      const plain = await server.must('GET /projects/town%2Fvault', { token: null });
      assert.equal('issues_access_level' in plain, false);
      const asked = await server.must('GET /projects/town%2Fvault?with_access_levels=true', { token: null });
      assert.equal(asked.issues_access_level, 'private');
      assert.equal('permissions' in asked || 'runners_token' in asked, false);
    });

    it('read the wiki of a public project, and cannot write', async () => {
      const wiki = '/town/hall/-/wikis';
      const url = '/projects/town%2Fhall';
      assert.match(await visitor().page(wiki), /No pages yet\.<\/p>/);
      await server.must(`POST ${url}/wikis`, { json: { title: 'home', content: hostile.markdown } });
      await server.must(`POST ${url}/wikis`, { json: { title: 'rules/quiet', content: 'Be quiet. See [[home]].' } });
      assert.ok((await linksOn('/town/hall')).includes(wiki));
      assert.equal((await visitor().open(wiki)).headers.get('location'), `${wiki}/home`);
      const home = await visitor().page(`${wiki}/home`);
      assert.match(home, /marker3/);
      assert.doesNotMatch(home, />Edit<|>Delete<|>New page</);
      assert.match(await visitor().page(`${wiki}/pages`), /rules\/quiet/);
      const history = await visitor().page(`${wiki}/rules/quiet/history`);
      const [, version = ''] = /version_id=([0-9a-f]{40})/.exec(history) ?? [];
      const former = await visitor().page(`${wiki}/rules/quiet?version_id=${version}`);
      assert.match(former, /Be quiet/);
      assert.doesNotMatch(former, /Restore this version/);
      for (const address of [`${wiki}/new`, `${wiki}/home?action=edit`])
        assert.equal((await visitor().open(address)).headers.get('location')?.startsWith('/users/sign_in'), true);
      await server.must(`PUT ${url}`, { json: { wiki_access_level: 'private' } });
      assert.equal((await linksOn('/town/hall')).includes(wiki), false);
      for (const address of [wiki, `${wiki}/home`, `${wiki}/pages`, `${wiki}/home/history`])
        assert.notEqual((await visitor().open(address)).status, 200, address);
      await server.must(`PUT ${url}`, { json: { wiki_access_level: 'enabled' } });
    });

    it('list forks and stars of a public project, without private forks and profiles', async () => {
      const own = await addUser(server, 'copyist');
      await server.must('POST /projects/town%2Fhall/fork', {
        json: { name: 'annex', path: 'annex', visibility: 'public' },
      });
      await server.must('POST /projects/town%2Fhall/fork', {
        json: { name: 'cellar', path: 'cellar', visibility: 'private' },
      });
      await server.must('POST /projects/town%2Fhall/star', { token: own.token });
      await server.running.services.queue.drain();
      const home = await visitor().page('/town/hall');
      assert.match(home, /href="\/town\/hall\/-\/starrers">1 star</);
      assert.match(home, /href="\/town\/hall\/-\/forks">\d forks</);
      const forks = await visitor().page('/town/hall/-/forks');
      assert.match(forks, /href="\/root\/annex"/);
      assert.doesNotMatch(forks, /cellar|New fork/);
      assert.match(await visitor().page('/town/hall/-/forks?name=nothing'), /No visible forks/);
      assert.match(await visitor().page('/town/hall/-/starrers'), new RegExp(`href="/${own.username}"`));
      assert.match(await visitor().page('/town/hall/-/starrers?name=nobody'), /No visible stars/);
      const root = new Browser(server);
      await root.signIn('root', rootPassword);
      assert.match(await root.page('/town/hall/-/forks'), /href="\/root\/cellar"/);
      assert.match(await root.page('/town/hall/-/forks'), /href="\/town\/hall\/-\/forks\/new">New fork/);
      assert.equal((await visitor().open('/root/cellar/-/forks')).status, 404);
      assert.equal((await visitor().open('/root/cellar/-/starrers')).status, 404);
    });

    it('can filter lists by label, author or milestone', async () => {
      const url = '/projects/town%2Fhall';
      await server.must(`POST ${url}/milestones`, { json: { title: hostile.attribute } });
      const [milestone] = await server.must(`GET ${url}/milestones`);
      const labels = 'a & b';
      await server.must(`POST ${url}/issues`, { json: { title: 'One', labels, milestone_id: milestone.id } });
      await server.must(`POST ${url}/issues`, { json: { title: 'Other' } });
      const list = '/town/hall/-/issues';
      const { text } = await visitor().open(`${list}?state=all&page=1`);
      const follow = async (name: string, count: number) => {
        const [, href = ''] = new RegExp(`href="([^"]*[?&;]${name}=[^"]*)"`).exec(text) ?? [];
        const address = href.replaceAll('&amp;', '&');
        assert.match(address, /state=all/);
        assert.doesNotMatch(address, /page=/);
        const shown = (await visitor().open(address)).text;
        assert.equal([...shown.matchAll(/<strong>(?:One|Other)<\/strong>/g)].length, count, address);
      };
      await follow('label_name', 1);
      await follow('milestone_title', 1);
      await follow('author_username', 2);
      const root = new Browser(server);
      await root.signIn('root', rootPassword);
      const { iid } = await server.must('POST /groups/town/epics', { json: { title: 'Grow', labels } });
      assert.match((await root.open('/groups/town/-/epics')).text, /href="[^"]*epics\?label_name=a\+%26\+b"/);
      assert.equal(iid, 1);
    });
  });
});
