import type { Actor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import type { Reader } from '../../platform/database/database.ts';
import { identityDate } from '../../platform/git/objects/identity.ts';
import { presentCommit } from '../commits/public.ts';
import { tagAccess } from '../protected-refs/public.ts';
import { type NamedRef, peelTag, projectUrl, repositoryOf } from '../repository/public.ts';
import type { TagEntity } from './schema.ts';

/** Returns the release notes of tags, by tag name. */
export type ReleaseNotesFinder = (
  db: Reader,
  projectId: number,
  tags: readonly string[],
) => Promise<ReadonlyMap<string, string | null>>;

declare module '../../platform/domain-events.ts' {
  interface Contributions {
    'tags.releaseNotes': ReleaseNotesFinder;
  }
}

/** Presents a page of tags with one query for rules and one for releases. Objects are cached. */
export async function presentTags(
  services: Services,
  caller: Actor,
  subject: ProjectSubject,
  refs: readonly NamedRef[],
): Promise<TagEntity[]> {
  const objects = services.git.objects(repositoryOf(services, subject));
  const names = refs.map((ref) => ref.name);
  const readsReleases = subject.can('read_release');
  const [access, notes, peeled] = await Promise.all([
    tagAccess(services.db.read, caller, subject),
    readsReleases ? releaseNotesOf(services, subject, names) : new Map<string, string | null>(),
    Promise.all(refs.map((ref) => peelTag(objects, ref.oid))),
  ]);
  const url = projectUrl(services, subject);
  return refs.map(({ name, oid }, i) => {
    const { tag = null, commit = null } = peeled[i] ?? {};
    const description = notes.get(name);
    const release = description === undefined ? null : { tag_name: name, description };
    return {
      name,
      message: tag?.message.replace(/\n$/, '') ?? '',
      target: oid,
      commit: commit && presentCommit(commit, url),
      ...(readsReleases ? { release } : {}),
      protected: access.isProtected(name),
      created_at: tag?.tagger ? identityDate(tag.tagger) : null,
    };
  });
}

async function releaseNotesOf(
  { db, contributions }: Services,
  { project }: ProjectSubject,
  tags: readonly string[],
): Promise<ReadonlyMap<string, string | null>> {
  const [find] = contributions('tags.releaseNotes');
  return find ? find(db.read, project.id, tags) : new Map();
}
