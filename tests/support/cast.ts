import { projectRoles } from '../../src/access/roles.ts';
import type { ApiClient } from './server.ts';

/** A group and a project of one visibility with secret content. */
export interface Stage {
  readonly visibility: 'private' | 'internal' | 'public';
  readonly group: { id: number; full_path: string };
  readonly project: { id: number; path_with_namespace: string };
}

/** The users of a test by role, as tokens. */
export interface Cast {
  readonly outsider: string;
  readonly readOnly: string;
  readonly blocked: string;
  readonly stages: readonly Stage[];
  /** Members of the private group, and thus of its project, by access level. */
  readonly members: ReadonlyMap<number, string>;
}

let count = 0;

/** Creates a user with a token of the given scopes. */
export async function addUser(server: ApiClient, name?: string, scopes: readonly string[] = ['api']) {
  count += 1;
  const username = `${name ?? 'user'}-${count}`;
  const user = await server.must('POST /users', {
    json: {
      username,
      name: username,
      email: `${username}@example.com`,
      password: 'long enough 4 you',
      skip_confirmation: true,
    },
  });
  const { token } = await server.must(`POST /users/${user.id}/personal_access_tokens`, {
    json: { name: 'test', scopes },
  });
  return { id: user.id as number, username, token: token as string };
}

/** Creates a group with a project. */
export async function addStage(server: ApiClient, visibility: Stage['visibility']): Promise<Stage> {
  count += 1;
  const path = `${visibility}-${count}`;
  const group = await server.must('POST /groups', { json: { name: path, path, visibility } });
  const project = await server.must('POST /projects', {
    json: { name: `in-${path}`, namespace_id: group.id, visibility },
  });
  for (const place of [`/groups/${group.id}`, `/projects/${project.id}`]) {
    await server.must(`POST ${place}/labels`, { json: { name: `secret-${place}`, color: '#ff0000' } });
  }
  return { visibility, group, project };
}

async function addMemberOf(server: ApiClient, stages: readonly Stage[], level: number): Promise<string> {
  const { id, token } = await addUser(server, 'member');
  for (const { group } of stages.filter(({ visibility }) => visibility === 'private')) {
    await server.must(`POST /groups/${group.id}/members`, { json: { user_id: id, access_level: level } });
  }
  return token;
}

export async function addCast(server: ApiClient): Promise<Cast> {
  const outsider = await addUser(server, 'outsider');
  const readOnly = await addUser(server, 'reader', ['read_api']);
  const blocked = await addUser(server, 'blocked');
  await server.must(`POST /users/${blocked.id}/block`);
  const stages = await Promise.all(
    (['private', 'internal', 'public'] as const).map((level) => addStage(server, level)),
  );
  const members = new Map<number, string>();
  for (const level of projectRoles) members.set(level, await addMemberOf(server, stages, level));
  return { outsider: outsider.token, readOnly: readOnly.token, blocked: blocked.token, stages, members };
}
