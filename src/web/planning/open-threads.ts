import { readableGroup, readableProject } from '../../access/subjects.ts';
import { noteableCommit } from '../../planning/commit-notes/public.ts';
import { noteableEpic } from '../../planning/epics/public.ts';
import { noteableIssue } from '../../planning/issues/public.ts';
import { discussions, type Noteable } from '../../planning/notes/public.ts';
import { noteableSnippet } from '../../planning/snippets/public.ts';
import { noteableRequest } from '../../review/merge-requests/public.ts';
import type { ApiAnswer } from '../frame/api.ts';
import { actorOfVisit, type Visit } from '../frame/visit.ts';
import { pageNotFound } from '../namespaces/project.ts';

/** Match the API paths of noteables. */
const address = /^\/(?:projects|groups)\/(\d{1,15})\/(issues|merge_requests|epics|snippets)\/(\d{1,15})$/;
const commitAddress = /^\/projects\/(\d{1,15})\/repository\/commits\/([0-9a-f]{40,64})$/;

async function noteableCommitAt(visit: Visit, project: string, sha: string): Promise<Noteable> {
  const reader = actorOfVisit(visit);
  const subject = await readableProject(visit.services.db, reader, project);
  if (!subject.can('read_code')) throw pageNotFound();
  return (await noteableCommit(visit.services, reader, subject, sha)).noteable;
}

async function noteableAt(visit: Visit, url: string): Promise<Noteable> {
  const { services } = visit;
  const [, project, sha] = commitAddress.exec(url) ?? [];
  if (project !== undefined && sha !== undefined) return noteableCommitAt(visit, project, sha);
  const [, place = '', kind, text] = address.exec(url) ?? [];
  const reader = actorOfVisit(visit);
  const number = Number(text);
  if (kind === 'epics') {
    return noteableEpic(services, reader, await readableGroup(services.db, reader, place), number);
  }
  if (kind === undefined) throw pageNotFound();
  const subject = await readableProject(services.db, reader, place);
  const find = { issues: noteableIssue, merge_requests: noteableRequest, snippets: noteableSnippet }[kind];
  if (find === undefined) throw pageNotFound();
  return find(services, reader, subject, number);
}

/**
 * Returns the discussions of a public noteable. The API requires authentication for them, as in GitLab; visitors see
 * them here under the same permission checks.
 */
export async function openThreads(visit: Visit, url: string, page: number, perPage: number): Promise<ApiAnswer> {
  const offset = (page - 1) * perPage;
  const noteable = await noteableAt(visit, url);
  const { items, total = 0 } = await discussions.listDiscussions(visit.services, noteable, { page, perPage, offset });
  const headers = offset + perPage < total ? { 'x-next-page': String(page + 1) } : {};
  return { status: 200, headers, bytes: Buffer.alloc(0), body: items };
}
