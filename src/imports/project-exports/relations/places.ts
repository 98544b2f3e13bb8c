import type { Services } from '../../../access/services.ts';
import { featureLevelsOf, findProject } from '../../../namespaces/projects/public.ts';
import { fileContents } from '../../../planning/snippets/public.ts';
import { instant } from '../../../platform/http/schema.ts';
import * as rows from '../relation-store.ts';
import { milestoneLine } from './belongings.ts';
import { awardsFor, notesFor } from './notes.ts';
import { type BatchRange, groupByParent, idsOf, iterateRows, type Line } from './walk.ts';

export async function* releases({ db: { read: db } }: Services, projectId: number): AsyncGenerator<Line, void> {
  const read = (part: BatchRange) => rows.releasesAfter(db, part);
  for await (const part of iterateRows(read, projectId, ({ id }) => id)) {
    const links = groupByParent(await rows.releaseLinks(db, idsOf(part)), ({ release_id }) => release_id);
    const planned = groupByParent(await rows.releaseMilestones(db, idsOf(part)), ({ of }) => of);
    for (const row of part) {
      yield {
        tag: row.tag,
        name: row.name,
        description: row.description,
        sha: row.sha,
        author_id: row.author_id,
        released_at: instant(row.released_at),
        created_at: instant(row.created_at),
        updated_at: instant(row.updated_at),
        links: links(row.id).map(({ name, url, filepath, link_type }) => ({ name, url, filepath, link_type })),
        milestone_releases: planned(row.id).map((milestone) => ({ milestone: milestoneLine(milestone) })),
      };
    }
  }
}

export async function* branches({ db: { read: db } }: Services, projectId: number): AsyncGenerator<Line, void> {
  const found = await rows.protectedBranches(db, projectId);
  if (found.length === 0) return;
  const ids = found.map(({ id }) => id);
  const grants = groupByParent(await rows.grantsOf(db, 'branch_id', ids), ({ branch_id }) => branch_id);
  for (const { id, name, allow_force_push, code_owner_approval_required } of found) {
    const levels = (action: string) =>
      grants(id)
        .filter((grant) => grant.action === action)
        .map(({ access_level }) => ({ access_level }));
    yield {
      name,
      allow_force_push: allow_force_push === 1,
      code_owner_approval_required: code_owner_approval_required === 1,
      push_access_levels: levels('push'),
      merge_access_levels: levels('merge'),
      unprotect_access_levels: levels('unprotect'),
    };
  }
}

export async function* tags({ db: { read: db } }: Services, projectId: number): AsyncGenerator<Line, void> {
  const found = await rows.protectedTags(db, projectId);
  if (found.length === 0) return;
  const ids = found.map(({ id }) => id);
  const grants = groupByParent(await rows.grantsOf(db, 'tag_id', ids), ({ tag_id }) => tag_id);
  for (const { id, name } of found) {
    yield { name, create_access_levels: grants(id).map(({ access_level }) => ({ access_level })) };
  }
}

const levelNumbers: Readonly<Record<string, number>> = { disabled: 0, private: 10, enabled: 20, public: 30 };

/** Feature access levels in GitLab's format, so that members-only features do not become public there. */
export async function* features({ db }: Services, projectId: number): AsyncGenerator<Line, void> {
  const project = await findProject(db.read, projectId);
  if (!project) return;
  const levels = Object.entries(featureLevelsOf(project)).map(([name, word]) => [
    name,
    levelNumbers[String(word)] ?? 20,
  ]);
  yield Object.fromEntries(levels);
}

export async function* members({ db: { read: db } }: Services, projectId: number): AsyncGenerator<Line, void> {
  const found = await rows.membersOf(db, projectId);
  if (found.length === 0) return;
  const ids = found.flatMap(({ user_id }) => user_id ?? []);
  const users = new Map((await rows.usersOf(db, ids)).map((user) => [user.id, user]));
  for (const { user_id, access_level, created_at } of found) {
    const user = user_id === null ? undefined : users.get(user_id);
    if (user) yield { source_type: 'Project', user_id, access_level, created_at: instant(created_at), user };
  }
}

/** Snippets with their current files; other servers import only the first file. */
export async function* snippets(services: Services, projectId: number): AsyncGenerator<Line, void> {
  const read = (part: BatchRange) => rows.snippetsAfter(services.db.read, part);
  for await (const part of iterateRows(read, projectId, ({ id }) => id)) {
    const [notes, awards] = await Promise.all([
      notesFor(services.db.read, 'Snippet', idsOf(part)),
      awardsFor(services.db.read, 'Snippet', idsOf(part)),
    ]);
    for (const { id, title, description, author_id, visibility, created_at, updated_at, repository } of part) {
      const files = await fileContents(services, repository);
      yield {
        id,
        title,
        description,
        author_id,
        visibility_level: visibility,
        file_name: files[0]?.file_path ?? null,
        content: files[0]?.content ?? '',
        files,
        created_at: instant(created_at),
        updated_at: instant(updated_at),
        award_emoji: awards(id),
        notes: notes(id),
      };
    }
  }
}
