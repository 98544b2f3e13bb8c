import { type Actor, actingFor } from '../../../access/actor.ts';
import { findUser } from '../../../access/credentials/identify.ts';
import type { Services } from '../../../access/services.ts';
import { type ProjectSubject, projectSubject } from '../../../access/subjects.ts';
import { findProject, findProjects, subjectsOf } from '../../../namespaces/projects/public.ts';
import { type IssueEntity, issuesById, presentIssues, readableIssue } from '../../../planning/issues/public.ts';
import { referencesOf } from '../../../planning/markdown/public.ts';
import type { Writer } from '../../../platform/database/database.ts';
import { Page, type PageRequest } from '../../../platform/http/pages/pagination.ts';
import { presentRequests } from '../present.ts';
import type { BasicEntity } from '../schema.ts';
import { requireRequest } from '../service.ts';
import { requestById } from '../store.ts';
import type { MergeRequestRow } from '../tables.ts';
import { commitsOf, type FoundIssue, findReferredIssues, issuesToClose } from './service.ts';
import { replaceClosed, requestsAbout, requestsClosing } from './store.ts';

declare module '../../../platform/queue/job.ts' {
  interface JobPayloads {
    /** The texts of a merge request have changed, and with them perhaps what it closes. */
    'merge-requests.closing': { id: number };
  }
}

export async function enqueueClosing({ queue }: Services, trx: Writer, { id }: MergeRequestRow): Promise<void> {
  await queue.enqueue(trx, 'merge-requests.closing', { id }, { dedupeKey: `${id}` });
}

/** Works out what a merge request closes, as its author may read it. */
export async function keepClosing(services: Services, id: number): Promise<void> {
  const { read } = services.db;
  const request = await requestById(read, id);
  const [author, project] = await Promise.all([
    request && findUser(read, request.author_id),
    request && findProject(read, request.project_id),
  ]);
  if (!request || !author || !project) return;
  const reader = actingFor(author);
  const subject = await projectSubject(read, reader, project);
  const issues = await issuesToClose(services, reader, subject, request, await commitsOf(services, request));
  await services.db.write((trx) =>
    replaceClosed(
      trx,
      id,
      issues.map((issue) => issue.id),
    ),
  );
}

async function presentFound(
  services: Services,
  caller: Actor,
  subject: ProjectSubject,
  found: readonly FoundIssue[],
  { offset, perPage }: PageRequest,
): Promise<Page<IssueEntity>> {
  const ids = [...new Set(found.map(({ id }) => id))];
  const shown = ids.slice(offset, offset + perPage);
  const rows = await issuesById(services.db.read, shown);
  const issues = shown.flatMap((id) => rows.get(id) ?? []);
  const view = { within: { projectId: subject.project.id } };
  return new Page(await presentIssues(services, caller, issues, view), ids.length);
}

/** The issues that merging closes. */
export async function listClosed(
  services: Services,
  caller: Actor,
  subject: ProjectSubject,
  iid: number,
  page: PageRequest,
): Promise<Page<IssueEntity>> {
  const { request } = await requireRequest(services, subject, iid);
  const found = await issuesToClose(services, caller, subject, request, await commitsOf(services, request));
  return presentFound(services, caller, subject, found, page);
}

/** Every issue that its texts speak of. */
export async function listRelated(
  services: Services,
  caller: Actor,
  subject: ProjectSubject,
  iid: number,
  page: PageRequest,
): Promise<Page<IssueEntity>> {
  const { request } = await requireRequest(services, subject, iid);
  const commits = await commitsOf(services, request);
  const texts = [request.title, request.description ?? '', ...commits.map(({ message }) => message)];
  const references = await Promise.all(texts.map((text) => referencesOf(text, services.externalUrl)));
  const named = references
    .flat()
    .flatMap((reference) =>
      reference.type === 'issue' ? [{ iid: reference.iid, ...(reference.path && { path: reference.path }) }] : [],
    );
  return presentFound(services, caller, subject, await findReferredIssues(services, caller, subject, named), page);
}

/** The merge requests that close an issue, as far as the caller may read them. */
export async function listClosing(
  services: Services,
  caller: Actor,
  subject: ProjectSubject,
  iid: number,
  page: PageRequest,
): Promise<Page<BasicEntity>> {
  const { issue } = await readableIssue(services, caller, subject, iid);
  return presentReadable(services, caller, subject, await requestsClosing(services.db.read, issue.id), page);
}

/** Those that speak of it as well. */
export async function listAbout(
  services: Services,
  caller: Actor,
  subject: ProjectSubject,
  iid: number,
  page: PageRequest,
): Promise<Page<BasicEntity>> {
  const { issue } = await readableIssue(services, caller, subject, iid);
  return presentReadable(services, caller, subject, await requestsAbout(services.db.read, issue.id), page);
}

async function presentReadable(
  services: Services,
  caller: Actor,
  subject: ProjectSubject,
  requests: readonly MergeRequestRow[],
  { offset, perPage }: PageRequest,
): Promise<Page<BasicEntity>> {
  const { read } = services.db;
  const projects = await findProjects(read, [...new Set(requests.map(({ project_id }) => project_id))]);
  const readable = new Set(
    (await subjectsOf(read, caller, projects))
      .filter((place) => place.can('read_project') && place.can('read_merge_request'))
      .map(({ project }) => project.id),
  );
  const seen = requests.filter(({ project_id }) => readable.has(project_id));
  const view = { within: { projectId: subject.project.id } };
  const shown = seen.slice(offset, offset + perPage);
  return new Page(await presentRequests(services, caller, shown, view), seen.length);
}
