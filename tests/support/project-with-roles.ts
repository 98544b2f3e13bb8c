import { Role } from '../../src/access/roles.ts';
import type { Project } from '../../src/access/tables.ts';
import type { Engine } from '../../src/platform/database/database.ts';
import type { GitClient } from './git-client.ts';
import { pushAll } from './git-project.ts';
import { addMember, addPerson, addProject, type Person } from './scene.ts';
import { type Answer, type Sending, startTestServer, type TestServer } from './server.ts';

/** A server with a project that has one user of each role. */
export interface ProjectWithRoles {
  readonly server: TestServer;
  readonly project: Project;
  readonly owner: Person;
  readonly developer: Person;
  readonly reporter: Person;
  readonly guest: Person;
  /** The path, e.g. `/projects/1`. */
  readonly base: string;
  asOwner(call: string, sending?: Sending): Promise<Answer>;
  asDeveloper(call: string, sending?: Sending): Promise<Answer>;
}

/** Starts a server with such a project, optionally filled from a work tree. */
export async function projectWithRoles(engine: Engine, path: string, source?: GitClient): Promise<ProjectWithRoles> {
  const server = await startTestServer(engine);
  const owner = await addPerson(server, 'owner');
  const project = await addProject(server, owner, path);
  if (source) await pushAll(server, owner, project, source);
  const member = async (role: 'developer' | 'reporter' | 'guest') => {
    const person = await addPerson(server, role);
    await addMember(server, project, person, Role[role]);
    return person;
  };
  const [developer, reporter, guest] = [await member('developer'), await member('reporter'), await member('guest')];
  const as = (person: Person) => (call: string, sending?: Sending) =>
    server.api(call, { token: person.token, ...sending });
  return {
    server,
    project,
    owner,
    developer,
    reporter,
    guest,
    base: `/projects/${project.id}`,
    asOwner: as(owner),
    asDeveloper: as(developer),
  };
}
