import type { Project } from '../../src/access/tables.ts';
import { type GitClient, withCredentials } from './git-client.ts';
import { addProject, type Person } from './scene.ts';
import type { TestServer } from './server.ts';

/** Pushes all refs of a work tree, default branch first. */
export async function pushAll(
  server: TestServer,
  owner: Person,
  project: Project,
  client: GitClient,
  branch = 'main',
): Promise<void> {
  const url = withCredentials(server.url, `${owner.user.username}/${project.path}`, owner.user.username, owner.token);
  await client.git('push', '-q', url, branch);
  await client.git('push', '-q', url, 'refs/heads/*:refs/heads/*', 'refs/tags/*:refs/tags/*');
}

/** Creates a project filled from a work tree. */
export async function addFilledProject(
  server: TestServer,
  owner: Person,
  path: string,
  client: GitClient,
  visibility: 'private' | 'internal' | 'public' = 'private',
): Promise<Project> {
  const project = await addProject(server, owner, path, visibility);
  await pushAll(server, owner, project, client);
  return project;
}
