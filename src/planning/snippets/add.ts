import type { Actor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import { settingsAbove } from '../../access/stored-settings.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import type { User } from '../../access/tables.ts';
import { repositorySize } from '../../platform/git/upkeep/size.ts';
import { Forbidden } from '../../platform/http/errors.ts';
import { recordUserAgent } from '../user-agents/public.ts';
import { checkDescription, checkTitle, readActions, refused } from './actions.ts';
import { commitEdits, filesOf, newRepositoryKey, snippetBranch } from './content.ts';
import { promiseRemoval, takeBackRemoval } from './removal.ts';
import { insertSnippet } from './store.ts';
import type { SnippetRow } from './tables.ts';

/** A snippet to be made: by a call, or by an import, which says when it was written elsewhere. */
export interface NewSnippet {
  readonly title: string;
  readonly description?: string | undefined;
  readonly visibility: number;
  readonly files: readonly { readonly file_path: string; readonly content: string }[];
  readonly created_at?: number;
  readonly updated_at?: number;
  readonly imported_from?: string;
}

/** Makes a snippet, personal where no project is given. Its repository is complete before anybody can know of it. */
export async function addSnippet(
  services: Services,
  author: User,
  subject: ProjectSubject | null,
  wanted: NewSnippet,
  opener?: Actor,
): Promise<SnippetRow> {
  if (!subject) await requireOwnSnippets(services, author);
  const made = await makeSnippet(services, author, wanted);
  try {
    return await services.db.write(async (trx) => {
      const project = subject?.project ?? null;
      const snippet = await insertSnippet(trx, { ...made, project_id: project?.id ?? null });
      await takeBackRemoval(services, trx, snippet.repository);
      if (opener) await recordUserAgent(trx, opener, { snippet_id: snippet.id });
      await services.announce(trx, 'snippet.changed', { action: 'create', actorId: author.id, snippet, project });
      return snippet;
    });
  } catch (error) {
    await services.git.remove(services.git.repository(made.repository));
    throw error;
  }
}

/** A group may want that the accounts which were made for it keep no snippets of their own. */
async function requireOwnSnippets({ db }: Services, { provisioned_by_group_id: home }: User): Promise<void> {
  if (home === null) return;
  const above = await settingsAbove(db.read, home);
  if (above.some(({ settings }) => settings.allow_personal_snippets === false)) throw new Forbidden();
}

/** What a snippet is, with its repository, that nobody knows of yet. */
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
  if (edits.length === 0) throw refused('The repository must contain at least 1 file.');
  const key = newRepositoryKey();
  const { git } = services;
  await promiseRemoval(services, key);
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
