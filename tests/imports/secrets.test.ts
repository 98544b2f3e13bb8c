import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import { createLogger } from '../../src/platform/log.ts';
import { startServer } from '../../src/server.ts';
import { atEnd } from '../support/at-end.ts';
import { forEachEngine } from '../support/engines.ts';
import { startBareRepository } from '../support/git-http-backend.ts';
import { addPerson } from '../support/scene.ts';
import { TestServer } from '../support/server.ts';
import { ServerPlace } from '../support/server-process.ts';
import { until } from '../support/until.ts';
import { startHosta, token } from './hosta/world.ts';

const password = 'a-pass-word-of-the-mirror';

/** Lists files below a folder that contain one of these strings in any of their encodings. */
async function holding(folder: string, words: readonly string[]): Promise<string[]> {
  const spellings = words.flatMap((word) => [word, Buffer.from(word).toString('base64').replace(/=+$/, '')]);
  const found: string[] = [];
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = join(entry.parentPath, entry.name);
    const bytes = await readFile(file).catch(() => Buffer.alloc(0));
    if (spellings.some((word) => bytes.includes(word))) found.push(file);
  }
  return found;
}

forEachEngine((engine) => {
  it('secrets of imports and mirrors do not appear in any file, row, log line or response', async () => {
    const world = await startHosta();
    const place = await ServerPlace.make(engine, ['--allow-local-egress', '--hosta-url', world.url]);
    const lines: string[] = [];
    const config = place.config();
    const log = createLogger({ logLevel: 'trace' }, { write: (line: string) => void lines.push(line) });
    const server = new TestServer(await startServer(config, log));
    atEnd(() => server.running.close());
    const owner = await addPerson(server, 'owner');
    const answers: string[] = [];
    const ask = async (call: string, json?: unknown) => {
      const answer = await server.api(call, { token: owner.token, ...(json === undefined ? {} : { json }) });
      answers.push(answer.text);
      return answer;
    };
    const target_namespace = owner.user.username;
    const start = async (new_name: string) => {
      const json = { personal_access_token: token, repo_id: 77, target_namespace, new_name };
      return (await ask('POST /import/hosta', json)).body.id;
    };
    const becomes = (id: number, status: string) =>
      until(async () => (await ask(`GET /projects/${id}/import`)).body.import_status === status);

    await becomes(await start('succeeds'), 'finished');
    world.intercept = ({ path }) => (path === '/repos/o/r/labels' ? { status: 404, json: { token } } : undefined);
    await becomes(await start('fails'), 'failed');
    world.intercept = ({ path }) =>
      path === '/repos/o/r/labels' ? { status: 429, headers: { 'retry-after': '3600' }, json: {} } : undefined;
    const canceled = await start('is-canceled');
    await becomes(canceled, 'started');
    assert.equal((await ask('POST /import/hosta/cancel', { project_id: canceled })).status, 200);
    world.intercept = undefined;

    const bare = await startBareRepository('joe', password);
    const wrong = bare.url.replace(password, `${password}-wrong`);
    for (const [name, url, status] of [
      ['by-url', bare.url, 'finished'],
      ['by-wrong-url', wrong, 'failed'],
    ]) {
      const made = await ask('POST /projects', { name, import_url: url });
      await becomes(made.body.id, status ?? '');
      const mirrors = `/projects/${made.body.id}/remote_mirrors`;
      const { id } = (await ask(`POST ${mirrors}`, { url, enabled: true })).body;
      await ask(`POST ${mirrors}/${id}/sync`);
      // A failed mirror update is scheduled again.
      await until(async () => {
        const { update_status, last_error } = (await ask(`GET ${mirrors}/${id}`)).body;
        return update_status === 'finished' || last_error !== null;
      });
      assert.equal((await ask(`DELETE ${mirrors}/${id}`)).status, 204);
    }

    const words = [token, password];
    const rows = await server.db.read.selectFrom('project_imports').select('encrypted_data').execute();
    assert.ok(rows.length >= 5 && rows.every(({ encrypted_data }) => encrypted_data === null));
    const reported = { log: lines.join('\n'), answers: answers.join('\n') };
    assert.ok(lines.length > 10, 'logging was enabled');
    for (const [where, text] of Object.entries(reported)) {
      for (const word of words) assert.ok(!text.includes(word), `${word} in ${where}`);
    }
    assert.deepEqual(await holding(config.data, words), []);
  });
});
