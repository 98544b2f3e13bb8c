import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { atOnce, inRounds, statuses } from '../../support/at-once.ts';
import { forEachEngine } from '../../support/engines.ts';
import { GitClient } from '../../support/git-client.ts';
import { type ProjectWithRoles, projectWithRoles } from '../../support/project-with-roles.ts';

const source = new GitClient();

before(async () => {
  await source.init();
  await source.commit({ 'a.txt': 'a' }, 'a');
  await source.git('tag', 'v1.0');
  await source.commit({ 'a.txt': 'b' }, 'b');
});

forEachEngine((engine) => {
  describe('releases API', () => {
    let scene: ProjectWithRoles;
    let path: string;

    before(async () => {
      scene = await projectWithRoles(engine, 'releases', source);
      path = `${scene.base}/releases`;
    });

    it('creates a release from a tag', async () => {
      const answer = await scene.asDeveloper(`POST ${path}`, {
        json: {
          tag_name: 'v1.0',
          description: 'First <b>',
          assets: { links: [{ name: 'binary', url: 'https://example.com/b', direct_asset_path: '/bin/b' }] },
        },
      });
      assert.equal(answer.status, 201, answer.text);
      const one = answer.body;
      const url = `${scene.server.url}/${scene.owner.user.username}/releases`;
      assert.deepEqual(Object.keys(one).sort(), [
        '_links',
        'assets',
        'author',
        'commit',
        'commit_path',
        'created_at',
        'description',
        'evidences',
        'milestones',
        'name',
        'released_at',
        'tag_name',
        'tag_path',
        'upcoming_release',
      ]);
      assert.equal(one.name, 'v1.0');
      assert.equal(one.author.username, scene.developer.user.username);
      assert.equal(one.commit.id, await source.git('rev-parse', 'v1.0'));
      assert.equal(one.assets.count, 5);
      assert.deepEqual(one.assets.sources[1], {
        format: 'tar.gz',
        url: `${url}/-/archive/v1.0/releases-v1.0.tar.gz`,
      });
      assert.equal(one.assets.links[0].direct_asset_url, `${url}/-/releases/v1.0/downloads/bin/b`);
      assert.equal(one.evidences.length, 1);
      assert.match(one.evidences[0].sha, /^[0-9a-f]{64}$/);
      assert.equal(one._links.self, `${url}/-/releases/v1.0`);
      const html = await scene.asOwner(`GET ${path}/v1.0?include_html_description=true`);
      assert.match(html.body.description_html, /^<p[^>]*>First <b><\/b><\/p>$/);
    });

    it('creates the tag if ref is given', async () => {
      const json = {
        tag_name: 'v2.0',
        ref: 'main',
        tag_message: 'second',
        name: 'Two',
        released_at: '2100-01-01T00:00:00Z',
      };
      const answer = await scene.asDeveloper(`POST ${path}`, { json });
      assert.equal(answer.status, 201, answer.text);
      assert.deepEqual([answer.body.upcoming_release, answer.body.evidences], [true, []]);
      assert.equal((await scene.asOwner(`GET ${scene.base}/repository/tags/v2.0`)).body.message, 'second');
    });

    it('associates milestones with their progress', async () => {
      const milestone = (title: string, due_date?: string) =>
        scene.server.must(`POST ${scene.base}/milestones`, {
          token: scene.developer.token,
          json: { title, ...(due_date && { due_date }) },
        });
      const later = await milestone('later');
      const soon = await milestone('soon', '2100-01-01');
      await scene.asDeveloper(`POST ${scene.base}/issues`, { json: { title: 'open', milestone_id: soon.id } });
      const titles = (release: { milestones: { title: string }[] }) => release.milestones.map(({ title }) => title);

      const json = { tag_name: 'm1', ref: 'main', milestones: ['later', 'soon'] };
      const made = await scene.asDeveloper(`POST ${path}`, { json });
      assert.equal(made.status, 201, made.text);
      assert.deepEqual(titles(made.body), ['soon', 'later']);
      assert.deepEqual(made.body.milestones[0].issue_stats, { total: 1, closed: 0 });
      const { filepath } = made.body.evidences[0];
      const evidence = await fetch(filepath, { headers: { 'private-token': scene.developer.token } });
      assert.deepEqual(titles(((await evidence.json()) as { release: Parameters<typeof titles>[0] }).release), [
        'soon',
        'later',
      ]);

      const put = (change: object) => scene.asDeveloper(`PUT ${path}/m1`, { json: change });
      assert.deepEqual(titles((await put({ name: 'Other' })).body), ['soon', 'later'], 'kept if not given');
      assert.deepEqual(titles((await put({ milestone_ids: [later.id] })).body), ['later']);
      const foreign = await put({ milestone_ids: [later.id, 9999] });
      assert.deepEqual([foreign.status, foreign.body.message], [400, 'Milestone id(s) not found: 9999']);
      assert.deepEqual(titles((await put({ milestones: [] })).body), []);

      await put({ milestones: ['soon'] });
      await scene.server.must(`DELETE ${scene.base}/milestones/${soon.id}`, { token: scene.developer.token });
      assert.deepEqual(
        titles((await scene.asDeveloper(`GET ${path}/m1`)).body),
        [],
        'deleting a milestone removes it from releases',
      );
      await scene.server.must(`DELETE ${path}/m1`, { token: scene.developer.token });
    });

    it('rejects invalid requests with the documented messages', async () => {
      const refused = async (json: object, token = scene.developer.token) => {
        const answer = await scene.server.api(`POST ${path}`, { token, json });
        return [answer.status, answer.body.message ?? answer.body.error];
      };
      assert.deepEqual(await refused({ tag_name: 'v1.0' }), [409, 'Release already exists']);
      assert.deepEqual(await refused({ tag_name: 'v9' }), [422, 'Ref is not specified']);
      assert.deepEqual(await refused({ tag_name: 'v9', ref: 'nope' }), [400, 'Target nope is invalid']);
      assert.deepEqual(await refused({ tag_name: 'v9', ref: 'main', milestones: ['m'] }), [
        400,
        'Milestone(s) not found: m',
      ]);
      assert.deepEqual(await refused({}), [400, 'tag_name is missing']);
      for (const [field, most] of [
        ['name', 255],
        ['description', 1_000_000],
      ] as const) {
        const text = `is too long (maximum is ${most} characters)`;
        const json = { tag_name: 'v9', ref: 'main', [field]: 'x'.repeat(most + 1) };
        assert.deepEqual(await refused(json), [400, { [field]: [text] }]);
      }
      assert.deepEqual(await refused({ tag_name: 'v9', ref: 'main' }, scene.guest.token), [403, '403 Forbidden']);
      const link = { name: 'x', url: 'javascript:alert(1)' };
      assert.deepEqual(await refused({ tag_name: 'v9', ref: 'main', assets: { links: [link] } }), [
        400,
        { url: ['is blocked: Only allowed schemes are http, https, ftp'] },
      ]);
      const many = Array.from({ length: 1001 }, (_, each) => ({
        name: `l${each}`,
        url: `https://example.org/${each}`,
      }));
      assert.deepEqual(await refused({ tag_name: 'v9', ref: 'main', assets: { links: many } }), [
        400,
        { links: ['total must be less than or equal to 1000'] },
      ]);
      const milestones = Array.from({ length: 101 }, (_, each) => `m${each}`);
      assert.deepEqual(await refused({ tag_name: 'v9', ref: 'main', milestones }), [
        400,
        { milestones: ['total must be less than or equal to 100'] },
      ]);
      assert.equal((await scene.asOwner(`GET ${scene.base}/repository/tags/v9`)).status, 404);
      assert.equal((await scene.server.api(`POST ${path}`, { token: null, json: { tag_name: 'x' } })).status, 401);
      await scene.asOwner(`POST ${scene.base}/protected_tags`, { json: { name: 'p*' } });
      assert.deepEqual(await refused({ tag_name: 'p1', ref: 'main' }), [
        403,
        'You are not allowed to create this tag as it is protected.',
      ]);
    });

    it('lists releases, newest first, with a fixed number of queries', async () => {
      const tags = async (query: string) =>
        (await scene.asOwner(`GET ${path}?${query}`)).body.map((one: { tag_name: string }) => one.tag_name);
      assert.deepEqual(await tags(''), ['v2.0', 'v1.0']);
      assert.deepEqual(await tags('sort=asc'), ['v1.0', 'v2.0']);
      assert.deepEqual(await tags('order_by=created_at'), ['v2.0', 'v1.0']);
      assert.deepEqual(await tags('updated_before=2000-01-01T00:00:00Z'), []);
      const count = (query: string) => scene.server.queriesOf(() => scene.asOwner(`GET ${path}?${query}`));
      await count('per_page=1');
      assert.equal(await count('per_page=1'), await count('per_page=2'));
    });

    it('hides everything about the code from guests', async () => {
      const list = await scene.server.api(`GET ${path}`, { token: scene.guest.token });
      assert.equal(list.status, 200);
      const one = list.body.at(-1);
      for (const key of ['tag_name', 'commit', 'tag_path', 'evidences']) assert.ok(!(key in one), key);
      assert.match(one.name, /^Release-\d+$/);
      assert.equal(one.assets.sources, undefined);
      assert.equal((await scene.server.api(`GET ${path}/v1.0`, { token: scene.guest.token })).status, 403);
      assert.equal((await scene.server.api(`GET ${path}`, { token: null })).status, 404);
    });

    it('redirects to the latest release', async () => {
      const latest = await scene.asOwner(
        `GET ${path}/permalink/latest?include_html_description=true&order_by=released_at`,
      );
      assert.equal(latest.status, 302, latest.text);
      assert.equal(
        latest.headers.get('location'),
        `${scene.server.url}/api/v4${path}/v1.0?include_html_description=true`,
      );
      const file = await scene.asOwner(`GET ${path}/permalink/latest/downloads/bin/b`);
      assert.equal(file.headers.get('location'), `${scene.server.url}/api/v4${path}/v1.0/downloads/bin/b`);
      const broken = await scene.asOwner(`GET ${path}/permalink/latest/downloads/a%0d%0aset-cookie:x`);
      assert.equal(
        broken.headers.get('location'),
        `${scene.server.url}/api/v4${path}/v1.0/downloads/a%0D%0Aset-cookie%3Ax`,
      );
      const asset = await scene.asOwner(`GET ${path}/v1.0/downloads/bin/b`);
      assert.deepEqual([asset.status, asset.headers.get('location')], [302, 'https://example.com/b']);
      assert.equal((await scene.asOwner(`GET ${path}/v1.0/downloads/none`)).status, 404);
    });

    it('updates a release', async () => {
      const change = (json: object) => scene.asDeveloper(`PUT ${path}/v1.0`, { json });
      assert.deepEqual((await change({})).body, { message: 'params is empty' });
      const changed = await change({ name: 'One', description: 'new', released_at: '2001-02-03T04:05:06Z' });
      assert.equal(changed.status, 200);
      assert.deepEqual(
        [changed.body.name, changed.body.description, changed.body.released_at],
        ['One', 'new', '2001-02-03T04:05:06.000Z'],
      );
      assert.equal((await scene.asDeveloper(`PUT ${path}/nope`, { json: { name: 'x' } })).status, 403);
      assert.equal((await scene.asDeveloper(`DELETE ${path}/nope`)).status, 403);
      assert.equal((await scene.asDeveloper(`POST ${path}/v1.0/evidence`)).status, 202);
      assert.equal((await scene.asOwner(`GET ${path}/v1.0`)).body.evidences.length, 2);
    });

    it('collects the evidence of an upcoming release on its date', async () => {
      const { db, running } = scene.server;
      const arrives = (day: string) =>
        db.write((trx) =>
          trx.updateTable('jobs').set({ run_at: 1 }).where('run_at', '=', Date.parse(day)).executeTakeFirstOrThrow(),
        );
      const look = async () => (await scene.asOwner(`GET ${path}/v2.0`)).body;
      await scene.asDeveloper(`PUT ${path}/v2.0`, { json: { released_at: '2101-01-01T00:00:00Z' } });
      await arrives('2100-01-01T00:00:00Z');
      await running.services.queue.drain();
      assert.deepEqual((await look()).evidences, [], 'the release was postponed');
      await db.write((trx) => trx.updateTable('releases').set({ released_at: 1 }).where('tag', '=', 'v2.0').execute());
      await arrives('2101-01-01T00:00:00Z');
      await running.services.queue.drain();
      const { evidences, upcoming_release } = await look();
      assert.deepEqual([evidences.length, upcoming_release], [1, false]);
    });

    it('manages links', async () => {
      const links = `${path}/v1.0/assets/links`;
      const made = await scene.asDeveloper(`POST ${links}`, {
        json: { name: 'doc', url: 'https://example.com/d', link_type: 'runbook' },
      });
      assert.equal(made.status, 201, made.text);
      const { id, ...rest } = made.body;
      assert.deepEqual(rest, {
        name: 'doc',
        url: 'https://example.com/d',
        direct_asset_url: 'https://example.com/d',
        link_type: 'runbook',
      });
      const again = await scene.asDeveloper(`POST ${links}`, { json: { name: 'doc', url: 'https://example.com/e' } });
      assert.deepEqual([again.status, again.body], [400, { message: { name: ['has already been taken'] } }]);
      for (const filepath of ['no-slash', '/a//b', '/../x', '/a b', '/a/', `/${'a'.repeat(200)}`]) {
        const bad = await scene.asDeveloper(`POST ${links}`, {
          json: { name: 'f', url: 'https://example.com/f', filepath },
        });
        assert.equal(bad.status, 400, filepath);
      }
      const broken = { name: 'f', url: 'https://example.com/f\r\nset-cookie: x', filepath: '/f' };
      const split = await scene.asDeveloper(`POST ${links}`, { json: broken });
      assert.deepEqual([split.status, split.body], [400, { message: { url: ['is blocked: URI is invalid'] } }]);
      assert.equal((await scene.asOwner(`GET ${links}`)).headers.get('x-total'), '2');
      const changed = await scene.asDeveloper(`PUT ${links}/${id}`, { json: { direct_asset_path: '/docs/d.txt' } });
      assert.match(changed.body.direct_asset_url, /\/downloads\/docs\/d\.txt$/);
      assert.equal((await scene.asDeveloper(`PUT ${links}/${id}`, { json: {} })).status, 400);
      assert.equal((await scene.asOwner(`GET ${links}/${id}`)).body.name, 'doc');
      assert.equal((await scene.asDeveloper(`DELETE ${links}/${id}`)).body.id, id);
      const gone = await scene.asOwner(`GET ${links}/${id}`);
      assert.deepEqual([gone.status, gone.body], [404, { message: '404 Not found' }]);
      assert.equal((await scene.server.api(`GET ${links}`, { token: scene.guest.token })).status, 403);
    });

    it('requires permission to create a protected tag for its release and links', async () => {
      const made = await scene.asOwner(`POST ${path}`, {
        json: { tag_name: 'p2', ref: 'main', assets: { links: [{ name: 'a', url: 'https://example.com/a' }] } },
      });
      const link = `${path}/p2/assets/links/${made.body.assets.links[0].id}`;
      const other = { name: 'b', url: 'https://example.com/b' };
      for (const [call, json] of [
        [`PUT ${path}/p2`, { name: 'x' }],
        [`DELETE ${path}/p2`, {}],
        [`POST ${path}/p2/assets/links`, other],
        [`PUT ${link}`, other],
        [`DELETE ${link}`, {}],
      ] as const) {
        const answer = await scene.asDeveloper(call, { json });
        assert.deepEqual([answer.status, answer.body], [403, { message: '403 Forbidden' }], call);
      }
      assert.equal((await scene.asOwner(`GET ${link}`)).body.url, 'https://example.com/a');
      assert.equal((await scene.asOwner(`PUT ${link}`, { json: other })).status, 200);
      assert.equal((await scene.asOwner(`DELETE ${path}/p2`)).status, 200);
    });

    it('deletes a release but not its tag', async () => {
      const gone = await scene.asDeveloper(`DELETE ${path}/v1.0`);
      assert.deepEqual([gone.status, gone.body.tag_name], [200, 'v1.0']);
      assert.equal((await scene.asOwner(`GET ${path}/v1.0`)).status, 404);
      assert.equal((await scene.asOwner(`GET ${scene.base}/repository/tags/v1.0`)).body.release, null);
    });

    it('lets exactly one of several concurrent deletions succeed', async () => {
      await inRounds(async (round) => {
        const made = await scene.asOwner(`POST ${path}`, { json: { tag_name: `gone-${round}`, ref: 'main' } });
        assert.equal(made.status, 201, made.text);
        const answers = await atOnce(5, () => scene.asOwner(`DELETE ${path}/gone-${round}`));
        assert.deepEqual(statuses(answers), { 200: 1, 403: 4 });
      });
    });

    it('lets exactly one of several concurrent creations succeed', async () => {
      const tries = await Promise.all(
        [1, 2, 3].map(() => scene.asDeveloper(`POST ${path}`, { json: { tag_name: 'v1.0' } })),
      );
      assert.deepEqual(tries.map((one) => one.status).sort(), [201, 409, 409]);
    });

    it('lets exactly one succeed if the tag is created, too', async () => {
      const json = { tag_name: 'v7.0', ref: 'main' };
      const tries = await Promise.all([1, 2, 3, 4].map(() => scene.asDeveloper(`POST ${path}`, { json })));
      assert.deepEqual(tries.map((one) => one.status).sort(), [201, 409, 409, 409]);
    });
  });
});
