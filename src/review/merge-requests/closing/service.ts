import type { Actor } from '../../../access/actor.ts';
import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import { findProjects, subjectsOf } from '../../../namespaces/projects/public.ts';
import { closedIssuesOf, referenceKey, resolveReferences } from '../../../planning/markdown/public.ts';
import { listCommits } from '../../../platform/git/history/walk.ts';
import type { Commit } from '../../../platform/git/objects/commit.ts';
import type { MergeRequestRow } from '../tables.ts';

/** Maximum number of commits whose messages are searched for closed issues. */
const maxCommits = 1000;

/** Commits of a merge request, oldest first. */
export async function commitsOf({ git }: Services, request: MergeRequestRow): Promise<Commit[]> {
  const { head_sha: head, start_sha: start, project_id } = request;
  if (head === null || start === null) return [];
  const objects = git.objects(git.repository(project_id));
  return (await listCommits(objects, { tips: [head], exclude: [start], limit: maxCommits })).reverse();
}

/** An issue that merging closes, with its project. */
export interface FoundIssue {
  readonly id: number;
  readonly iid: number;
  readonly subject: ProjectSubject;
}

/** An issue as named in a text; a missing or empty path means the project itself. */
export interface NamedIssue {
  readonly path?: string;
  readonly iid: number;
}

/** Title, description and commit messages of a merge request. */
export function textsOf(request: MergeRequestRow, commits: readonly Pick<Commit, 'message'>[]): string[] {
  return [request.title, request.description ?? '', ...commits.map(({ message }) => message)];
}

/** Issues that the texts of a merge request close, limited to those the reader may read. */
export async function issuesToClose(
  services: Services,
  reader: Actor,
  subject: ProjectSubject,
  request: MergeRequestRow,
  commits: readonly Pick<Commit, 'message'>[],
): Promise<FoundIssue[]> {
  const named: NamedIssue[] = [];
  // Sequentially, because the queue of the worker thread is limited and would reject many long texts at once.
  for (const text of textsOf(request, commits)) {
    const closed = await closedIssuesOf(text, services.externalUrl);
    named.push(...closed.flatMap((issue) => ('iid' in issue ? [issue] : [])));
  }
  return findReferredIssues(services, reader, subject, named);
}

/** Resolves named issues without duplicates, limited in number and to those the reader may read. */
export async function findReferredIssues(
  services: Services,
  reader: Actor,
  subject: ProjectSubject,
  named: readonly NamedIssue[],
): Promise<FoundIssue[]> {
  const references = new Map<string, NamedIssue & { type: 'issue' }>();
  for (const { path, iid } of named) {
    const reference = { type: 'issue' as const, iid, ...(path && path !== subject.fullPath && { path }) };
    references.set(referenceKey(reference), reference);
  }
  const resolved = await resolveReferences(services, reader, subject, [...references.values()]);
  const { read } = services.db;
  const ids = [...new Set([...resolved.values()].flatMap(({ projectId }) => projectId ?? []))];
  const places = await subjectsOf(read, reader, await findProjects(read, ids));
  const byProject = new Map(places.map((place) => [place.project.id, place]));
  const found = new Map<number, FoundIssue>();
  for (const [key, { iid }] of references) {
    const { id, projectId } = resolved.get(key) ?? {};
    const place = projectId === undefined ? undefined : byProject.get(projectId);
    if (id !== undefined && place) found.set(id, { id, iid, subject: place });
  }
  return [...found.values()];
}

/** `#1`, `#2 and group/project#3`, for commit messages. */
export function namedIssues(issues: readonly FoundIssue[], projectId: number): string {
  const names = issues.map(({ iid, subject }) =>
    subject.project.id === projectId ? `#${iid}` : `${subject.fullPath}#${iid}`,
  );
  return names.length <= 2 ? names.join(' and ') : `${names.slice(0, -1).join(', ')}, and ${names.at(-1)}`;
}
