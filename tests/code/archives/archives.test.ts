import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { after, before, describe, it } from 'node:test';
import type { Project } from '../../../src/access/tables.ts';
import { storeLfsObject } from '../../../src/code/lfs/public.ts';
import { formatLfsPointer } from '../../../src/platform/git/objects/lfs-pointer.ts';
import { forEachEngine } from '../../support/engines.ts';
import { GitClient } from '../../support/git-client.ts';
import { addFilledProject, pushAll } from '../../support/git-project.ts';
import { addPerson, addProject, type Person } from '../../support/scene.ts';
import { rootToken, startTestServer, type TestServer } from '../../support/server.ts';
import { missing } from '../../support/tools.ts';
import { until } from '../../support/until.ts';

const source = new GitClient();
const large = Buffer.alloc(100_000, 'large');
const pointer = { oid: createHash('sha256').update(large).digest('hex'), size: large.length };
const unpacked: string[] = [];
after(() => {
  for (const folder of unpacked) rmSync(folder, { recursive: true, force: true });
});

before(async () => {
  await source.init();
  await source.commit(
    {
      'README.md': '# hi\n',
      'lib/a.txt': 'a\n',
      'lib/deep/b.txt': 'b\r\n',
      'empty.txt': '',
      'secret/x.txt': 'x\n',
      'version.txt': '$Format:%H$\n',
      '.gitattributes': 'secret export-ignore\nversion.txt export-subst\n',
      'naïve.txt': 'é\n',
      [`${'long/'.repeat(30)}name.txt`]: 'long\n',
    },
    'first',
  );
  symlinkSync('README.md', join(source.folder, 'link'));
  writeFileSync(join(source.folder, 'run.sh'), '#!/bin/sh\n', { mode: 0o755 });
  await source.commit({}, 'second');
  await source.git('branch', 'feature/x');
  await source.git('tag', '-a', '-m', 'x', 'v1.0');
});

const absent = { tar: false, 'tar.gz': false, 'tar.bz2': missing('bzip2'), zip: missing('python3') } as const;

/** Unpacks an archive with common command-line tools and returns its contents. */
function contents(bytes: Buffer, format: string): Record<string, string> {
  const folder = mkdtempSync(join(tmpdir(), 'hearth-unpacked-'));
  unpacked.push(folder);
  const file = join(folder, 'archive');
  writeFileSync(file, bytes);
  const out = join(folder, 'out');
  execFileSync('mkdir', [out]);
  if (format === 'zip') {
    const script = 'import sys, zipfile; zipfile.ZipFile(sys.argv[1]).extractall(sys.argv[2])';
    execFileSync('python3', ['-c', script, file, out]);
  } else
    execFileSync('tar', ['-xf', file, '-C', out, ...(format === 'tar' ? [] : [format === 'tar.gz' ? '-z' : '-j'])]);
  const found: Record<string, string> = {};
  for (const entry of readdirSync(out, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile()) found[path.slice(out.length + 1)] = readFileSync(path, 'latin1');
  }
  return found;
}

forEachEngine((engine) => {
  describe('archives API', () => {
    let server: TestServer;
    let owner: Person;
    let project: Project;
    let commit: string;

    before(async () => {
      server = await startTestServer(engine, ['--archive-rate', '0']);
      owner = await addPerson(server, 'owner');
      project = await addFilledProject(server, owner, 'archived', source, 'public');
      commit = await source.git('rev-parse', 'main');
    });

    const download = async (path: string, headers: Record<string, string> = {}, method = 'GET') => {
      const answer = await fetch(`${server.url}/api/v4/projects/${project.id}${path}`, { method, headers });
      return { status: answer.status, headers: answer.headers, bytes: Buffer.from(await answer.arrayBuffer()) };
    };

    it('returns the same content as git archive in every format', async (context) => {
      for (const reason of Object.values(absent)) if (reason) context.diagnostic(reason);
      const top = `archived-main-${commit}`;
      const tar = execFileSync('git', ['archive', '--format=tar', `--prefix=${top}/`, 'main'], {
        cwd: source.folder,
        env: source.env,
      });
      const expected = contents(tar, 'tar');
      assert.equal(expected[`${top}/version.txt`], `${commit}\n`);
      assert.equal(expected[`${top}/secret/x.txt`], undefined);
      for (const [suffix, format, type] of [
        ['', 'tar.gz', 'application/octet-stream'],
        ['.tar.gz', 'tar.gz', 'application/octet-stream'],
        ['.tgz', 'tar.gz', 'application/octet-stream'],
        ['.gz', 'tar.gz', 'application/octet-stream'],
        ['.tar.bz2', 'tar.bz2', 'application/octet-stream'],
        ['.tbz', 'tar.bz2', 'application/octet-stream'],
        ['.tbz2', 'tar.bz2', 'application/octet-stream'],
        ['.tb2', 'tar.bz2', 'application/octet-stream'],
        ['.bz2', 'tar.bz2', 'application/octet-stream'],
        ['.tar', 'tar', 'application/octet-stream'],
        ['.zip', 'zip', 'application/zip'],
      ] as const) {
        if (absent[format]) continue;
        const answer = await download(`/repository/archive${suffix}`);
        assert.equal(answer.status, 200, suffix);
        assert.equal(answer.headers.get('content-type'), type);
        assert.match(
          answer.headers.get('content-disposition') ?? '',
          new RegExp(`^attachment; filename="${top}.${format}"`),
        );
        assert.equal(answer.headers.get('content-transfer-encoding'), 'binary');
        const found = contents(answer.bytes, format);
        // Python extracts symbolic links in zip archives as regular files.
        if (format === 'zip') delete found[`${top}/link`];
        assert.deepEqual(found, expected, suffix);
      }
      assert.equal((await download('/repository/archive.tar')).bytes.equals(tar), true);
      assert.equal((await download('/repository/archive.rar')).status, 404);
      assert.equal((await download('/repository/archive.tar.xz')).status, 404);
    });

    it('names the file after the project, ref, commit and path', async () => {
      const name = async (query: string) => {
        const answer = await download(`/repository/archive.zip?${query}`, {}, 'HEAD');
        assert.equal(answer.bytes.length, 0);
        return /filename="([^"]*)"/.exec(answer.headers.get('content-disposition') ?? '')?.[1];
      };
      assert.equal(await name('sha=feature/x'), `archived-feature-x-${commit}.zip`);
      assert.equal(await name('sha=v1.0'), `archived-v1.0-${commit}.zip`);
      assert.equal(await name(`sha=${commit}`), `archived-${commit}-${commit}.zip`);
      assert.equal(await name('path=lib/deep'), `archived-main-${commit}-lib-deep.zip`);
      assert.equal(await name('format=zip'), `archived-main-${commit}.zip`);
    });

    it('limits the content with path and exclude_paths', async () => {
      const names = async (query: string) => {
        const { bytes } = await download(`/repository/archive.tar?${query}`);
        return Object.keys(contents(bytes, 'tar'))
          .map((path) => path.slice(path.indexOf('/') + 1))
          .sort();
      };
      assert.deepEqual(await names('path=lib'), ['lib/a.txt', 'lib/deep/b.txt']);
      assert.deepEqual(await names('path=/lib/a.txt'), ['lib/a.txt']);
      assert.deepEqual(await names('path=lib&exclude_paths=lib/deep'), ['lib/a.txt']);
      const rest = await names('exclude_paths=lib,long,secret,version.txt');
      assert.deepEqual(rest, ['.gitattributes', 'README.md', 'empty.txt', 'na\u00efve.txt', 'run.sh']);
    });

    it('answers 404 for unknown refs and paths and for empty repositories', async () => {
      for (const query of ['sha=none', 'path=none', 'path=../x', 'path=.git', 'sha=--output=x', 'sha=:/first']) {
        const answer = await server.api(`GET /projects/${project.id}/repository/archive?${query}`);
        assert.deepEqual([answer.status, answer.body], [404, { message: '404 File Not Found' }], query);
      }
      const empty = await addProject(server, owner, 'nothing', 'public');
      assert.equal((await server.api(`GET /projects/${empty.id}/repository/archive`)).status, 404);
      const hidden = await addFilledProject(server, owner, 'hidden', source);
      assert.equal((await server.api(`GET /projects/${hidden.id}/repository/archive`, { token: null })).status, 404);
    });

    it('sends identical bytes with an ETag and supports range requests', async () => {
      const query = '/repository/archive.tar.gz?sha=feature/x';
      const first = await download(query, { range: 'bytes=0-9' });
      assert.equal(first.status, 200);
      const second = await download(query);
      assert.ok(first.bytes.equals(second.bytes));
      const tag = second.headers.get('etag') ?? '';
      assert.match(tag, /^"[0-9a-f]{64}"$/);
      assert.equal(first.headers.get('etag'), tag);
      assert.equal(second.headers.get('accept-ranges'), 'bytes');
      const known = await download(query, { 'if-none-match': `W/"x", ${tag}` });
      assert.deepEqual([known.status, known.bytes.length], [304, 0]);
      const part = await download(query, { range: 'bytes=5-14', 'if-range': tag });
      assert.equal(part.status, 206);
      assert.equal(part.headers.get('content-range'), `bytes 5-14/${second.bytes.length}`);
      assert.ok(part.bytes.equals(second.bytes.subarray(5, 15)));
      const changed = await download(query, { range: 'bytes=5-14', 'if-range': '"other"' });
      assert.equal(changed.status, 200);
      const beyond = await download(query, { range: 'bytes=99999999-' });
      assert.equal(beyond.status, 416);
      assert.equal(beyond.headers.get('content-range'), `bytes */${second.bytes.length}`);
      const head = await download(query, {}, 'HEAD');
      assert.equal(head.headers.get('content-length'), `${second.bytes.length}`);
    });

    it('serves repeated requests from the cache without starting git', async () => {
      const started = () => server.running.services.git.counters().processes.transport.started;
      await download('/repository/archive.zip?path=lib');
      const before = started();
      await download('/repository/archive.zip?path=lib');
      assert.equal(started(), before);
    });

    it('rejects requests that embed the archive', async () => {
      const answer = await download('/repository/archive', { accept: 'image/avif,*/*' });
      assert.equal(answer.status, 406);
      assert.deepEqual(JSON.parse(answer.bytes.toString()), { message: '406 Not Acceptable' });
    });

    it('replaces LFS pointers by their objects', async () => {
      const other = new GitClient();
      await other.init();
      const files = { 'big.bin': formatLfsPointer(pointer), 'small.txt': 'small\n' };
      await other.commit(files, 'large');
      const withLarge = await addProject(server, owner, 'large', 'public');
      const { services } = server.running;
      await storeLfsObject(services, withLarge.id, pointer, Readable.from([large]));
      await pushAll(server, owner, withLarge, other);
      const get = async (format: string, query: string) => {
        const url = `${server.url}/api/v4/projects/${withLarge.id}/repository/archive.${format}?${query}`;
        const bytes = Buffer.from(await (await fetch(url)).arrayBuffer());
        const found = contents(bytes, format);
        return found[Object.keys(found).find((path) => path.endsWith('/big.bin')) ?? ''];
      };
      for (const format of ['tar', 'tar.gz', 'zip'] as const) {
        if (absent[format]) continue;
        assert.equal(await get(format, ''), large.toString('latin1'), format);
        assert.equal(await get(format, 'include_lfs_blobs=false'), formatLfsPointer(pointer), format);
      }
      // A pointer without an object is kept as is, and the incomplete archive is not cached.
      await server.db.write((trx) =>
        trx.deleteFrom('lfs_object_projects').where('project_id', '=', withLarge.id).execute(),
      );
      const kept = await get('tar', 'path=big.bin');
      assert.equal(kept, formatLfsPointer(pointer));
      await storeLfsObject(services, withLarge.id, pointer, Readable.from([large]));
      assert.equal(await get('tar', 'path=big.bin'), large.toString('latin1'));
    });

    it('cleans up when the client disconnects', async () => {
      const other = new GitClient();
      await other.init();
      await other.commit({ 'noise.bin': randomBytes(8 * 1024 * 1024) }, 'noise');
      const noisy = await addFilledProject(server, owner, 'noisy', other, 'public');
      const controller = new AbortController();
      const url = `${server.url}/api/v4/projects/${noisy.id}/repository/archive.tar`;
      const answer = await fetch(url, { signal: controller.signal });
      const kept = join(server.running.services.config.data, 'tmp', 'archives');
      const parts = () => readdirSync(kept).filter((name) => name.endsWith('.part'));
      await answer.body?.getReader().read();
      assert.equal(parts().length, 1);
      controller.abort();
      const running = () => server.running.services.git.counters().processes.transport.running;
      await until(() => parts().length === 0 && running() === 0);
      const whole = Buffer.from(await (await fetch(url)).arrayBuffer());
      assert.ok(whole.length > 8 * 1024 * 1024);
    });

    it('restricts snapshots of the bare repository to administrators', async () => {
      assert.equal((await server.api(`GET /projects/${project.id}/snapshot`, { token: owner.token })).status, 403);
      assert.equal((await server.api(`GET /projects/${project.id}/snapshot`, { token: null })).status, 401);
      const url = `${server.url}/api/v4/projects/${project.id}/snapshot`;
      const answer = await fetch(url, { headers: { 'private-token': rootToken } });
      assert.equal(answer.status, 200);
      const folder = mkdtempSync(join(tmpdir(), 'hearth-snapshot-'));
      unpacked.push(folder);
      writeFileSync(join(folder, 's.tar'), Buffer.from(await answer.arrayBuffer()));
      execFileSync('tar', ['-xf', 's.tar'], { cwd: folder });
      const git = (...args: string[]) =>
        execFileSync('git', args, { cwd: folder, env: { ...source.env, GIT_DIR: folder }, encoding: 'utf8' }).trim();
      assert.equal(git('rev-parse', 'HEAD'), commit);
      git('fsck', '--full', '--strict');
      assert.equal(git('for-each-ref', '--format=%(refname)'), await source.git('for-each-ref', '--format=%(refname)'));
      const left = readdirSync(join(server.running.services.config.data, 'tmp', 'snapshots'));
      assert.deepEqual(left, []);
      assert.equal((await server.api(`GET /projects/${project.id}/snapshot?wiki=true`)).status, 404);
    });
  });

  describe('archive rate limit', () => {
    it('blocks a user at the limit and anonymous users at a higher one', async () => {
      const server = await startTestServer(engine, ['--archive-rate', '5/1m']);
      const owner = await addPerson(server, 'owner');
      const project = await addFilledProject(server, owner, 'limited', source, 'public');
      const ask = (token: string | null) => server.api(`GET /projects/${project.id}/repository/archive`, { token });
      for (let i = 0; i < 5; i++) assert.equal((await ask(owner.token)).status, 200);
      const refused = await ask(owner.token);
      assert.equal(refused.status, 429);
      assert.deepEqual(refused.body, {
        message: { error: 'This archive has been requested too many times. Try again later.' },
      });
      assert.equal(refused.headers.get('retry-after'), null);
      assert.equal((await ask(null)).status, 200);
    });
  });
});
