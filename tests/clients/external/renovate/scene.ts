import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { basic, RegistryClient } from '../../../ci/registry/registry-client.ts';
import { atEnd } from '../../../support/at-end.ts';
import { rootToken, type TestServer } from '../../../support/server.ts';

/** What the projects of one group need of each other, all of it on one server: nothing is asked of the world. */
export interface Scene {
  readonly bot: string;
  readonly registry: string;
  readonly host: string;
}

export async function addProject(server: TestServer, group: number, name: string, more: object = {}): Promise<number> {
  return (await server.must('POST /projects', { json: { name, namespace_id: group, ...more } })).id;
}

/** Files on the default branch, by one commit. */
export async function commit(server: TestServer, project: number, files: Record<string, string>): Promise<void> {
  const actions = Object.entries(files).map(([file_path, content]) => ({ action: 'create', file_path, content }));
  const json = { branch: 'main', commit_message: 'Add what there is', actions };
  await server.must(`POST /projects/${project}/repository/commits`, { json });
}

/** A tag, and what its release says of it. */
async function release(server: TestServer, project: number, version: string, notes: string): Promise<void> {
  const json = { tag_name: `v${version}`, ref: 'main', name: version, description: notes };
  await server.must(`POST /projects/${project}/releases`, { json });
}

function publish(registry: string, manifest: object): void {
  const folder = mkdtempSync(join(tmpdir(), 'hearth-renovate-package-'));
  atEnd(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  const settings = [`registry=${registry}`, `${registry.replace(/^http:/, '')}:_authToken=${rootToken}`];
  writeFileSync(join(folder, '.npmrc'), settings.join('\n'));
  const env = { PATH: process.env.PATH, HOME: folder };
  const { status, stderr } = spawnSync('npm', ['publish', '--no-update-notifier'], { cwd: folder, env, encoding: 'utf8' });
  if (status !== 0) throw new Error(`npm publish: ${stderr}`);
}
