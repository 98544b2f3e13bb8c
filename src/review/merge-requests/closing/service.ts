import type { Actor } from '../../../access/actor.ts';
import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import { findProjects, subjectsOf } from '../../../namespaces/projects/public.ts';
import { closedIssuesOf, referenceKey, resolveReferences } from '../../../planning/markdown/public.ts';
import { listCommits } from '../../../platform/git/history/walk.ts';
import type { Commit } from '../../../platform/git/objects/commit.ts';
import type { MergeRequestRow } from '../tables.ts';

/** So many commits are asked what they close. */
const maxCommits = 1000;

/** The commits of a merge request, oldest first. */
export async function commitsOf({ git }: Services, request: MergeRequestRow): Promise<Commit[]> {
  const { head_sha: head, start_sha: start, project_id } = request;
  if (head === null || start === null) return [];
  const objects = git.objects(git.repository(project_id));
  return (await listCommits(objects, { tips: [head], exclude: [start], limit: maxCommits })).reverse();
}

/** An issue that merging closes, in the project that it belongs to. */
export interface FoundIssue {
  readonly id: number;
  readonly iid: number;
  readonly subject: ProjectSubject;
}

/** An issue as a text names it: without a path, or with an empty one, that of the project itself. */
export interface NamedIssue {
  readonly path?: string;
  readonly iid: number;
}

/** What a merge request says: of itself, and in its commits. */
export function textsOf(request: MergeRequestRow, commits: readonly Pick<Commit, 'message'>[]): string[] {
  return [request.title, request.description ?? '', ...commits.map(({ message }) => message)];
}

/** The issues that the texts of a merge request say it closes, as far as a reader may read them. */
export async function issuesToClose(
  services: Services,
  reader: Actor,
  subject: ProjectSubject,
  request: MergeRequestRow,
  commits: readonly Pick<Commit, 'message'>[],
): Promise<FoundIssue[]> {
  const named: NamedIssue[] = [];
  // One after the other: of many long texts at once, the thread that reads them would refuse some.
  for (const text of textsOf(request, commits)) {
    const closed = await closedIssuesOf(text, services.externalUrl);
    named.push(...closed.flatMap((issue) => ('iid' in issue ? [issue] : [])));
  }
  return findReferredIssues(services, reader, subject, named);
}

/** Which issues are named, each once, as far as a reader may read them; of very many the first. */
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

/** `#1`, `#2 and group/project#3`, as messages name them. */
export function namedIssues(issues: readonly FoundIssue[], projectId: number): string {
  const names = issues.map(({ iid, subject }) =>
    subject.project.id === projectId ? `#${iid}` : `${subject.fullPath}#${iid}`,
  );
  return names.length <= 2 ? names.join(' and ') : `${names.slice(0, -1).join(', ')}, and ${names.at(-1)}`;
}
