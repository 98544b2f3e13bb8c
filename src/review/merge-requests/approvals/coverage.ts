import type { Services } from '../../../access/services.ts';
import { finalCoverage, pipelinesById } from '../../../ci/pipelines/public.ts';
import type { Reader, Writer } from '../../../platform/database/database.ts';
import { enqueueAutoMerges } from '../merge/auto-merge-queue.ts';
import type { MergeRequestRow } from '../tables.ts';
import { projectRules } from './store.ts';
import type { RuleRow } from './tables.ts';

type Measured = Pick<MergeRequestRow, 'id' | 'project_id' | 'base_sha' | 'target_branch' | 'head_pipeline_id'>;

export const isCoverageRule = ({ rule_type }: Pick<RuleRow, 'rule_type'>) => rule_type === 'report_approver';

/**
 * IDs of the merge requests whose coverage has not fallen: the pipeline of their head has at least the coverage of the
 * target branch where they branched off. Without both figures, this is not known.
 */
export async function withCoverageKept(db: Reader, requests: readonly Measured[]): Promise<ReadonlySet<number>> {
  const [heads, bases] = await Promise.all([
    pipelinesById(
      db,
      requests.flatMap(({ head_pipeline_id }) => head_pipeline_id ?? []),
    ),
    finalCoverage(
      db,
      requests.map(({ project_id }) => project_id),
      requests.flatMap(({ base_sha }) => base_sha ?? []),
    ),
  ]);
  const kept = requests.filter((request) => {
    const head = heads.find(({ id }) => id === request.head_pipeline_id);
    const base = bases.find(
      ({ project_id, sha, ref }) =>
        project_id === request.project_id && sha === request.base_sha && ref === request.target_branch,
    );
    if (!head || head.finished_at === null || head.coverage === null || !base) return false;
    return head.coverage >= base.coverage;
  });
  return new Set(kept.map(({ id }) => id));
}

/** Checks auto-merges again once the coverage of a pipeline is known. */
export async function followCoverage(services: Services, trx: Writer, projectId: number): Promise<void> {
  if ((await projectRules(trx, [projectId])).some(isCoverageRule)) await enqueueAutoMerges(services, trx, projectId);
}
