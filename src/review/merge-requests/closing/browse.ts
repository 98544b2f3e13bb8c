import { type Actor, actorOnBehalfOf } from '../../../access/actor.ts';
import { findUser } from '../../../access/credentials/identify.ts';
import type { Services } from '../../../access/services.ts';
import { type ProjectSubject, projectSubject } from '../../../access/subjects.ts';
import { findProject } from '../../../namespaces/projects/public.ts';
import { type IssueEntity, issueScope, presentIssues, readableIssue } from '../../../planning/issues/public.ts';
import { referencesOf } from '../../../planning/markdown/public.ts';
import type { Writer } from '../../../platform/database/database.ts';
import { Page, type PageRequest } from '../../../platform/http/pages/pagination.ts';
import { requestScope } from '../lists/browse.ts';
import { presentRequests } from '../present.ts';
import type { BasicEntity } from '../schema.ts';
import { requireRequest } from '../service.ts';
import { requestById } from '../store.ts';
import type { MergeRequestRow } from '../tables.ts';
import { issueRequestList, namedIssueList } from './list.ts';
import { commitsOf, type FoundIssue, findReferredIssues, issuesToClose, type NamedIssue, textsOf } from './service.ts';
import { replaceClosed } from './store.ts';

declare module '../../../platform/queue/job.ts' {
  interface JobPayloads {
    /** Updates the issues that a merge request closes after its texts changed. */
    'merge-requests.closing': { id: number };
  }
}

export async function enqueueClosing({ queue }: Services, trx: Writer, { id }: MergeRequestRow): Promise<void> {
  await queue.enqueue(trx, 'merge-requests.closing', { id }, { dedupeKey: `${id}` });
}

/** Stores which issues a merge request closes, limited to those its author may read. */
export async function storeClosedIssues(services: Services, id: number): Promise<void> {
  const { read } = services.db;
  const request = await requestById(read, id);
  const [author, project] = await Promise.all([
    request && findUser(read, request.author_id),
    request && findProject(read, request.project_id),
  ]);
  if (!request || !author || !project) return;
  const reader = actorOnBehalfOf(author);
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

async function pageOfNamed(
  services: Services,
  caller: Actor,
  subject: ProjectSubject,
  found: readonly FoundIssue[],
  page: PageRequest,
  request?: number,
): Promise<Page<IssueEntity>> {
  const scope = { ...issueScope(caller, null), ids: found.map(({ id }) => id), request };
  const order = { by: 'id', direction: 'asc' } as const;
  const { rows, total } = await namedIssueList.page(services.db.read, scope, {}, order, page);
  const view = { within: { projectId: subject.project.id } };
  return new Page(await presentIssues(services, caller, rows, view), total);
}

/** Lists the issues that merging closes. */
export async function listClosed(
  services: Services,
  caller: Actor,
  subject: ProjectSubject,
  iid: number,
  page: PageRequest,
): Promise<Page<IssueEntity>> {
  const { request } = await requireRequest(services, subject, iid);
  const found = await issuesToClose(services, caller, subject, request, await commitsOf(services, request));
  return pageOfNamed(services, caller, subject, found, page);
}

/** Lists the issues mentioned in a merge request's texts and notes. */
export async function listRelated(
  services: Services,
  caller: Actor,
  subject: ProjectSubject,
  iid: number,
  page: PageRequest,
): Promise<Page<IssueEntity>> {
  const { request } = await requireRequest(services, subject, iid);
  const named: NamedIssue[] = [];
  for (const text of textsOf(request, await commitsOf(services, request))) {
    const references = await referencesOf(text, services.externalUrl);
    named.push(...references.flatMap((reference) => (reference.type === 'issue' ? [reference] : [])));
  }
  const found = await findReferredIssues(services, caller, subject, named);
  return pageOfNamed(services, caller, subject, found, page, request.id);
}

/** Lists the merge requests that close an issue, or all that mention it, limited to those the caller may read. */
export async function listOfIssue(
  services: Services,
  caller: Actor,
  subject: ProjectSubject,
  iid: number,
  which: 'closing' | 'mentioning',
  page: PageRequest,
): Promise<Page<BasicEntity>> {
  const { issue } = await readableIssue(services, caller, subject, iid);
  const scope = { ...requestScope(caller, null), issue: issue.id, mentioning: which === 'mentioning' };
  const order = { by: 'id', direction: 'desc' } as const;
  const { rows, total } = await issueRequestList.page(services.db.read, scope, {}, order, page);
  const view = { within: { projectId: subject.project.id } };
  return new Page(await presentRequests(services, caller, rows, view), total);
}
