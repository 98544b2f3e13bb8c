import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import { defaultBranch, inAddress, projectUrl, repositoryOf, resolveCommit } from '../../../code/repository/public.ts';
import type { Commit } from '../../../platform/git/objects/commit.ts';
import { entryType } from '../../../platform/git/trees/tree.ts';
import type { Frame } from '../../events/public.ts';
import { candidatePaths, revisionsOf } from './paths.ts';

const maxFiles = 50;

/** Where calls are found in the repository. */
export interface Sources {
  urlOf(frame: Frame): string | null;
}

const nowhere: Sources = { urlOf: () => null };

/** The commit that a release was made of, if its name says so. */
export async function commitOfRelease(
  services: Services,
  subject: ProjectSubject,
  release: string | null,
): Promise<Commit | undefined> {
  if (release === null || !subject.can('read_code')) return undefined;
  for (const revision of revisionsOf(release)) {
    const commit = await resolveCommit(services, subject, revision);
    if (commit) return commit;
  }
  return undefined;
}

/** Looks up the files of calls, as they were in the release that reported them or else as they are. */
export async function findSources(
  services: Services,
  subject: ProjectSubject,
  frames: readonly Frame[],
  release: string | null,
): Promise<Sources> {
  if (!subject.can('read_code')) return nowhere;
  const released = await commitOfRelease(services, subject, release);
  const commit = released ?? (await resolveCommit(services, subject, undefined));
  if (!commit) return nowhere;
  const ref = released?.oid ?? defaultBranch(subject);
  const base = `${projectUrl(services, subject)}/-/blob/${inAddress(ref)}`;
  const own = frames.filter(({ in_app }) => in_app).map(candidatePaths);
  const wanted = new Map(own.reverse().map((paths) => [paths.join('\0'), paths]));
  const found = new Map<string, string>();
  for (const [key, paths] of [...wanted].slice(0, maxFiles)) {
    const path = await firstFile(services, subject, commit, paths);
    if (path !== undefined) found.set(key, path);
  }
  return {
    urlOf(frame) {
      const path = frame.in_app ? found.get(candidatePaths(frame).join('\0')) : undefined;
      if (path === undefined) return null;
      return `${base}/${inAddress(path)}${frame.lineno === null ? '' : `#L${frame.lineno}`}`;
    },
  };
}

async function firstFile(
  services: Services,
  subject: ProjectSubject,
  commit: Commit,
  paths: readonly string[],
): Promise<string | undefined> {
  const objects = services.git.objects(repositoryOf(services, subject));
  for (const path of paths) {
    const entry = await objects.entryAt(commit.tree, path);
    if (entry && entryType(entry) === 'blob') return path;
  }
  return undefined;
}
