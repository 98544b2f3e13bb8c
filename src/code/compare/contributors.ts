import type { Services } from '../../access/services.ts';
import { type Contributor, contributors } from '../../platform/git/history/log-stats.ts';
import { NotFound } from '../../platform/http/errors.ts';
import { Page, type PageRequest } from '../../platform/http/pages/pagination.ts';
import { type ProjectCall, repositoryOf, resolveCommit, runExpensive } from '../repository/public.ts';

export interface ContributorQuery {
  readonly ref?: string;
  readonly order_by?: 'name' | 'email' | 'commits';
  readonly sort: 'asc' | 'desc';
}

/** Lists the commit authors of a ref. */
export async function listContributors(
  services: Services,
  call: ProjectCall,
  query: ContributorQuery,
  page: PageRequest,
): Promise<Page<Contributor & { additions: number; deletions: number }>> {
  const commit = await resolveCommit(services, call.subject, query.ref);
  if (!commit) throw new NotFound();
  const objects = services.git.objects(repositoryOf(services, call.subject));
  const bytes = (all: readonly Contributor[]) => all.length * 200;
  const all = await objects.derived<readonly Contributor[]>('contributors', commit.oid, bytes, () =>
    runExpensive(services, call, () => contributors(objects.repo, commit.oid, { signal: call.signal })),
  );
  const slice = inOrder(all, query).slice(page.offset, page.offset + page.perPage);
  return new Page(slice, all.length).map((one) => ({ ...one, additions: 0, deletions: 0 }));
}

/** Sorts contributors by the requested column, or keeps the order of the log. */
export function inOrder(all: readonly Contributor[], { order_by, sort }: ContributorQuery): Contributor[] {
  const rising = order_by === undefined ? [...all] : all.toSorted(comparison(order_by));
  return sort === 'asc' ? rising : rising.reverse();
}

function comparison(order: NonNullable<ContributorQuery['order_by']>): (a: Contributor, b: Contributor) => number {
  if (order === 'commits') return (a, b) => a.commits - b.commits;
  const text = (one: Contributor) => one[order].toLowerCase();
  return (a, b) => (text(a) < text(b) ? -1 : text(a) > text(b) ? 1 : 0);
}
