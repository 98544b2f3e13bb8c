import { actorOnBehalfOf, type SignedInActor } from '../../access/actor.ts';
import { isProject, type ProjectOrGroup } from '../../access/project-or-group.ts';
import type { Services } from '../../access/services.ts';
import {
  type GroupSubject,
  groupSubject,
  lookUpNamespace,
  lookUpProject,
  type ProjectSubject,
  projectSubject,
} from '../../access/subjects.ts';
import type { Project, User } from '../../access/tables.ts';
import { shownTitle } from '../../code/commits/public.ts';
import { notedCommits } from '../../planning/commit-notes/public.ts';
import { epicsById, mayReadEpic } from '../../planning/epics/public.ts';
import { issuesById, mayReadIssue, stateOf } from '../../planning/issues/public.ts';
import { findSnippet, mayReadInProject } from '../../planning/snippets/public.ts';
import type { Reader } from '../../platform/database/database.ts';
import { eligibleApprovers, requestsById, stateOfRequest } from '../../review/merge-requests/public.ts';
import type { Activity } from './activity.ts';
import { ownersOf } from './store.ts';

/** The object that an e-mail is about, and its participants. */
export interface Subject {
  readonly title: string;
  readonly reference: string;
  /** Path of its page, relative to its project or group. */
  readonly page: string;
  readonly description: string | null;
  readonly involved: readonly number[];
  /** Eligible approvers of pending approval rules, for merge requests. */
  readonly approvers?: () => Promise<readonly number[]>;
  /** Its project or group, with the actor's permissions. */
  readonly placeFor: (actor: SignedInActor) => Promise<ProjectOrGroup>;
  /** The same, but undefined if the user cannot read the object. */
  readonly readableBy: (user: User) => Promise<ProjectOrGroup | undefined>;
}

/** Returns the name and URLs of a project or group. */
export function namesOf(place: ProjectOrGroup): {
  readonly name: string;
  readonly path: string;
  readonly home: string;
} {
  if (!isProject(place)) {
    const { name, full_path } = place.group;
    return { name, path: full_path, home: `groups/${full_path}` };
  }
  return { name: place.project.name, path: place.fullPath, home: place.fullPath };
}

function inProject(
  db: Reader,
  project: Project,
  mayRead: (user: User, found: ProjectSubject) => boolean,
): Pick<Subject, 'placeFor' | 'readableBy'> {
  return {
    placeFor: (actor) => projectSubject(db, actor, project),
    readableBy: async (user) => {
      const found = await projectSubject(db, actorOnBehalfOf(user), project);
      return mayRead(user, found) ? found : undefined;
    },
  };
}

async function issueSubject({ db: { read } }: Services, id: number): Promise<Subject | undefined> {
  const issue = (await issuesById(read, [id])).get(id);
  const found = issue && (await lookUpProject(read, `${issue.project_id}`));
  if (!found) return undefined;
  const { assigneeIds } = await stateOf(read, issue);
  return {
    title: issue.title,
    reference: `#${issue.iid}`,
    page: `issues/${issue.iid}`,
    description: issue.description,
    involved: [issue.author_id, ...assigneeIds],
    ...inProject(read, found.project, (user, project) =>
      mayReadIssue(actorOnBehalfOf(user), project, issue, assigneeIds),
    ),
  };
}

async function requestSubject(services: Services, id: number): Promise<Subject | undefined> {
  const { read } = services.db;
  const request = (await requestsById(read, [id])).get(id);
  const found = request && (await lookUpProject(read, `${request.project_id}`));
  if (!found) return undefined;
  const { assigneeIds, reviewerIds } = await stateOfRequest(read, request);
  return {
    title: request.title,
    reference: `!${request.iid}`,
    page: `merge_requests/${request.iid}`,
    description: request.description,
    involved: [request.author_id, ...assigneeIds, ...reviewerIds],
    approvers: () => eligibleApprovers(services, request),
    ...inProject(read, found.project, (_, project) => project.can('read_merge_request')),
  };
}

async function epicSubject({ db: { read } }: Services, id: number): Promise<Subject | undefined> {
  const epic = (await epicsById(read, [id])).get(id);
  const group = epic && (await lookUpNamespace(read, `${epic.namespace_id}`));
  if (!group) return undefined;
  const placeFor = (actor: SignedInActor): Promise<GroupSubject> => groupSubject(read, actor, group);
  return {
    title: epic.title,
    reference: `&${epic.iid}`,
    page: `epics/${epic.iid}`,
    description: epic.description,
    involved: [epic.author_id],
    placeFor,
    readableBy: async (user) => {
      const found = await placeFor(actorOnBehalfOf(user));
      return mayReadEpic(found, epic) ? found : undefined;
    },
  };
}

/** Returns the subject for a commit with notes. Its author participates if the commit's e-mail address is verified. */
async function commitSubject({ db: { read }, git }: Services, id: number): Promise<Subject | undefined> {
  const [noted] = await notedCommits(read, [id]);
  const found = noted && (await lookUpProject(read, `${noted.project_id}`));
  const commit = found && (await git.objects(git.repository(noted.project_id)).commit(noted.sha));
  if (!commit) return undefined;
  return {
    title: shownTitle(commit),
    reference: commit.oid.slice(0, 8),
    page: `commit/${commit.oid}`,
    description: null,
    involved: await ownersOf(read, commit.author.email),
    ...inProject(read, found.project, (_, project) => project.can('read_project') && project.can('read_code')),
  };
}

/** Returns the subject for a project snippet; personal snippets have no notes. */
async function snippetSubject({ db: { read } }: Services, id: number): Promise<Subject | undefined> {
  const snippet = await findSnippet(read, id);
  const found = snippet?.project_id ? await lookUpProject(read, `${snippet.project_id}`) : undefined;
  if (!snippet || !found) return undefined;
  return {
    title: snippet.title,
    reference: `$${snippet.id}`,
    page: `snippets/${snippet.id}`,
    description: null,
    involved: [snippet.author_id],
    ...inProject(
      read,
      found.project,
      (user, project) => project.can('read_project') && mayReadInProject(actorOnBehalfOf(user), project, snippet),
    ),
  };
}

const subjects: Readonly<Record<Activity['type'], (services: Services, id: number) => Promise<Subject | undefined>>> = {
  Issue: issueSubject,
  MergeRequest: requestSubject,
  Epic: epicSubject,
  Commit: commitSubject,
  Snippet: snippetSubject,
};

/** Returns the subject of an activity; undefined if it has been deleted. */
export function subjectOf(services: Services, { type, id }: Activity): Promise<Subject | undefined> {
  return subjects[type](services, id);
}
