import { Role } from '../../src/access/roles.ts';
import type { Project } from '../../src/access/tables.ts';
import type { Engine } from '../../src/platform/database/database.ts';
import { GitClient, withCredentials } from './git-client.ts';
import { addFilledProject } from './git-project.ts';
import { addMember, addPerson, type Person } from './scene.ts';
import { type Answer, type Sending, startTestServer, type TestServer } from './server.ts';

/** A project with users and branches for merge request tests. */
export interface ReviewScene {
  readonly server: TestServer;
  readonly git: GitClient;
  readonly project: Project;
  readonly owner: Person;
  readonly developer: Person;
  readonly reporter: Person;
  readonly outsider: Person;
  /** The path, e.g. `/projects/1/merge_requests`. */
  readonly base: string;
  /** Pushes refs of the work tree as a user. */
  push(person: Person, ...refs: string[]): Promise<void>;
  /** Creates a branch with one commit that writes a file, and pushes it. */
  branch(name: string, file: string, content: string, from?: string): Promise<string>;
  api(person: Person | null, call: string, sending?: Sending): Promise<Answer>;
  open(person: Person, source: string, more?: Record<string, unknown>): Promise<Answer['body']>;
}

/** Starts a server with such a project; `main` contains a file of three lines. */
export async function reviewScene(
  engine: Engine,
  visibility: 'private' | 'public' = 'public',
  settings: Record<string, unknown> = {},
): Promise<ReviewScene> {
  const server = await startTestServer(engine);
  const git = new GitClient();
  await git.init();
  await git.commit({ 'README.md': 'one\ntwo\nthree\n' }, 'Begin');
  const owner = await addPerson(server, 'owner');
  const project = await addFilledProject(server, owner, 'app', git, visibility);
  const member = async (role: 'developer' | 'reporter') => {
    const person = await addPerson(server, role);
    await addMember(server, project, person, Role[role]);
    return person;
  };
  const [developer, reporter] = [await member('developer'), await member('reporter')];
  const outsider = await addPerson(server, 'outsider');
  const base = `/projects/${project.id}/merge_requests`;
  if (Object.keys(settings).length > 0) {
    await server.must(`PUT /projects/${project.id}`, { token: owner.token, json: settings });
  }
  const push = async (person: Person, ...refs: string[]) => {
    const path = `${owner.user.username}/${project.path}`;
    const url = withCredentials(server.url, path, person.user.username, person.token);
    await git.git('push', '-q', url, ...refs);
  };
  return {
    server,
    git,
    project,
    owner,
    developer,
    reporter,
    outsider,
    base,
    push,
    async branch(name, file, content, from = 'main') {
      await git.git('checkout', '-q', '-B', name, from);
      const head = await git.commit({ [file]: content }, `Change ${file} in ${name}`);
      await push(owner, `+${name}`);
      return head;
    },
    api: (person, call, sending) => server.api(call, { token: person?.token ?? null, ...sending }),
    open: (person, source, more = {}) =>
      server.must(`POST ${base}`, {
        token: person.token,
        json: { source_branch: source, target_branch: 'main', title: `Merge ${source}`, ...more },
      }),
  };
}
