import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { atOnce, statuses } from '../../support/at-once.ts';
import { addUser } from '../../support/cast.ts';
import { forEachEngine } from '../../support/engines.ts';
import { GitClient, withCredentials } from '../../support/git-client.ts';
import { rootToken, startTestServer, type TestServer } from '../../support/server.ts';
import { until } from '../../support/until.ts';

forEachEngine((engine) => {
  describe('wikis', () => {
    let server: TestServer;
    let group: { id: number };
    let project: { id: number; path_with_namespace: string };
    let developer: { id: number; username: string; token: string };
    let outsider: { id: number; token: string };

    before(async () => {
      server = await startTestServer(engine);
      group = await server.must('POST /groups', { json: { name: 'Group', path: 'group', visibility: 'public' } });
      project = await server.must('POST /projects', {
        json: { name: 'P', namespace_id: group.id, visibility: 'public' },
      });
      developer = await addUser(server, 'developer');
      outsider = await addUser(server, 'outsider');
      await server.must(`POST /projects/${project.id}/members`, { json: { user_id: developer.id, access_level: 30 } });
    });

    it('have pages that can be created, read, updated, moved and deleted', async () => {
      const wiki = `/projects/${project.id}/wikis`;
      assert.deepEqual(await server.must(`GET ${wiki}`), []);
      const made = await server.must(`POST ${wiki}`, {
        token: developer.token,
        json: { title: 'Some page', content: '# Hello *you*', front_matter: { title: 'Shown' } },
      });
      assert.equal(typeof made.wiki_page_meta_id, 'number');
      assert.deepEqual(made, {
        format: 'markdown',
        slug: 'Some-page',
        title: 'Some page',
        wiki_page_meta_id: made.wiki_page_meta_id,
        content: '# Hello *you*',
        encoding: 'UTF-8',
        front_matter: { title: 'Shown' },
      });
      assert.deepEqual(await server.must(`GET ${wiki}/Some-page`), made);
      const rendered = await server.must(`GET ${wiki}/Some-page?render_html=true`);
      assert.match(rendered.content, /<em>you<\/em>/);
      const twice = await server.api(`POST ${wiki}`, { json: { title: 'Some page', content: 'x' } });
      assert.deepEqual(
        [twice.status, twice.body],
        [400, { message: { base: ['Duplicate page: A page with that title already exists'] } }],
      );

      const moved = await server.must(`PUT ${wiki}/Some-page`, { json: { title: 'dir/Other', content: 'New' } });
      assert.deepEqual(
        [moved.slug, moved.content, moved.wiki_page_meta_id],
        ['dir/Other', 'New', made.wiki_page_meta_id],
      );
      assert.equal((await server.api(`GET ${wiki}/Some-page`)).status, 404);
      assert.equal((await server.must(`GET ${wiki}/dir%2FOther`)).content, 'New');
      const listed = await server.must(`GET ${wiki}?with_content=true`);
      assert.deepEqual(
        listed.map((page: { slug: string; content: string }) => [page.slug, page.content]),
        [['dir/Other', 'New']],
      );
      assert.equal('content' in (await server.must(`GET ${wiki}`))[0], false);

      assert.equal((await server.api(`DELETE ${wiki}/dir%2FOther`, { token: developer.token })).status, 403);
      assert.equal((await server.api(`DELETE ${wiki}/dir%2FOther`)).status, 204);
      const deleted = await server.api(`GET ${wiki}/dir%2FOther`);
      assert.deepEqual([deleted.status, deleted.body.message], [404, '404 Wiki Page Not Found']);
      const events = await server.must(`GET /projects/${project.id}/events?target_type=wiki`);
      assert.deepEqual(
        events.map((event: { action_name: string }) => event.action_name),
        ['destroyed', 'updated', 'created'],
      );
    });

    it('take front matter from the content or on its own', async () => {
      const page = `/projects/${project.id}/wikis`;
      const json = { title: 'Front', content: '---\ntitle: One\n---\nText' };
      const shown = async () => {
        const { content, front_matter } = await server.must(`GET ${page}/Front`);
        return [content, front_matter];
      };
      const made = await server.must(`POST ${page}`, { json });
      assert.deepEqual([made.content, made.front_matter], ['Text', { title: 'One' }]);
      assert.deepEqual(await shown(), ['Text', { title: 'One' }]);
      const changes: [object, string, object][] = [
        [{ content: '---\ntitle: Two\n---\nNew' }, 'New', { title: 'Two' }],
        [{ content: 'Newer' }, 'Newer', { title: 'Two' }],
        [
          { content: '---\nx: y\n---\nText', front_matter: { title: 'Three' } },
          '---\nx: y\n---\nText',
          { title: 'Three' },
        ],
        [{ format: 'markdown' }, '---\nx: y\n---\nText', { title: 'Three' }],
        [{ content: 'Text', front_matter: {} }, 'Text', {}],
      ];
      for (const [change, content, head] of changes) {
        const changed = await server.must(`PUT ${page}/Front`, { json: change });
        assert.deepEqual([changed.content, changed.front_matter], [content, head], JSON.stringify(change));
        assert.deepEqual(await shown(), [content, head], JSON.stringify(change));
      }
      assert.equal((await server.api(`DELETE ${page}/Front`)).status, 204);
    });

    it('stay in their directory when they get a title without a slash, and keep their bytes', async () => {
      const { id } = await server.must('POST /projects', { json: { name: 'Moved pages' } });
      const wiki = `/projects/${id}/wikis`;
      const client = new GitClient();
      await client.init();
      await client.commit({ 'page.md': Buffer.from('caf\xe9\n', 'latin1') });
      await client.git('push', '-q', withCredentials(server.url, 'root/moved-pages.wiki', 'root', rootToken), 'main');
      const blob = await client.git('rev-parse', 'HEAD:page.md');
      const moves: [string, string, string][] = [
        ['page', 'a/b/Page', 'a/b/Page'],
        ['a/b/Page', 'Other page', 'a/b/Other-page'],
        ['a/b/Other-page', 'c/Page', 'c/Page'],
        ['c/Page', '/Page', 'Page'],
      ];
      for (const [slug, title, moved] of moves) {
        const answer = await server.must(`PUT ${wiki}/${encodeURIComponent(slug)}`, { json: { title } });
        assert.equal(answer.slug, moved, title);
      }
      await client.git('fetch', '-q', withCredentials(server.url, 'root/moved-pages.wiki', 'root', rootToken), 'main');
      assert.equal(await client.git('rev-parse', 'FETCH_HEAD:Page.md'), blob);
    });

    it('keep a text that is too large to be read', async () => {
      const { id } = await server.must('POST /projects', { json: { name: 'Large pages' } });
      const page = `/projects/${id}/wikis/large`;
      const remote = withCredentials(server.url, 'root/large-pages.wiki', 'root', rootToken);
      const client = new GitClient();
      await client.init();
      await client.commit({ 'large.md': Buffer.alloc(10 * 1024 * 1024 + 1, 'a\n') });
      await client.git('push', '-q', remote, 'main');
      const refused = await server.api(`PUT ${page}`, { json: { front_matter: { title: 'Large' } } });
      const text = 'cannot be changed, because the page is too large to be read';
      assert.deepEqual([refused.status, refused.body], [400, { message: { front_matter: [text] } }]);
      assert.equal((await server.must(`PUT ${page}`, { json: { title: 'Larger' } })).slug, 'Larger');
      await client.git('fetch', '-q', remote, 'main');
      const blobs = await client.git('rev-parse', 'HEAD:large.md', 'FETCH_HEAD:Larger.md');
      assert.equal(new Set(blobs.split('\n')).size, 1);
    });

    it('reject invalid input with the documented errors', async () => {
      const wiki = `/projects/${project.id}/wikis`;
      const table: [string, object, number, unknown][] = [
        [`POST ${wiki}`, { content: 'x' }, 400, { error: 'title is missing' }],
        [`POST ${wiki}`, { title: 'x' }, 400, { error: 'content is missing' }],
        [`POST ${wiki}`, { title: ' ', content: 'x' }, 400, { message: { title: ["can't be blank"] } }],
        [
          `POST ${wiki}`,
          { title: 'x', content: 'x', format: 'no' },
          400,
          { error: 'format does not have a valid value' },
        ],
        [`PUT ${wiki}/none`, { content: 'x' }, 404, { message: '404 Wiki Page Not Found' }],
        [`DELETE ${wiki}/none`, {}, 404, { message: '404 Wiki Page Not Found' }],
      ];
      for (const [call, json, status, body] of table) {
        const answer = await server.api(call, { json });
        assert.deepEqual([answer.status, answer.body], [status, body], call);
      }
      assert.equal((await server.api(`POST ${wiki}`, { json: { title: '.git/config', content: 'x' } })).status, 400);
      const json = { title: 'x', content: 'y' };
      assert.equal((await server.api(`POST ${wiki}`, { token: null, json })).status, 401);
      assert.equal((await server.api(`POST ${wiki}`, { token: outsider.token, json })).status, 403);
      assert.equal((await server.api(`GET ${wiki}`, { token: null })).status, 200);
      await server.must(`PUT /projects/${project.id}`, { json: { wiki_access_level: 'private' } });
      assert.equal((await server.api(`GET ${wiki}`, { token: outsider.token })).status, 403);
      assert.equal((await server.api(`GET ${wiki}/Home/versions`, { token: outsider.token })).status, 403);
      await server.must(`PUT /projects/${project.id}`, { json: { wiki_access_level: 'disabled' } });
      assert.equal((await server.api(`GET ${wiki}`)).status, 403);
      await server.must(`PUT /projects/${project.id}`, { json: { wiki_access_level: 'enabled' } });
    });

    it('limit the size of pages', async () => {
      const set = (json: object) => server.must('PUT /application/settings', { json });
      const { wiki_page_max_content_bytes } = await server.must('GET /application/settings');
      await set({ wiki_page_max_content_bytes: 1024 });
      const write = (size: number) =>
        server.api(`POST /projects/${project.id}/wikis`, { json: { title: 'Large', content: 'x'.repeat(size) } });
      const refused = await write(1025);
      assert.equal(refused.status, 400);
      assert.match(JSON.stringify(refused.body), /is too long \(1025 bytes\)\. The maximum size is 1024 bytes\./);
      assert.equal((await write(1024)).status, 201);
      await server.must(`DELETE /projects/${project.id}/wikis/Large`);
      await set({ wiki_page_max_content_bytes });
    });

    it('have unique page titles under concurrent requests', async () => {
      const formats = ['markdown', 'rdoc', 'asciidoc', 'org'];
      const answers = await atOnce(4, (n) =>
        server.api(`POST /projects/${project.id}/wikis`, { json: { title: 'Race', content: 'x', format: formats[n] } }),
      );
      assert.deepEqual(statuses(answers), { 201: 1, 400: 3 });
    });

    it('lose no concurrent changes', async () => {
      const wiki = `/projects/${project.id}/wikis`;
      const created = await atOnce(6, (n) =>
        server.api(`POST ${wiki}`, { json: { title: `Race ${n}`, content: 'x' } }),
      );
      assert.deepEqual(statuses(created), { 201: 6 });
      const attached = await atOnce(4, (n) => {
        const body = new FormData();
        body.set('file', new Blob([`pixels ${n}`]), `${n}.png`);
        return server.api(`POST ${wiki}/attachments`, { body });
      });
      assert.deepEqual(statuses(attached), { 201: 4 });
      const changed = await atOnce(5, (n) => server.api(`PUT ${wiki}/Race-0`, { json: { content: `by ${n}` } }));
      for (const { status } of changed) assert.ok(status === 200 || status === 409, `${status}`);
      const versions: { message: string }[] = await server.must(`GET ${wiki}/Race-0/versions`);
      assert.equal(
        versions.filter(({ message }) => message === 'root changed page: Race 0').length,
        changed.filter(({ status }) => status === 200).length,
      );
      const deleted = await atOnce(5, () => server.api(`DELETE ${wiki}/Race-1`));
      assert.deepEqual(statuses(deleted), { 204: 1, 404: 4 });
    });

    it('accept attachments, and can be cloned and pushed to', async () => {
      const form = new FormData();
      form.set('file', new Blob(['pixels']), 'a picture.png');
      const attached = await server.must(`POST /projects/${project.id}/wikis/attachments`, { body: form });
      assert.equal(attached.file_name, 'a_picture.png');
      assert.match(attached.file_path, /^uploads\/[0-9a-f]{32}\/a_picture\.png$/);
      assert.equal(attached.link.markdown, `![a_picture](${attached.file_path})`);
      await server.must(`POST /projects/${project.id}/wikis`, {
        json: { title: 'Shown', content: `${attached.link.markdown} [[Some page]] [there](../else.md)` },
      });
      const { content } = await server.must(`GET /projects/${project.id}/wikis/Shown?render_html=true`);
      const home = `/${project.path_with_namespace}/-/wikis`;
      assert.deepEqual(
        [...content.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, address]: string[]) => address),
        [`${home}/${attached.file_path}`, `${home}/Some-page`, '../else.md'],
      );
      const shown = await fetch(`${server.url}${home}/${attached.file_path}`);
      assert.deepEqual([shown.status, await shown.text()], [200, 'pixels']);
      assert.match(shown.headers.get('content-security-policy') ?? '', /default-src 'none'/);
      for (const path of [`${home}/uploads/none/x.png`, `${home}/uploads/..%2fShown.md`, `${home}/uploads/`]) {
        assert.notEqual((await fetch(`${server.url}${path}`, { redirect: 'manual' })).status, 200, path);
      }
      await server.must(`PUT /projects/${project.id}`, { json: { wiki_access_level: 'private' } });
      assert.equal((await fetch(`${server.url}${home}/${attached.file_path}`)).status, 403);
      await server.must(`PUT /projects/${project.id}`, { json: { wiki_access_level: 'enabled' } });

      const client = new GitClient();
      const url = withCredentials(
        server.url,
        `${project.path_with_namespace}.wiki`,
        developer.username,
        developer.token,
      );
      await client.git('clone', '-q', url, 'wiki');
      writeFileSync(join(client.folder, 'wiki', 'Pushed.md'), 'By git: pangolin');
      await client.git('-C', 'wiki', 'add', '-A');
      await client.git('-C', 'wiki', 'commit', '-qm', 'Pushed');
      await client.git('-C', 'wiki', 'push', '-q', 'origin', 'HEAD:main');
      assert.equal((await server.must(`GET /projects/${project.id}/wikis/Pushed`)).content, 'By git: pangolin');
      const found = await server.must(`GET /projects/${project.id}/search?scope=wiki_blobs&search=pangolin`);
      assert.deepEqual(
        found.map(({ path }: { path: string }) => path),
        ['Pushed.md'],
      );

      const notified = async () =>
        (await server.must(`GET /projects/${project.id}/events?target_type=wiki`))
          .filter(({ target_title }: { target_title: string }) => target_title === 'Pushed')
          .map((event: { action_name: string; author_id: number }) => `${event.action_name} by ${event.author_id}`)
          .reverse();
      await until(async () => (await notified()).length === 1);
      writeFileSync(join(client.folder, 'wiki', 'Pushed.md'), 'By git: armadillo');
      await client.git('-C', 'wiki', 'commit', '-qam', 'Changed');
      await client.git('-C', 'wiki', 'push', '-q', 'origin', 'HEAD:main');
      await client.git('-C', 'wiki', 'rm', '-q', 'Pushed.md');
      await client.git('-C', 'wiki', 'commit', '-qm', 'Gone');
      await client.git('-C', 'wiki', 'push', '-q', 'origin', 'HEAD:main');
      await until(async () => (await notified()).length === 3);
      const by = `by ${developer.id}`;
      assert.deepEqual(await notified(), [`created ${by}`, `updated ${by}`, `destroyed ${by}`]);

      const other = withCredentials(server.url, `${project.path_with_namespace}.wiki`, 'x', outsider.token);
      assert.notEqual((await client.run('-C', 'wiki', 'push', '-q', other, 'HEAD:main')).code, 0);
    });

    it('exist for groups too, with their own access level, and are deleted with their owner', async () => {
      const wiki = `/groups/${group.id}/wikis`;
      const made = await server.must(`POST ${wiki}`, { json: { title: 'Home', content: 'Of the group' } });
      assert.equal((await server.must(`GET ${wiki}/Home`, { token: outsider.token })).content, 'Of the group');
      assert.equal(made.slug, 'Home');
      await server.must(`PUT ${wiki}/Home`, { json: { title: 'Start', content: 'Of the group' } });
      const versions = await server.must(`GET ${wiki}/Start/versions`, { token: outsider.token });
      assert.deepEqual(
        versions.map(({ message }: { message: string }) => message),
        ['root changed page: Start', 'root created page: Home'],
      );
      assert.equal((await server.must(`GET ${wiki}/Start/versions?per_page=1&page=2`)).length, 1);
      assert.deepEqual(await server.must(`GET ${wiki}/Start/versions?page=9`), []);
      assert.equal((await server.api(`GET ${wiki}/Home/versions`)).status, 404);
      await server.must(`PUT ${wiki}/Start`, { json: { title: 'Home' } });
      await server.must(`POST /groups/${group.id}/members`, { json: { user_id: developer.id, access_level: 30 } });
      const client = new GitClient();
      const address = (name: string, token: string) => withCredentials(server.url, 'group.wiki', name, token);
      const own = address(developer.username, developer.token);
      await client.git('clone', '-q', own, 'wiki');
      writeFileSync(join(client.folder, 'wiki', 'Pushed.md'), 'To the group, by git');
      await client.git('-C', 'wiki', 'add', '-A');
      await client.git('-C', 'wiki', 'commit', '-qm', 'Pushed');
      const others = address('x', outsider.token);
      assert.notEqual((await client.run('-C', 'wiki', 'push', '-q', others, 'HEAD:main')).code, 0);
      assert.equal((await client.run('ls-remote', others)).code, 0);
      await client.git('-C', 'wiki', 'push', '-q', 'origin', 'HEAD:main');
      assert.equal((await server.must(`GET ${wiki}/Pushed`)).content, 'To the group, by git');
      await until(async () => typeof (await server.must(`GET ${wiki}/Pushed`)).wiki_page_meta_id === 'number');
      await server.must(`PUT /groups/${group.id}`, { json: { wiki_access_level: 'private' } });
      assert.notEqual((await client.run('ls-remote', others)).code, 0);
      assert.equal((await client.run('ls-remote', own)).code, 0);
      assert.equal((await server.api(`GET ${wiki}`, { token: outsider.token })).status, 403);
      assert.equal((await server.api(`GET ${wiki}/Home/versions`, { token: outsider.token })).status, 403);
      await server.must(`PUT /groups/${group.id}`, { json: { wiki_access_level: 'disabled' } });
      assert.equal((await server.api(`GET ${wiki}`)).status, 404);
      assert.notEqual((await client.run('ls-remote', own)).code, 0);

      const short = await server.must('POST /projects', { json: { name: 'Short' } });
      await server.must(`POST /projects/${short.id}/wikis`, { json: { title: 'a', content: 'b' } });
      await server.must(`DELETE /projects/${short.id}`);
      const { path_with_namespace } = await server.must(`GET /projects/${short.id}`);
      await server.must(`DELETE /projects/${short.id}?permanently_remove=true&full_path=${path_with_namespace}`);
      const { git } = server.running.services;
      const repo = git.repository(`${short.id}.wiki`);
      const { repositoryExists } = await import('../../../src/platform/git/repository.ts');
      await until(async () => !(await repositoryExists(repo)));
    });

    it('count towards the storage statistics of the project', async () => {
      const { id } = await server.must('POST /projects', { json: { name: 'Measured', namespace_id: group.id } });
      const size = async () => (await server.must(`GET /projects/${id}?statistics=true`)).statistics.wiki_size;
      assert.equal(await size(), 0);
      const content = Array.from({ length: 500 }, (_, at) => `${at} ${Math.sin(at)}`).join('\n');
      await server.must(`POST /projects/${id}/wikis`, { json: { title: 'Long', content } });
      await until(async () => (await size()) > 1000);
      const shown = (await server.must('GET /projects?order_by=wiki_size&statistics=true')) as {
        statistics: { wiki_size: number };
      }[];
      const sizes = shown.map(({ statistics }) => statistics.wiki_size);
      assert.deepEqual(
        sizes,
        sizes.toSorted((one, other) => other - one),
      );
    });
  });
});
