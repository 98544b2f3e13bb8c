import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { before, describe, it } from 'node:test';
import { forEachEngine } from '../../support/engines.ts';
import { GitClient } from '../../support/git-client.ts';
import { type ProjectWithRoles, projectWithRoles } from '../../support/project-with-roles.ts';

const source = new GitClient();
const at = (seconds: number) => ({ GIT_COMMITTER_DATE: `${seconds} +0300`, GIT_AUTHOR_DATE: `${seconds} +0300` });

before(async () => {
  await source.init();
  for (const [i, name] of ['v1.9', 'v1.10', 'v2.0-rc1', 'release/2.0'].entries()) {
    Object.assign(source.env, at(1_600_000_000 + i * 100));
    await source.commit({ 'a.txt': name }, name);
    await source.git('tag', name);
  }
  Object.assign(source.env, at(1_500_000_000));
  await source.git('tag', '-a', '-m', 'The title\n\nand a text', 'v2.0', 'v1.10');
  await source.git('tag', '-a', '-m', 'of a tag', 'nested', 'v2.0');
  await source.git('tag', 'tree', 'HEAD^{tree}');
  const signed = `object ${await source.git('rev-parse', 'HEAD')}\ntype commit\ntag signed\ntagger A <a@b.c> 1 +0000\n\nhi\n-----BEGIN SSH SIGNATURE-----\nAAAA\n-----END SSH SIGNATURE-----\n`;
  const oid = execFileSync('git', ['hash-object', '-t', 'tag', '-w', '--stdin'], {
    cwd: source.folder,
    env: source.env,
    input: signed,
    encoding: 'utf8',
  }).trim();
  await source.git('update-ref', 'refs/tags/signed', oid);
});

forEachEngine((engine) => {
  describe('tags API', () => {
    let scene: ProjectWithRoles;
    let path: string;

    before(async () => {
      scene = await projectWithRoles(engine, 'tags', source);
      path = `${scene.base}/repository/tags`;
    });

    const names = async (query: string) =>
      ((await scene.asOwner(`GET ${path}?${query}`)).body as { name: string }[]).map((one) => one.name);

    it('sorts tags like git', async () => {
      for (const [query, key] of [
        ['', '-creatordate'],
        ['sort=asc', 'creatordate'],
        ['order_by=name', '-refname'],
        ['order_by=name&sort=asc', 'refname'],
        ['order_by=version', '-version:refname'],
        ['order_by=version&sort=asc', 'version:refname'],
      ]) {
        const printed = await source.git('for-each-ref', `--sort=${key}`, '--format=%(refname:lstrip=2)', 'refs/tags/');
        assert.deepEqual(await names(query ?? ''), printed.split('\n'), query);
      }
    });

    it('shows the target of each tag', async () => {
      const all = (await scene.asOwner(`GET ${path}?order_by=name&sort=asc`)).body;
      for (const one of all) {
        assert.equal(one.target, await source.git('rev-parse', `refs/tags/${one.name}`));
        const commit = await source.run('rev-parse', '--verify', '-q', `refs/tags/${one.name}^{commit}`);
        assert.equal(one.commit?.id, commit.stdout.trim() || undefined, one.name);
      }
      const annotated = (await scene.asOwner(`GET ${path}/v2.0`)).body;
      assert.deepEqual(Object.keys(annotated).sort(), [
        'commit',
        'created_at',
        'message',
        'name',
        'protected',
        'release',
        'target',
      ]);
      assert.equal(annotated.message, 'The title\n\nand a text');
      assert.equal(annotated.created_at, '2017-07-14T05:40:00.000+03:00');
      const light = (await scene.asOwner(`GET ${path}/release%2F2.0`)).body;
      assert.deepEqual([light.message, light.created_at, light.release], ['', null, null]);
    });

    it('supports search and keyset pagination', async () => {
      assert.deepEqual(await names('search=^v2&order_by=name&sort=asc'), ['v2.0', 'v2.0-rc1']);
      const first = await scene.asOwner(`GET ${path}?pagination=keyset&per_page=3&order_by=name&sort=asc`);
      const next = /<([^>]*)>; rel="next"/.exec(first.headers.get('link') ?? '')?.[1] ?? '';
      const second = await scene.asOwner(`GET ${next.slice(scene.server.url.length)}`);
      const seen = [...first.body, ...second.body].map((one: { name: string }) => one.name);
      assert.deepEqual(seen, (await names('order_by=name&sort=asc')).slice(0, 6));
      const bad = await scene.asOwner(`GET ${path}?pagination=keyset&page_token=nope`);
      assert.deepEqual([bad.status, bad.body], [422, { message: 'Invalid page token: refs/tags/nope' }]);
    });

    it('needs the same number of queries for any number of tags', async () => {
      const count = (query: string) => scene.server.queriesOf(() => scene.asOwner(`GET ${path}?${query}`));
      await count('per_page=2');
      assert.equal(await count('per_page=2'), await count('per_page=8'));
    });

    it('creates lightweight and annotated tags', async () => {
      const main = await source.git('rev-parse', 'main');
      const light = await scene.asOwner(`POST ${path}`, {
        json: { tag_name: 'made/light', ref: 'main', message: ' ' },
      });
      assert.equal(light.status, 201, light.text);
      assert.deepEqual([light.body.target, light.body.message, light.body.commit.id], [main, '', main]);
      const heavy = await scene.asOwner(`POST ${path}`, {
        json: { tag_name: 'made/heavy', ref: 'v2.0', message: ' hello\n' },
      });
      assert.equal(heavy.body.message, 'hello');
      assert.equal(heavy.body.commit.id, await source.git('rev-parse', 'v2.0^{commit}'));
      assert.notEqual(heavy.body.target, heavy.body.commit.id);
      assert.match(heavy.body.created_at, /\.000\+00:00$/);
      assert.equal((await scene.asOwner(`GET ${path}/made%2Fheavy`)).body.target, heavy.body.target);
    });

    it('rejects invalid requests with the documented messages', async () => {
      const refused = async (tag_name: string, ref: string) => {
        const answer = await scene.asOwner(`POST ${path}`, { json: { tag_name, ref } });
        assert.equal(answer.status, 400, answer.text);
        return answer.body.message ?? answer.body.error;
      };
      assert.equal(await refused('x', ''), 'Target is empty');
      assert.equal(await refused('a..b', 'main'), 'Tag name invalid');
      assert.equal(await refused('v2.0', 'main'), 'Tag v2.0 already exists');
      assert.equal(await refused('x', 'nope'), 'Target nope is invalid');
      assert.equal(await refused('main', 'main'), 'You cannot use default branch name to create a tag');
      assert.equal(await refused('f'.repeat(40), 'main'), 'You cannot create a tag with a SHA-1 or SHA-256 tag name.');
      assert.deepEqual((await scene.asOwner(`POST ${path}`, { json: { ref: 'main' } })).body, {
        error: 'tag_name is missing',
      });
      const json = { tag_name: 'x', ref: 'main' };
      assert.equal((await scene.server.api(`POST ${path}`, { token: scene.reporter.token, json })).status, 403);
      assert.deepEqual((await scene.server.api(`GET ${path}`, { token: null })).body, {
        message: '404 Project Not Found',
      });
    });

    it('respects protected tags', async () => {
      await scene.asOwner(`POST ${scene.base}/protected_tags`, { json: { name: 'v*' } });
      const json = { tag_name: 'v3', ref: 'main' };
      const refused = await scene.asDeveloper(`POST ${path}`, { json });
      assert.deepEqual(
        [refused.status, refused.body],
        [400, { message: 'You are not allowed to create this tag as it is protected.' }],
      );
      assert.equal((await scene.asOwner(`POST ${path}`, { json })).body.protected, true);
      assert.equal((await scene.asDeveloper(`DELETE ${path}/v3`)).status, 403);
      assert.equal((await scene.asOwner(`DELETE ${path}/v3`)).status, 204);
      assert.deepEqual((await scene.asOwner(`GET ${path}/v3`)).body, { message: '404 Tag Not Found' });
    });

    it('deletes the release with its tag', async () => {
      const json = { tag_name: 'made/light', description: 'notes' };
      const made = await scene.asOwner(`POST ${scene.base}/releases`, { json });
      assert.equal(made.status, 201, made.text);
      assert.deepEqual((await scene.asOwner(`GET ${path}/made%2Flight`)).body.release, {
        tag_name: 'made/light',
        description: 'notes',
      });
      const stale = await scene.asOwner(`DELETE ${path}/made%2Flight`, {
        headers: { 'if-unmodified-since': new Date(0).toUTCString() },
      });
      assert.equal(stale.status, 412);
      assert.equal((await scene.asDeveloper(`DELETE ${path}/made%2Flight`)).status, 204);
      assert.equal((await scene.asOwner(`GET ${scene.base}/releases/made%2Flight`)).status, 404);
      assert.equal((await scene.asOwner(`DELETE ${path}/made%2Flight`)).status, 404);
    });

    it('returns the signature of a tag', async () => {
      const { body } = await scene.asOwner(`GET ${path}/signed/signature`);
      assert.deepEqual([body.signature_type, body.key], ['SSH', null]);
      assert.deepEqual((await scene.asOwner(`GET ${path}/v2.0/signature`)).body, {
        message: '404 Signature Not Found',
      });
      assert.deepEqual((await scene.asOwner(`GET ${path}/nope/signature`)).body, { message: '404 Tag Not Found' });
    });
  });
});
