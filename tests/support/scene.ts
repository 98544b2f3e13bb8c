import { actorOnBehalfOf } from '../../src/access/actor.ts';
import { projectSubject } from '../../src/access/subjects.ts';
import type { Project, User } from '../../src/access/tables.ts';
import { createProject } from '../../src/namespaces/projects/public.ts';
import { insertToken } from '../../src/people/tokens/public.ts';
import { blankAccount, insertUser } from '../../src/people/users/public.ts';
import { digest, randomToken } from '../../src/platform/secrets/tokens.ts';
import type { TestServer } from './server.ts';

let count = 0;

/** A user with a token. */
export interface Person {
  readonly user: User;
  readonly token: string;
}

/** Inserts a user with a token directly into the database. */
export async function addPerson(
  server: TestServer,
  name: string,
  options: { scopes?: readonly string[]; columns?: Partial<User> } = {},
): Promise<Person> {
  const username = `${name}-${++count}`;
  const user = await server.db.write((trx) =>
    insertUser(server.running.services, trx, {
      ...blankAccount,
      username,
      name,
      email: `${username}@example.com`,
      confirmed_at: Date.now(),
      ...options.columns,
    }),
  );
  return { user, token: await addToken(server, user, options.scopes ?? ['api']) };
}

/** Creates another token for a user. */
export async function addToken(
  server: TestServer,
  user: User,
  scopes: readonly string[],
  expiresAt: number | null = null,
): Promise<string> {
  const token = `glpat-${randomToken()}`;
  const row = { userId: user.id, name: 'test', digest: digest(token), scopes, expiresAt };
  await server.db.write((trx) => insertToken(server.running.services, trx, row));
  return token;
}

/** Creates a project in the namespace of its owner. */
export async function addProject(
  server: TestServer,
  owner: Person,
  path: string,
  visibility: 'private' | 'internal' | 'public' = 'private',
): Promise<Project> {
  return createProject(server.running.services, actorOnBehalfOf(owner.user), { name: path, path, visibility });
}

/** Loads the project as seen by a user. */
export async function subjectFor(server: TestServer, person: Person, project: Project) {
  const row = await server.db.read
    .selectFrom('projects')
    .selectAll()
    .where('id', '=', project.id)
    .executeTakeFirstOrThrow();
  return projectSubject(server.db.read, actorOnBehalfOf(person.user), row);
}

export async function addMember(server: TestServer, project: Project, person: Person, level: number): Promise<void> {
  const row = {
    user_id: person.user.id,
    namespace_id: null,
    project_id: project.id,
    access_level: level,
    expires_at: null,
    created_by_id: null,
    created_at: Date.now(),
  };
  await server.db.write((trx) => trx.insertInto('members').values(row).execute());
}
