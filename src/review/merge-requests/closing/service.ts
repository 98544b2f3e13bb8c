import type { Actor } from '../../../access/actor.ts';
import type { Services } from '../../../access/services.ts';
import { lookUpProject, type ProjectSubject, projectSubject } from '../../../access/subjects.ts';
import { type ClosedIssue, closedIssuesOf } from '../../../planning/markdown/public.ts';
import { listCommits } from '../../../platform/git/history/walk.ts';
import type { Commit } from '../../../platform/git/objects/commit.ts';
import type { MergeRequestRow } from '../tables.ts';
import { issueNumbers } from './store.ts';

/** So many commits are asked what they close. */
const mostCommits = 1000;

/** The commits of a merge request, oldest first. */
export async function commitsOf({ git }: Services, request: MergeRequestRow): Promise<Commit[]> {
  const { head_sha: head, start_sha: start, project_id } = request;
  if (head === null || start === null) return [];
  const objects = git.objects(git.repository(project_id));
  return (await listCommits(objects, { tips: [head], exclude: [start], limit: mostCommits })).reverse();
}

/** An issue that merging closes, in the project that it belongs to. */
export interface FoundIssue {
  readonly id: number;
  readonly iid: number;
  readonly subject: ProjectSubject;
}

/** The issues that the texts of a merge request say it closes, as far as a reader may read them. */
export async function issuesToClose(
  services: Services,
  reader: Actor,
  subject: ProjectSubject,
  request: MergeRequestRow,
  commits: readonly Pick<Commit, 'message'>[],
): Promise<FoundIssue[]> {
  const texts = [request.title, request.description ?? '', ...commits.map(({ message }) => message)];
  const named: ClosedIssue[] = [];
  // One after the other: of many long texts at once, the thread that reads them would refuse some.
  for (const text of texts) named.push(...(await closedIssuesOf(text, services.externalUrl)));
  return findReferredIssues(services, reader, subject, named);
}

export async function findReferredIssues(
  services: Services,
  reader: Actor,
  subject: ProjectSubject,
  named: readonly ClosedIssue[],
): Promise<FoundIssue[]> {
  const own = named.flatMap((issue) => ('iid' in issue ? [issue] : []));
  const found: FoundIssue[] = [];
  for (const [path, issues] of Map.groupBy(own, ({ path }) => path || subject.fullPath)) {
    const place = await projectAt(services, reader, subject, path);
    if (!place?.can('read_issue')) continue;
    const rows = await issueNumbers(
      services.db.read,
      place.project.id,
      issues.map(({ iid }) => iid),
    );
    const confidential = place.can('read_confidential_issue');
    for (const row of rows) {
      if (row.confidential === 0 || confidential || row.author_id === reader.user?.id) {
        found.push({ id: row.id, iid: row.iid, subject: place });
      }
    }
  }
  return found;
}

/** A path without a group is of a project beside this one. */
async function projectAt(
  { db }: Services,
  reader: Actor,
  subject: ProjectSubject,
  path: string,
): Promise<ProjectSubject | undefined> {
  if (path === subject.fullPath) return subject;
  const full = path.includes('/') ? path : `${subject.namespace.full_path}/${path}`;
  const found = await lookUpProject(db.read, full);
  const place = found && (await projectSubject(db.read, reader, found.project));
  return place?.can('read_project') ? place : undefined;
}

/** `#1`, `#2 and group/project#3`, as messages name them. */
export function namedIssues(issues: readonly FoundIssue[], projectId: number): string {
  const names = issues.map(({ iid, subject }) =>
    subject.project.id === projectId ? `#${iid}` : `${subject.fullPath}#${iid}`,
  );
  return names.length <= 2 ? names.join(' and ') : `${names.slice(0, -1).join(', ')}, and ${names.at(-1)}`;
}
