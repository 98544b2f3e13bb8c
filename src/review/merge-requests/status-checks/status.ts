import type { Reader } from '../../../platform/database/database.ts';
import type { MergeRequestRow } from '../tables.ts';
import { appliesTo, type CheckStatus, statusOf } from './rules.ts';
import { checksOf, responsesTo } from './store.ts';
import type { CheckRow, ResponseRow } from './tables.ts';

type Target = Pick<MergeRequestRow, 'id' | 'project_id' | 'target_branch'>;

/** A check that applies to a merge request, with its status. */
export interface CheckWithStatus {
  readonly check: CheckRow;
  readonly status: CheckStatus;
  readonly response: ResponseRow | undefined;
}

/** The checks that apply to a merge request. */
export async function applicableChecks(db: Reader, request: Target): Promise<CheckRow[]> {
  const checks = await checksOf(db, [request.project_id]);
  return checks.filter(({ branches }) => appliesTo(branches, request.target_branch)).map(({ row }) => row);
}

/** The checks of merge requests with their status, in a fixed number of queries. */
export async function checksWithStatus(
  db: Reader,
  requests: readonly Target[],
): Promise<ReadonlyMap<number, CheckWithStatus[]>> {
  const [checks, responses] = await Promise.all([
    checksOf(
      db,
      requests.map(({ project_id }) => project_id),
    ),
    responsesTo(
      db,
      requests.map(({ id }) => id),
    ),
  ]);
  const now = Date.now();
  return new Map(
    requests.map(({ id, project_id, target_branch }) => {
      const asked = checks.filter(
        ({ row, branches }) => row.project_id === project_id && appliesTo(branches, target_branch),
      );
      const each = asked.map(({ row: check }) => {
        const response = responses.find(
          (candidate) => candidate.merge_request_id === id && candidate.check_id === check.id,
        );
        return { check, response, status: statusOf(response, now) };
      });
      return [id, each];
    }),
  );
}

/** Filters merge requests to those with a check that has not passed. */
export async function withUnpassedChecks(db: Reader, requests: readonly Target[]): Promise<ReadonlySet<number>> {
  if (requests.length === 0) return new Set();
  const found = [...(await checksWithStatus(db, requests))].filter(([, each]) =>
    each.some(({ status }) => status !== 'passed'),
  );
  return new Set(found.map(([id]) => id));
}
