import type { Services } from '../../access/services.ts';
import type { Commit } from '../../platform/git/objects/commit.ts';
import { Forbidden } from '../../platform/http/errors.ts';
import { Page, type PageRequest } from '../../platform/http/pages/pagination.ts';
import { type ProjectCall, requireCommit } from '../repository/public.ts';

/** Finds the merge requests that brought a commit, as the caller may see them. */
export type MergeRequestFinder = (
  services: Services,
  call: ProjectCall,
  query: { readonly sha: string; readonly state: string | undefined },
  page: PageRequest,
) => Promise<Page<unknown>>;

/** A merge request that has been merged, as the messages of commits speak of it. */
export interface MergedRequest {
  readonly id: number;
  readonly iid: number;
  /** Oldest first. */
  readonly commits: readonly { readonly id: string; readonly title: string }[];
}

/** Finds the merge request that a commit merged, if the caller may see it. */
export type MergedRequestFinder = (
  services: Services,
  call: ProjectCall,
  mergeCommit: string,
) => Promise<MergedRequest | undefined>;

declare module '../../platform/domain-events.ts' {
  interface Contributions {
    'commits.mergeRequests': MergeRequestFinder;
    'commits.mergedRequest': MergedRequestFinder;
  }
  interface DomainEvents {
    /** What a merge request brought was taken to another branch. */
    'merge-request.picked': {
      readonly requestId: number;
      readonly actorId: number;
      readonly branch: string;
      /** Where the branch is shown. */
      readonly address: string;
      readonly sha: string;
    };
  }
}

/** The merge request that a commit merged; none while nothing here merges any. */
export async function mergedRequestOf(
  services: Services,
  call: ProjectCall,
  { oid, parents }: Pick<Commit, 'oid' | 'parents'>,
): Promise<MergedRequest | undefined> {
  const find = services.contributions('commits.mergedRequest').at(-1);
  return parents.length > 1 ? find?.(services, call, oid) : undefined;
}

/** The merge requests that a commit belongs to; none while nothing here makes any. */
export async function mergeRequestsOf(
  services: Services,
  call: ProjectCall,
  { sha, state }: { readonly sha: string; readonly state?: string },
  page: PageRequest,
): Promise<Page<unknown>> {
  if (!call.subject.can('read_merge_request')) throw new Forbidden();
  const { oid } = await requireCommit(services, call.subject, sha);
  const find = services.contributions('commits.mergeRequests').at(-1);
  return find ? find(services, call, { sha: oid, state }, page) : new Page([], 0);
}
