import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { forEachEngine } from '../support/engines.ts';
import { GitClient, withCredentials } from '../support/git-client.ts';
import { rootToken, startTestServer, type TestServer } from '../support/server.ts';

forEachEngine((engine) => {
  describe('advanced features of stock git', () => {
    let server: TestServer;
    let source: GitClient;
    let head: string;
    const commits = 12;
    const address = (name: string) => withCredentials(server.url, `root/${name}`, 'root', rootToken);

    before(async () => {
      server = await startTestServer(engine);
      source = new GitClient();
      await source.init();
      for (let i = 1; i <= commits; i++) await source.commit({ [`d${i % 3}/f${i}`]: `${i}\n`.repeat(i) }, `${i}`);
      await source.git('tag', '-a', '-m', 'old', 'old', 'HEAD~6');
      await source.git('branch', 'side', 'HEAD~4');
      head = await source.git('rev-parse', 'HEAD');
      await source.git('push', '-q', address('work'), 'main');
      await source.git('push', '-q', address('work'), '--all', '--follow-tags');
    });

    async function clone(...args: string[]): Promise<GitClient> {
      const client = new GitClient();
      await client.git(...args.slice(0, -1), address(args.at(-1) ?? ''), '.');
      return client;
    }
    const count = async (client: GitClient) => Number(await client.git('rev-list', '--count', 'HEAD'));

    for (const version of ['0', '1', '2']) {
      it(`deepens and unshallows a clone with protocol ${version}`, async () => {
        const protocol = ['-c', `protocol.version=${version}`];
        const shallow = await clone(...protocol, 'clone', '-q', '--depth=2', 'work');
        assert.equal(await count(shallow), 2);
        await shallow.git(...protocol, 'fetch', '-q', '--deepen=3');
        assert.equal(await count(shallow), 5);
        await shallow.git(...protocol, 'fetch', '-q', '--shallow-exclude=refs/tags/old');
        assert.equal(await count(shallow), 6);
        await shallow.git(...protocol, 'fetch', '-q', '--unshallow');
        assert.equal(await count(shallow), commits);
        const recent = await clone(...protocol, 'clone', '-q', '--shallow-since=2000-01-01', 'work');
        assert.equal(await count(recent), commits);
      });
    }

    it('supports partial clones', async () => {
      const tree = await source.git('rev-parse', 'HEAD^{tree}');
      for (const filter of ['blob:none', 'blob:limit=4', 'tree:0', 'tree:1']) {
        const partial = await clone('clone', '-q', `--filter=${filter}`, '--no-checkout', 'work');
        await partial.git('checkout', '-q', 'main');
        assert.equal(await partial.git('rev-parse', 'HEAD^{tree}'), tree, filter);
        assert.match(await partial.git('log', '-p', '--', 'd1'), /^\+1$/m);
      }
      const sparse = await clone('clone', '-q', '--filter=blob:none', '--sparse', '--depth=1', 'work');
      await sparse.git('sparse-checkout', 'set', 'd1');
      assert.deepEqual([existsSync(join(sparse.folder, 'd1')), existsSync(join(sparse.folder, 'd2'))], [true, false]);
      await sparse.git('commit', '-q', '--allow-empty', '-m', 'From a part');
      await sparse.git('push', '-q', 'origin', 'HEAD:part');
    });

    it('mirrors in both directions', async () => {
      const mirror = await clone('clone', '-q', '--mirror', 'work');
      await mirror.git('push', '-q', '--mirror', address('mirrored'));
      const refs = async (name: string) => (await source.git('ls-remote', '--refs', address(name))).split('\n').sort();
      assert.deepEqual(await refs('mirrored'), await refs('work'));
      await mirror.git('branch', '-D', 'side');
      await mirror.git('push', '-q', '--mirror', address('mirrored'));
      assert.ok(!(await refs('mirrored')).some((line) => line.endsWith('refs/heads/side')));
    });

    it('pushes atomically, with lease and with options', async () => {
      const client = await clone('clone', '-q', 'work');
      for (const branch of ['a', 'b']) {
        await client.git('checkout', '-q', '-b', branch, 'main');
        await client.commit({ [branch]: 'x' });
      }
      await client.git('push', '-q', '--atomic', '-o', 'ci.skip', 'origin', 'a', 'b');
      const before = await client.git('ls-remote', 'origin', 'a');
      await client.git('commit', '-q', '--amend', '-m', 'again');
      const refused = await client.run('push', '--atomic', 'origin', 'a:c', '+HEAD~2:main');
      assert.match(refused.stderr, /not allowed to force push/);
      assert.equal(await client.git('ls-remote', 'origin', 'c'), '');
      assert.match((await client.run('push', 'origin', 'b')).stderr, /non-fast-forward/);
      assert.match((await client.run('push', `--force-with-lease=b:${head}`, 'origin', 'b')).stderr, /stale info/);
      await client.git('push', '-q', '--force-with-lease', '--force-if-includes', 'origin', 'b');
      assert.equal(await client.git('ls-remote', 'origin', 'a'), before);
      assert.match((await client.run('push', '--signed', 'origin', 'b:d')).stderr, /does not support --signed/);
      await client.git('push', '-q', 'origin', '--delete', 'a', 'b');
    });

    it('pushes hundreds of tags, odd names and chunked bodies', async () => {
      const client = await clone('clone', '-q', 'work');
      const tags = Array.from({ length: 300 }, (_, i) => `${head} refs/tags/many/${i}`).join('\n');
      writeFileSync(join(client.folder, '.git', 'packed-refs'), `# pack-refs with: sorted \n${tags}\n`);
      await client.git('push', '-q', 'origin', 'refs/tags/many/*');
      const listed = await client.git('ls-remote', '--tags', 'origin', 'many/*');
      assert.equal(listed.split('\n').length, 300);
      await client.git('push', '-q', '--prune', 'origin', 'refs/tags/none/*:refs/tags/many/*');
      assert.equal(await client.git('ls-remote', '--tags', 'origin', 'many/*'), '');
      const long = Array(3).fill('x'.repeat(200)).join('/');
      for (const name of [long, 'ünï/日本', "quo'te"]) {
        await client.git('push', '-q', 'origin', `HEAD:refs/heads/${name}`);
        await client.git('fetch', '-q', 'origin', name);
        await client.git('push', '-q', 'origin', `:refs/heads/${name}`);
      }
      await client.commit({ big: Buffer.from(crypto.getRandomValues(new Uint8Array(60_000))) });
      await client.git('-c', 'http.postBuffer=1024', 'push', '-q', 'origin', 'HEAD:chunked');
    });

    it('clones projects with submodules', async () => {
      const outer = new GitClient();
      await outer.init();
      await outer.commit({ '.gitmodules': '[submodule "lib"]\n\tpath = lib\n\turl = ../work.git\n' });
      await outer.git('update-index', '--add', '--cacheinfo', `160000,${head},lib`);
      await outer.git('commit', '-q', '-m', 'Add lib');
      await outer.git('push', '-q', address('outer'), 'main');
      const whole = await clone('clone', '-q', '--recurse-submodules', '--filter=blob:none', 'outer');
      assert.equal(await whole.git('-C', 'lib', 'rev-parse', 'HEAD'), head);
    });

    it('works with a credential helper, which drops invalid credentials', async () => {
      const client = new GitClient();
      await client.init();
      await client.git('config', 'credential.helper', 'store');
      const file = join(client.folder, '.git-credentials');
      const kept = (password: string) => withCredentials(server.url, '', 'root', password).replace(/\/\.git$/, '\n');
      writeFileSync(file, kept(rootToken));
      await client.git('ls-remote', `${server.url}/root/work.git`);
      writeFileSync(file, kept('wrong'));
      assert.match((await client.run('ls-remote', `${server.url}/root/work.git`)).stderr, /Authentication failed/);
      assert.equal(readFileSync(file, 'utf8'), '');
    });

    it('clones an empty project with its future default branch', async () => {
      await server.must('POST /projects', { json: { name: 'empty' } });
      const client = await clone('clone', '-q', 'empty');
      assert.equal(await client.git('symbolic-ref', 'HEAD'), 'refs/heads/main');
      await client.git('checkout', '-q', '-b', 'trunk');
      await client.commit({ a: 'a' });
      await client.git('push', '-q', '-u', 'origin', 'trunk');
      assert.equal((await server.must('GET /projects/root%2Fempty')).default_branch, 'trunk');
    });
  });
});
