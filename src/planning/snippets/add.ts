import type { Actor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import { settingsWithAncestors } from '../../access/stored-settings.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import type { User } from '../../access/tables.ts';
import { repositorySize } from '../../platform/git/upkeep/size.ts';
import { Forbidden } from '../../platform/http/errors.ts';
import { recordUserAgent } from '../user-agents/public.ts';
import { checkDescription, checkTitle, readActions, snippetError } from './actions.ts';
import { commitEdits, filesOf, newRepositoryKey, snippetBranch } from './content.ts';
import { cancelCleanup, scheduleCleanup } from './removal.ts';
import { insertSnippet } from './store.ts';
import type { SnippetRow } from './tables.ts';

/** A snippet to be created by a request, or by an import, which sets its timestamps. */
export interface NewSnippet {
  readonly title: string;
  readonly description?: string | undefined;
  readonly visibility: number;
  readonly files: readonly { readonly file_path: string; readonly content: string }[];
  readonly created_at?: number;
  readonly updated_at?: number;
  readonly imported_from?: string;
}

/** Creates a snippet, personal if there is no project. Its repository is complete before the row is visible. */
export async function addSnippet(
  services: Services,
  author: User,
  subject: ProjectSubject | null,
  wanted: NewSnippet,
  opener?: Actor,
): Promise<SnippetRow> {
  if (!subject) await requireOwnSnippets(services, author);
  const prepared = await makeSnippet(services, author, wanted);
  try {
    return await services.db.write(async (trx) => {
      const project = subject?.project ?? null;
      const snippet = await insertSnippet(trx, { ...prepared, project_id: project?.id ?? null });
      await cancelCleanup(services, trx, snippet.repository);
      if (opener) await recordUserAgent(trx, opener, { snippet_id: snippet.id });
      await services.announce(trx, 'snippet.changed', { action: 'create', actorId: author.id, snippet, project });
      return snippet;
    });
  } catch (error) {
    await services.git.remove(services.git.repository(prepared.repository));
    throw error;
  }
}

/** A group can disable personal snippets for the accounts it provisioned. */
async function requireOwnSnippets({ db }: Services, { provisioned_by_group_id: home }: User): Promise<void> {
  if (home === null) return;
  const above = await settingsWithAncestors(db.read, home);
  if (above.some(({ settings }) => settings.allow_personal_snippets === false)) throw new Forbidden();
}

/** Creates the repository of a snippet and returns the row, which is not inserted yet. */
export async function makeSnippet(
  services: Services,
  author: User,
  wanted: NewSnippet,
): Promise<Omit<SnippetRow, 'id' | 'project_id'>> {
  const title = checkTitle(wanted.title);
  const description = checkDescription(wanted.description) ?? null;
  const edits = readActions(
    wanted.files.map((file) => ({ action: 'create', ...file })),
    [],
  );
  if (edits.length === 0) throw snippetError('The repository must contain at least 1 file.');
  const key = newRepositoryKey();
  const { git } = services;
  await scheduleCleanup(services, key);
  const repo = await git.create(key, { defaultBranch: snippetBranch });
  try {
    await commitEdits(services, author, repo, edits);
    const created_at = wanted.created_at ?? Date.now();
    return {
      author_id: author.id,
      title,
      description,
      visibility: wanted.visibility,
      repository: key,
      files: JSON.stringify(await filesOf(services, repo)),
      repository_size: await repositorySize(repo),
      imported_from: wanted.imported_from ?? 'none',
      created_at,
      updated_at: wanted.updated_at ?? created_at,
    };
  } catch (error) {
    await git.remove(repo);
    throw error;
  }
}
