import type { Actor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import { lookUpProject, type ProjectSubject, projectSubject } from '../../access/subjects.ts';
import type { RepositoryFinder } from '../../code/transport/public.ts';
import { lockRow } from '../../platform/database/locks.ts';
import type { Push, ReceiveHooks } from '../../platform/git/transport/receive.ts';
import { maxFiles, tooLarge } from './actions.ts';
import { filesOf, sizesAt, snippetRef } from './content.ts';
import { isChangeable, isReadable } from './service.ts';
import { findSnippet, updateSnippet } from './store.ts';
import type { SnippetRow } from './tables.ts';

const address = /^(?:(.+)\/)?snippets\/(\d{1,15})$/;

/** The project in the path of a snippet repository, as seen by the actor; null for personal snippets. */
async function placeOf(
  { db }: Services,
  actor: Actor,
  path: string | undefined,
): Promise<ProjectSubject | null | undefined> {
  if (path === undefined) return null;
  const found = await lookUpProject(db.read, path);
  return found && projectSubject(db.read, actor, found.project);
}

/** Finds snippet repositories for git: `snippets/5` and `group/project/snippets/5`. */
export const snippetRepositories: RepositoryFinder = async (services, actor, path) => {
  const [, projectPath, id] = address.exec(path) ?? [];
  if (id === undefined) return undefined;
  const subject = await placeOf(services, actor, projectPath);
  if (subject === undefined) return undefined;
  const snippet = await findSnippet(services.db.read, Number(id));
  if (!snippet || snippet.project_id !== (subject?.project.id ?? null)) return undefined;
  const mayPull = (subject === null || subject.can('read_project')) && isReadable(actor, subject, snippet);
  return {
    repo: services.git.repository(snippet.repository),
    subject,
    mayPull,
    mayPush: mayPull && isChangeable(actor, subject, snippet),
    hooks: hooksOf(services, actor, subject, snippet),
  };
};

/** Pushes must keep the single branch and the limits on number and size of files of the API. */
async function problemOf({ git, settings }: Services, { changes, repo }: Push): Promise<string | undefined> {
  const { snippet_size_limit: largest } = await settings.read();
  for (const { ref, new: commit } of changes) {
    if (ref !== snippetRef || commit === null) return 'You can not create or delete branches.';
    const sizes = await sizesAt(git.objects(repo), commit);
    if (sizes.length > maxFiles) return `The repository can contain at most ${maxFiles} file(s).`;
    if (sizes.length === 0) return 'The repository must contain at least 1 file.';
    if (sizes.some((size) => size > largest)) return `A file ${tooLarge(largest)}`;
  }
  return undefined;
}

function hooksOf(services: Services, actor: Actor, subject: ProjectSubject | null, snippet: SnippetRow): ReceiveHooks {
  return {
    onPreReceive: (push) => problemOf(services, push),
    async onPostReceive() {
      await services.db.write(async (trx) => {
        if (!(await lockRow(trx, 'snippets', snippet.id))) return;
        const files = JSON.stringify(await filesOf(services, services.git.repository(snippet.repository)));
        const after = await updateSnippet(trx, snippet.id, { files, updated_at: Date.now() });
        const actorId = actor.user?.id ?? snippet.author_id;
        const project = subject?.project ?? null;
        await services.announce(trx, 'snippet.changed', { action: 'update', actorId, snippet: after, project });
      });
      return [];
    },
  };
}
