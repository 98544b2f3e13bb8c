import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { loadConfig } from '../../src/config/config.ts';
import { repositoryPath } from '../../src/platform/git/repository.ts';
import { createLogger } from '../../src/platform/log.ts';
import { type RunningServer, startServer } from '../../src/server.ts';
import { atEnd } from '../support/at-end.ts';
import { rootToken } from '../support/server.ts';

async function newPlace(): Promise<string> {
  const data = await mkdtemp(join(tmpdir(), 'hearth-lost-'));
  atEnd(() => rm(data, { recursive: true, force: true, maxRetries: 10 }));
  return data;
}

const start = (data: string): Promise<RunningServer> => {
  const flags = ['--port', '0', '--data', data, '--root-token', rootToken, '--root-password', 'correct horse battery'];
  return startServer(loadConfig(flags, {}), createLogger({ logLevel: 'silent' }));
};

async function createProject({ url }: RunningServer, name: string): Promise<{ id: number; empty_repo: boolean }> {
  const headers = { 'private-token': rootToken, 'content-type': 'application/json' };
  const body = JSON.stringify({ name, initialize_with_readme: name === 'first' });
  const answer = await fetch(`${url}/api/v4/projects`, { method: 'POST', headers, body });
  assert.equal(answer.status, 201);
  return (await answer.json()) as { id: number; empty_repo: boolean };
}

test('a server whose database or keys are missing refuses to start and says what to do', async () => {
  const data = await newPlace();
  const first = await start(data);
  await createProject(first, 'first');
  await first.close();

  await rename(join(data, 'secret-keys'), join(data, 'kept-keys'));
  await assert.rejects(start(data), { name: 'LostData', message: /secret-keys is gone/ });
  await rename(join(data, 'kept-keys'), join(data, 'secret-keys'));

  await mkdir(join(data, 'kept'));
  for (const name of ['hearth.db', 'hearth.db-wal', 'hearth.db-shm']) {
    await rename(join(data, name), join(data, 'kept', name)).catch(() => undefined);
  }
  await assert.rejects(start(data), { name: 'LostData', message: /database is empty/ });
  for (const name of ['hearth.db', 'hearth.db-wal', 'hearth.db-shm']) {
    await rm(join(data, name), { force: true });
    await rename(join(data, 'kept', name), join(data, name)).catch(() => undefined);
  }
  const again = await start(data);
  await again.close();
});

test('a new project never adopts a repository left at its id', async () => {
  const data = await newPlace();
  const server = await start(data);
  const { id } = await createProject(server, 'first');
  const foreign = repositoryPath(join(data, 'repositories'), id + 1);
  await mkdir(foreign, { recursive: true });
  await writeFile(join(foreign, 'HEAD'), 'ref: refs/heads/secret\n');
  const next = await createProject(server, 'second');
  assert.deepEqual([next.id, next.empty_repo], [id + 1, true]);
  const headers = { 'private-token': rootToken };
  const shown = await (await fetch(`${server.url}/api/v4/projects/${next.id}`, { headers })).json();
  assert.notEqual((shown as { default_branch: string }).default_branch, 'secret');
  await server.close();
});
