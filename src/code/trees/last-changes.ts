import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import { lastCommitsOf } from '../../platform/git/history/last-commits.ts';
import { commitTitle } from '../../platform/git/objects/commit.ts';
import { repositoryOf } from '../repository/public.ts';

/** What was last done to an entry of a folder. */
export interface EntryChange {
  readonly id: string;
  readonly title: string;
  readonly committed_date: string;
}

/** The last changes of entries of a folder, by name; old ones are left out. */
export async function lastChanges(
  services: Services,
  subject: ProjectSubject,
  { commit, folder, names }: { readonly commit: string; readonly folder: string; readonly names: readonly string[] },
): Promise<ReadonlyMap<string, EntryChange>> {
  const objects = services.git.objects(repositoryOf(services, subject));
  const found = await lastCommitsOf(objects, commit, folder, names);
  const ids = [...new Set([...found.values()].filter((id) => id !== null))];
  const changes = new Map<string, EntryChange>();
  for (const read of await objects.commits(ids)) {
    if (!read) continue;
    const committed_date = new Date(read.committer.seconds * 1000).toISOString();
    changes.set(read.oid, { id: read.oid, title: commitTitle(read.message).slice(0, 200), committed_date });
  }
  return new Map(
    [...found].flatMap(([name, id]) => {
      const change = changes.get(id ?? '');
      return change ? [[name, change] as const] : [];
    }),
  );
}
