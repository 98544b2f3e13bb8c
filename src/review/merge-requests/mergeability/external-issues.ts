import type { Services } from '../../../access/services.ts';
import type { MergeRequestRow } from '../tables.ts';

/** Filters open merge requests to those that must reference an issue of the project's external tracker but do not. */
export type MissingExternalIssueFinder = (
  services: Services,
  requests: readonly Pick<MergeRequestRow, 'id' | 'project_id' | 'title' | 'description'>[],
) => Promise<ReadonlySet<number>>;

declare module '../../../platform/domain-events.ts' {
  interface Contributions {
    'merge-requests.without-issue-elsewhere': MissingExternalIssueFinder;
  }
}

/** Collects these merge requests from the integrations. */
export async function withoutExternalIssue(
  services: Services,
  requests: readonly MergeRequestRow[],
): Promise<ReadonlySet<number>> {
  if (requests.length === 0) return new Set();
  const found = await Promise.all(
    services.contributions('merge-requests.without-issue-elsewhere').map((find) => find(services, requests)),
  );
  return new Set(found.flatMap((ids) => [...ids]));
}
