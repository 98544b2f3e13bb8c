import type { Services } from '../../access/services.ts';
import type { Commit } from '../../platform/git/objects/commit.ts';
import { Forbidden } from '../../platform/http/errors.ts';
import { Page, type PageRequest } from '../../platform/http/pages/pagination.ts';
import { type ProjectCall, requireCommit } from '../repository/public.ts';

/** Finds the merge requests that contain a commit and are visible to the caller. */
export type MergeRequestFinder = (
  services: Services,
  call: ProjectCall,
  query: { readonly sha: string; readonly state: string | undefined },
  page: PageRequest,
) => Promise<Page<unknown>>;

/** A merged merge request, as referred to in commit messages. */
export interface MergedRequest {
  readonly id: number;
  readonly iid: number;
  /** Oldest first. */
  readonly commits: readonly { readonly id: string; readonly title: string }[];
}

/** Finds the merge request with this merge commit, if the caller can see it. */
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
    /** A merge request was cherry-picked to another branch. */
    'merge-request.picked': {
      readonly requestId: number;
      readonly actorId: number;
      readonly branch: string;
      /** URL path of the branch page. */
      readonly address: string;
      readonly sha: string;
    };
  }
}

/** Returns the merge request with this merge commit, if any. */
export async function mergedRequestOf(
  services: Services,
  call: ProjectCall,
  { oid, parents }: Pick<Commit, 'oid' | 'parents'>,
): Promise<MergedRequest | undefined> {
  const find = services.contributions('commits.mergedRequest').at(-1);
  return parents.length > 1 ? find?.(services, call, oid) : undefined;
}

/** Lists the merge requests that contain a commit. */
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
