import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import { defaultBranch, encodePath, projectUrl, repositoryOf, resolveCommit } from '../../../code/repository/public.ts';
import type { Commit } from '../../../platform/git/objects/commit.ts';
import { entryType } from '../../../platform/git/trees/tree.ts';
import type { Frame } from '../../events/public.ts';
import { candidatePaths, revisionsOf } from './paths.ts';

const maxFiles = 50;

/** Links stack frames to files in the repository. */
export interface Sources {
  urlOf(frame: Frame): string | null;
}

const noSources: Sources = { urlOf: () => null };

/** Returns the commit of a release, if the release name refers to one. */
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

/** Finds the source files of stack frames at the commit of the release, or else on the default branch. */
export async function findSources(
  services: Services,
  subject: ProjectSubject,
  frames: readonly Frame[],
  release: string | null,
): Promise<Sources> {
  if (!subject.can('read_code')) return noSources;
  const released = await commitOfRelease(services, subject, release);
  const commit = released ?? (await resolveCommit(services, subject, undefined));
  if (!commit) return noSources;
  const ref = released?.oid ?? defaultBranch(subject);
  const base = `${projectUrl(services, subject)}/-/blob/${encodePath(ref)}`;
  const own = frames.filter(({ in_app }) => in_app).map(candidatePaths);
  const candidates = new Map(own.reverse().map((paths) => [paths.join('\0'), paths]));
  const found = new Map<string, string>();
  for (const [key, paths] of [...candidates].slice(0, maxFiles)) {
    const path = await firstFile(services, subject, commit, paths);
    if (path !== undefined) found.set(key, path);
  }
  return {
    urlOf(frame) {
      const path = frame.in_app ? found.get(candidatePaths(frame).join('\0')) : undefined;
      if (path === undefined) return null;
      return `${base}/${encodePath(path)}${frame.lineno === null ? '' : `#L${frame.lineno}`}`;
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
