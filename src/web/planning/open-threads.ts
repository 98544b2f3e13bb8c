import type { ProjectSubject } from '../../access/subjects.ts';
import { readableProject } from '../../access/subjects.ts';
import { noteableIssue } from '../../planning/issues/public.ts';
import { discussions, type Noteable } from '../../planning/notes/public.ts';
import { noteableRequest } from '../../review/merge-requests/public.ts';
import type { ApiAnswer } from '../frame/api.ts';
import { readerOf } from '../frame/visit.ts';
import type { ProjectContext } from '../namespaces/project.ts';

/** An issue or a merge request, by its address in the API. */
const address = /\/(issues|merge_requests)\/(\d{1,15})$/;

function noteableAt({ visit }: ProjectContext, subject: ProjectSubject, url: string): Promise<Noteable> {
  const [, kind, iid] = address.exec(url) ?? [];
  const found = kind === 'issues' ? noteableIssue : noteableRequest;
  return found(visit.services, readerOf(visit), subject, Number(iid));
}

/**
 * The threads of something in a project that everybody may read. The API tells them only to those who have signed in, as
 * its clients expect; whoever reads the page without is shown the same through the same rules.
 */
export async function openThreads(
  context: ProjectContext,
  url: string,
  page: number,
  perPage: number,
): Promise<ApiAnswer> {
  const { visit, project } = context;
  const { services } = visit;
  const subject = await readableProject(services.db, readerOf(visit), project.id);
  const noteable = await noteableAt(context, subject, url);
  const offset = (page - 1) * perPage;
  const { items, total = 0 } = await discussions.listDiscussions(services, noteable, { page, perPage, offset });
  const headers = offset + perPage < total ? { 'x-next-page': String(page + 1) } : {};
  return { status: 200, headers, bytes: Buffer.alloc(0), body: items };
}
