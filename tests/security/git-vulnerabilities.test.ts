import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Project } from '../../src/access/tables.ts';
import { GitClient, withCredentials } from '../support/git-client.ts';
import { addFilledProject } from '../support/git-project.ts';
import { addPerson, type Person } from '../support/scene.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

// Attempts known vulnerabilities of other forges and of git on this server. Each test is named after its identifier.

const marker = join(mkdtempSync(join(tmpdir(), 'hearth-owned-')), 'owned');
const payload = `#!/bin/sh\ntouch '${marker}'\n`;
after(() => rmSync(dirname(marker), { recursive: true, force: true }));

describe('known vulnerabilities of git and forges', () => {
  let server: TestServer;
  let owner: Person;
  let project: Project;
  let source: GitClient;

  before(async () => {
    server = await startTestServer('sqlite');
    owner = await addPerson(server, 'owner');
    source = new GitClient();
    await source.init();
    symlinkSync('.git', join(source.folder, 'dot'));
    symlinkSync('/etc/passwd', join(source.folder, 'passwd'));
    await source.commit({ 'README.md': '# x\n', 'lib/a.txt': 'a\n' });
    project = await addFilledProject(server, owner, 'holes', source, 'public');
  });

  const url = () =>
    withCredentials(server.url, `${owner.user.username}/${project.path}`, owner.user.username, owner.token);
  const repository = (id = project.id) => server.running.services.git.repository(id).path;
  const call = (what: string, json?: unknown) => {
    const [method, path] = what.split(' ');
    const sending = { token: owner.token, ...(json === undefined ? {} : { json }) };
    return server.api(`${method} /projects/${project.id}/repository/${path}`, sending);
  };
  /** Reads a ref in every way the server processes it, and forks the project; nothing in it must be executed. */
  const readEverything = async (ref: string) => {
    const at = encodeURIComponent(ref);
    const reads = [
      `tree?ref=${at}&recursive=true`,
      `archive.zip?sha=${at}`,
      `archive.tar.gz?sha=${at}`,
      `commits/${at}/diff`,
      `commits?ref_name=${at}&with_stats=true`,
      `compare?from=main&to=${at}`,
      `files/.gitmodules?ref=${at}`,
      `files/.gitmodules/blame?ref=${at}`,
    ];
    for (const read of reads) {
      const { status } = await call(`GET ${read}`);
      assert.ok(status === 200 || status === 404, `${read}: ${status}`);
    }
    await call(`POST commits/${at}/cherry_pick`, { branch: 'main', dry_run: true });
    await call(`POST commits/${at}/revert`, { branch: ref, dry_run: true });
    const path = ref.replaceAll(/[^a-z0-9]/g, '-');
    const fork = await server.must(`POST /projects/${project.id}/fork`, {
      token: owner.token,
      json: { name: path, path },
    });
    return fork.id as number;
  };
  const nothingRan = (id = project.id) => {
    assert.equal(existsSync(marker), false);
    for (const folder of ['modules', 'worktrees']) assert.equal(existsSync(join(repository(id), folder)), false);
    const hooks = join(repository(id), 'hooks');
    assert.deepEqual(existsSync(hooks) ? readdirSync(hooks) : [], []);
  };

  it('CVE-2018-17456: rejects a submodule URL that looks like an option', async () => {
    const client = new GitClient();
    await client.git('clone', '-q', url(), '.');
    const modules = '[submodule "a"]\n\tpath = a\n\turl = -u./payload\n';
    await client.commit({ '.gitmodules': modules, payload });
    const pushed = await client.run('push', 'origin', 'HEAD:refs/heads/option');
    assert.notEqual(pushed.code, 0);
    assert.match(pushed.stderr, /gitmodulesUrl/);
    const action = { action: 'create', file_path: '.gitmodules', content: modules };
    const made = await call('POST commits', { branch: 'main', commit_message: 'x', actions: [action] });
    assert.equal(made.status, 400);
    nothingRan();
  });

  it('CVE-2024-32002: stores but never checks out a submodule behind a symbolic link into .git', async () => {
    const client = new GitClient();
    await client.git('clone', '-q', url(), '.');
    const modules = '[submodule "x/y"]\n\tpath = A/modules/x\n\turl = https://example.com/hook.git\n';
    writeFileSync(join(client.folder, '.gitmodules'), modules);
    const target = execFileSync('git', ['hash-object', '-w', '--stdin'], { cwd: client.folder, input: '.git' });
    const link = target.toString().trim();
    await client.git('update-index', '--add', '--cacheinfo', `120000,${link},a`);
    const tip = await client.git('rev-parse', 'HEAD');
    await client.git('update-index', '--add', '--cacheinfo', `160000,${tip},A/modules/x`);
    await client.git('add', '.gitmodules');
    await client.git('commit', '-q', '-m', 'through a link');
    const pushed = await client.run('push', 'origin', 'HEAD:refs/heads/behind-a-link');
    if (pushed.code === 0) nothingRan(await readEverything('behind-a-link'));
    else assert.match(pushed.stderr, /fsck|refused/);
    nothingRan();
  });

  it('CVE-2025-48384: does not follow a submodule path ending in a carriage return', async () => {
    const client = new GitClient();
    await client.git('clone', '-q', url(), '.');
    const modules = '[submodule "x"]\n\tpath = "sub\r"\n\turl = https://example.com/x.git\n';
    const target = execFileSync('git', ['hash-object', '-w', '--stdin'], { cwd: client.folder, input: '.git/hooks' });
    await client.git('update-index', '--add', '--cacheinfo', `120000,${target.toString().trim()},sub`);
    const tip = await client.git('rev-parse', 'HEAD');
    await client.git('update-index', '--add', '--cacheinfo', `160000,${tip},sub\r`);
    writeFileSync(join(client.folder, '.gitmodules'), modules);
    await client.git('add', '.gitmodules');
    await client.git('commit', '-q', '-m', 'carriage return');
    const pushed = await client.run('push', 'origin', 'HEAD:refs/heads/return');
    if (pushed.code === 0) nothingRan(await readEverything('return'));
    else assert.match(pushed.stderr, /gitmodules/);
    nothingRan();
  });

  it('CVE-2025-48385: never advertises or serves bundle URIs', async () => {
    const path = `${server.url}/${owner.user.username}/${project.path}.git`;
    const headers = { 'git-protocol': 'version=2' };
    const refs = await (await fetch(`${path}/info/refs?service=git-upload-pack`, { headers })).text();
    assert.match(refs, /version 2/);
    assert.doesNotMatch(refs, /bundle-uri/);
    const line = (text: string) => (text.length + 4).toString(16).padStart(4, '0') + text;
    const answer = await fetch(`${path}/git-upload-pack`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/x-git-upload-pack-request' },
      body: `${line('command=bundle-uri\n')}0000`,
    });
    assert.doesNotMatch(await answer.text(), /bundle\./);
  });

  it('CVE-2024-55947, CVE-2025-8110: writes through committed symbolic links stay inside the tree', async () => {
    const config = readFileSync(join(repository(), 'config'), 'utf8');
    const passwd = readFileSync('/etc/passwd', 'utf8');
    const write = (path: string) =>
      call(`PUT files/${encodeURIComponent(path)}`, { branch: 'main', commit_message: 'x', content: '[core]\n' });
    for (const path of ['dot/config', 'dot/hooks/post-receive', '../config', 'lib/../../config', '.git/config'])
      assert.equal((await write(path)).status, 400, path);
    const replaced = await write('passwd');
    assert.ok(replaced.status === 200 || replaced.status === 400, replaced.text);
    const read = await call('GET files/passwd/raw?ref=main');
    assert.doesNotMatch(read.text, /root:/);
    assert.equal(readFileSync(join(repository(), 'config'), 'utf8'), config);
    assert.equal(readFileSync('/etc/passwd', 'utf8'), passwd);
    nothingRan();
  });

  it('CVE-2022-36804: archive parameters never become options or commands', async () => {
    const tricks = [
      `--exec=touch ${marker}`,
      `--remote=ext::sh -c "touch ${marker}"`,
      `--output=${marker}`,
      `main\0--exec=touch ${marker}`,
      `main; touch ${marker}`,
      `$(touch ${marker})`,
    ];
    for (const trick of tricks)
      for (const name of ['sha', 'path', 'prefix']) {
        const { status } = await call(`GET archive.tar?${name}=${encodeURIComponent(trick)}`);
        assert.ok(status < 500, `${name}=${trick}: ${status}`);
        if (name === 'sha') assert.ok(status === 404 || status === 400, `${name}=${trick}: ${status}`);
      }
    nothingRan();
  });

  it('CVE-2022-23521: rejects overlong attributes and handles very many of them', async () => {
    const client = new GitClient();
    await client.git('clone', '-q', url(), '.');
    await client.commit({ '.gitattributes': `*.a ${'x'.repeat(1_000_000)}\n` });
    const long = await client.run('push', 'origin', 'HEAD:refs/heads/long-attributes');
    assert.notEqual(long.code, 0);
    assert.match(long.stderr, /gitattributesLineLength/);
    await client.git('reset', '-q', '--hard', 'HEAD~1');
    const many = Array.from({ length: 20_000 }, (_, n) => `*.t${n} a${n}`).join('\n');
    await client.commit({ '.gitattributes': `${many}\n`, 'x.t1': 'x\n' });
    await client.git('push', '-q', 'origin', 'HEAD:refs/heads/many-attributes');
    assert.equal((await call('GET commits/many-attributes/diff')).status, 200);
    assert.equal((await call('GET archive.tar?sha=many-attributes')).status, 200);
  });

  it('CVE-2022-41903: does not expand export-subst formats in archives', async () => {
    const client = new GitClient();
    await client.git('clone', '-q', url(), '.');
    await client.commit({
      '.gitattributes': 'f export-subst\n',
      f: '$Format:%>(2147483647)%s$ $Format:%<(9999999999,trunc)%b$\n',
    });
    await client.git('push', '-q', 'origin', 'HEAD:refs/heads/formats');
    const archive = await call('GET archive.tar?sha=formats');
    assert.equal(archive.status, 200);
    assert.ok(archive.text.length < 1_000_000);
    assert.equal((await call('GET commits?ref_name=formats&trailers=true')).status, 200);
  });

  it('CVE-2022-24765: ignores git configuration above or beside a repository', async () => {
    const { data } = server.running.services.config;
    execFileSync('git', ['init', '-q', data]);
    const settings = `[core]\n\tfsmonitor = touch ${marker}\n\tpager = touch ${marker}\n[alias]\n\tlog = !touch ${marker}\n`;
    writeFileSync(join(data, '.git', 'config'), settings);
    try {
      assert.equal((await call('GET commits/main/diff')).status, 200);
      assert.equal((await call('GET tree?ref=main&recursive=true')).status, 200);
      // For a repository of another owner, git refuses to work unless it is given the directory explicitly.
      if (process.getuid?.() === 0) chownSync(repository(), 65534, 65534);
      assert.equal((await call('GET commits?ref_name=main&path=lib')).status, 200);
      assert.equal((await call('GET files/lib%2Fa.txt/blame?ref=main')).status, 200);
    } finally {
      rmSync(join(data, '.git'), { recursive: true });
      if (process.getuid?.() === 0) chownSync(repository(), 0, 0);
    }
    nothingRan();
  });

  it('CVE-2021-22205: does not process uploaded images with external programs', async () => {
    // A DjVu header whose annotations are evaluated by a well-known metadata parser.
    const djvu = Buffer.concat([
      Buffer.from('AT&TFORM\0\0\0\x40DJVMDIRM\0\0\0\0ANTa\0\0\0\x40', 'latin1'),
      Buffer.from(`(metadata (Copyright "\\\n" . qx{touch ${marker}} . \\\n" b "))`),
    ]);
    for (const name of ['a.jpg', 'a.png', 'a.tiff']) {
      const body = new FormData();
      body.set('avatar', new Blob([djvu], { type: 'image/jpeg' }), name);
      const { status } = await server.api('PUT /user/avatar', { token: owner.token, body });
      assert.ok(status === 200 || status === 400, `${name}: ${status}`);
      const upload = new FormData();
      upload.set('file', new Blob([djvu], { type: 'image/jpeg' }), name);
      const sent = await server.api(`POST /projects/${project.id}/uploads`, { token: owner.token, body: upload });
      assert.ok(sent.status < 500, `${name}: ${sent.status}`);
    }
    nothingRan();
  });

  it('CVE-2021-22168: matches catastrophic regexes in linear time', async () => {
    const name = `${'a'.repeat(180)}!`;
    await call(`POST branches?branch=${encodeURIComponent(name)}&ref=main`);
    const answered = await call(`GET branches?regex=${encodeURIComponent('^(a+)+$')}`);
    assert.equal(answered.status, 200);
    assert.deepEqual(answered.body, []);
    const rule = { commit_message_regex: '^(x+x+)+y$' };
    await server.must(`POST /projects/${project.id}/push_rule`, { token: owner.token, json: rule });
    const action = { action: 'create', file_path: 'slow', content: 'x' };
    const refused = await call('POST commits', {
      branch: 'main',
      commit_message: 'x'.repeat(50_000),
      actions: [action],
    });
    assert.equal(refused.status, 400);
    await server.must(`DELETE /projects/${project.id}/push_rule`, { token: owner.token });
  });
});
