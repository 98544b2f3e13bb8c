import assert from 'node:assert/strict';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import { engines, forEachEngine } from '../../support/engines.ts';
import { GitClient, withCredentials } from '../../support/git-client.ts';
import { rootToken, startTestServer, type TestServer } from '../../support/server.ts';
import { until } from '../../support/until.ts';
import { backUp, newFolder, startRestored } from './restored.ts';

const strange = 'Zwölf\u2028Boxkämpfer\r\n"🦊" \\ {"base64":"AA=="}';

/** Creates some of everything that is stored: rows, references, encrypted values, files, repositories, wikis. */
async function populateGroup(server: TestServer): Promise<string[]> {
  const group = await server.must('POST /groups', { json: { name: 'Kept', path: 'kept' } });
  const project = await server.must('POST /projects', { json: { name: 'app', namespace_id: group.id } });
  const base = `/projects/${project.id}`;
  await server.must(`POST ${base}/repository/files/README.md`, {
    json: { branch: 'main', commit_message: 'Begin', content: strange },
  });
  await server.must(`POST ${base}/repository/branches`, { json: { branch: 'topic', ref: 'main' } });
  await server.must(`POST ${base}/repository/files/more.txt`, {
    json: { branch: 'topic', commit_message: 'More', content: 'more' },
  });
  await server.must(`POST ${base}/repository/tags`, { json: { tag_name: 'v1', ref: 'main' } });
  await server.must(`POST ${base}/labels`, { json: { name: 'bug', color: '#ff0000' } });
  await server.must(`POST ${base}/issues`, { json: { title: 'First', description: strange, labels: 'bug' } });
  await server.must(`POST ${base}/issues/1/notes`, { json: { body: strange } });
  await server.must(`POST ${base}/merge_requests`, {
    json: { source_branch: 'topic', target_branch: 'main', title: 'More' },
  });
  await server.must(`POST ${base}/variables`, { json: { key: 'SECRET', value: 'encrypted at rest' } });
  await server.must(`POST ${base}/wikis`, { json: { title: 'Home', content: 'wiki' } });
  const upload = new FormData();
  upload.set('file', new Blob(['an attachment']), 'note.txt');
  await server.must(`POST ${base}/uploads`, { body: upload });
  await server.must('PUT /user/avatar', { body: avatar() });
  // Waits for background results of the push that the responses include.
  await until(async () => (await server.must(`GET ${base}`)).readme_url !== null);
  await until(async () => (await server.must(`GET ${base}/merge_requests/1`)).merge_status === 'can_be_merged');
  return [
    '/users/1',
    '/groups/kept',
    base,
    `${base}/repository/files/README.md?ref=main`,
    `${base}/repository/commits?all=true`,
    `${base}/repository/tags`,
    `${base}/labels?with_counts=true`,
    `${base}/issues/1`,
    `${base}/issues/1/notes`,
    `${base}/merge_requests/1`,
    `${base}/merge_requests/1/diffs`,
    `${base}/variables`,
    `${base}/wikis/Home`,
    `${base}/uploads`,
    `${base}/search?scope=issues&search=fir`,
    `${base}/events`,
  ];
}

function avatar(): FormData {
  const form = new FormData();
  const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
  form.set('avatar', new Blob([Buffer.from(pixel, 'base64')], { type: 'image/png' }), 'a.png');
  return form;
}

/** Returns the responses of a server without its own address. */
async function answers(server: TestServer, paths: readonly string[]): Promise<unknown[]> {
  const responses: unknown[] = [];
  for (const path of paths) {
    const { status, text } = await server.api(`GET ${path}`);
    assert.equal(status, 200, `${path}: ${text}`);
    responses.push([path, JSON.parse(text.replaceAll(server.url, 'URL').replaceAll(new URL(server.url).host, 'HOST'))]);
  }
  return responses;
}

forEachEngine((engine) => {
  it('a backup taken under load is restored on both engines with everything acknowledged before it', async () => {
    const server = await startTestServer(engine);
    const paths = await populateGroup(server);
    const deleted = await server.must('POST /projects', { json: { name: 'gone' } });
    await server.must(`DELETE /projects/${deleted.id}`);
    await server.must(
      `DELETE /projects/${deleted.id}?permanently_remove=true&full_path=${encodeURIComponent((await server.must(`GET /projects/${deleted.id}`)).path_with_namespace)}`,
    );
    const before = await answers(server, paths);

    // The load continues: everything acknowledged before the backup is included, and of the rest an initial part.
    const busy = await server.must('POST /projects', { json: { name: 'busy' } });
    let stop = false;
    let acknowledged = 0;
    const load = (async () => {
      while (!stop) {
        await server.must(`POST /projects/${busy.id}/issues`, { json: { title: `Issue ${acknowledged + 1}` } });
        await server.must(`POST /projects/${busy.id}/repository/files/${acknowledged + 1}.txt`, {
          json: { branch: 'main', commit_message: 'Add', content: `${acknowledged}` },
        });
        acknowledged += 1;
      }
    })();
    while (acknowledged < 3) await new Promise(setImmediate);
    const certain = acknowledged;
    const folder = await newFolder();
    await backUp(server, folder);
    stop = true;
    await load;

    for (const target of engines) {
      const restored = await startRestored(folder, target);
      assert.deepEqual(await answers(restored, paths), before);
      const issues = await restored.must(`GET /projects/${busy.id}/issues?sort=asc&per_page=100`);
      assert.ok(issues.length >= certain, `${issues.length} of ${certain} issues`);
      assert.deepEqual(
        issues.map(({ iid }: { iid: number }) => iid),
        issues.map((_: unknown, i: number) => i + 1),
      );
      const [busyProject] = (await restored.must('GET /projects?search=busy')) as { path_with_namespace: string }[];
      const client = new GitClient();
      await client.git(
        'clone',
        '-q',
        withCredentials(restored.url, `${busyProject?.path_with_namespace}`, 'root', rootToken),
        '.',
      );
      await client.git('fsck', '--strict');
      assert.ok((await readdir(client.folder)).filter((name) => name.endsWith('.txt')).length >= certain);
      // Ids are not assigned again, and new data can be searched and pushed to.
      const next = await restored.must('POST /projects', { json: { name: 'next' } });
      assert.ok(next.id > busy.id);
      await restored.must(`POST /projects/${busy.id}/issues`, { json: { title: 'Unmistakable' } });
      const found = await restored.must(`GET /projects/${busy.id}/search?scope=issues&search=mistak`);
      assert.equal(found.length, 1);
      await client.commit({ 'after.txt': 'after' });
      await client.git('push', '-q', 'origin', 'HEAD');
    }
  });

  it('unchanged files are hard-linked from the previous backup, and only the newest backups are kept', async () => {
    const server = await startTestServer(engine);
    await populateGroup(server);
    const parent = await newFolder();
    const first = await backUp(server, parent);
    // Backup names have a resolution of one second.
    await new Promise((resolve) => setTimeout(resolve, 1001 - (Date.now() % 1000)));
    const second = await backUp(server, parent);
    const packedOrLoose = await filesBelow(join(second.folder, 'repositories'), /\/objects\//);
    const stored = await filesBelow(join(second.folder, 'storage'), /./);
    assert.ok(packedOrLoose.length > 0 && stored.length > 0);
    for (const path of [...packedOrLoose, ...stored]) {
      const twin = path.replace(second.folder, first.folder);
      assert.equal((await stat(path)).ino, (await stat(twin)).ino, path);
    }
    await new Promise((resolve) => setTimeout(resolve, 1001 - (Date.now() % 1000)));
    const third = await backUp(server, parent, 2);
    assert.deepEqual(third.removed, [first.folder]);
    assert.deepEqual(
      (await readdir(parent)).sort().map((name) => join(parent, name)),
      [second.folder, third.folder],
    );
  });
});

async function filesBelow(folder: string, pattern: RegExp): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return paths.filter((path) => pattern.test(path));
}
