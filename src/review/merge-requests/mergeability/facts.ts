import type { Services } from '../../../access/services.ts';
import { settingsOf } from '../../../access/stored-settings.ts';
import { type PipelineRow, pipelinesById } from '../../../ci/pipelines/public.ts';
import { compileUserRegex } from '../../../platform/user-regex.ts';
import { isApproved, rulesOf } from '../approvals/evaluate.ts';
import { blockedOf } from '../blocks/store.ts';
import { type AwaitedPipeline, awaitedPipelines } from '../pipelines/missing-pipelines.ts';
import { type MergeSettings, mergeSettings } from '../settings.ts';
import { withUnpassedChecks } from '../status-checks/status.ts';
import { approvals, projectPathsOf, reviewers } from '../store.ts';
import type { MergeRequestRow } from '../tables.ts';
import { withoutExternalIssue } from './external-issues.ts';
import { withLockedFiles } from './locked-files.ts';
import type { MergeFacts } from './status.ts';
import { namespaceSettingsWithAncestors, withOpenThreads } from './store.ts';

const unfinished = new Set([
  'created',
  'waiting_for_resource',
  'preparing',
  'waiting_for_callback',
  'pending',
  'running',
  'scheduled',
  'canceling',
]);

/** Status of the head pipeline, if the project or auto-merge requires it. */
export function pipelineFact(
  settings: Pick<MergeSettings, 'pipelineMustSucceed' | 'skippedPipelineWillDo'>,
  pipeline: Pick<PipelineRow, 'status'> | undefined,
  autoMerge: boolean,
  awaited?: AwaitedPipeline,
): MergeFacts['pipeline'] {
  // Auto-merge waits for the pipeline in projects that have pipelines, even before it is created.
  const asked = settings.pipelineMustSucceed || (autoMerge && (pipeline !== undefined || awaited !== undefined));
  if (!asked || pipeline?.status === 'success') return 'passed';
  if (pipeline === undefined) return awaited === 'being made' ? 'running' : 'failed';
  if (pipeline.status === 'skipped' && settings.skippedPipelineWillDo) return 'passed';
  return unfinished.has(pipeline.status) ? 'running' : 'failed';
}

/** Input of the mergeability checks of one merge request. */
export interface Mergeability {
  readonly facts: MergeFacts;
  readonly settings: MergeSettings;
  readonly pipeline: PipelineRow | undefined;
}

/** Loads the input of the checks for a page of merge requests, in a fixed number of queries. */
export async function mergeabilities(
  services: Services,
  rows: readonly MergeRequestRow[],
): Promise<ReadonlyMap<number, Mergeability>> {
  const { read } = services.db;
  const ids = rows.map(({ id }) => id);
  // Approvals and dependencies only matter for open merge requests.
  const open = rows.filter(({ state }) => state === 'opened');
  const openIds = open.map(({ id }) => id);
  const places = await projectPathsOf(
    read,
    rows.map(({ project_id }) => project_id),
  );
  const [around, threads, approving, reviewing, rules, blocked, locked, pipelines] = await Promise.all([
    namespaceSettingsWithAncestors(
      read,
      [...places.values()].map(({ namespace_id }) => namespace_id),
    ),
    withOpenThreads(read, ids),
    approvals(read, openIds),
    reviewers(read, openIds),
    rulesOf(services, read, open),
    blockedOf(read, openIds),
    withLockedFiles(services, rows),
    pipelinesById(
      read,
      rows.flatMap(({ head_pipeline_id }) => head_pipeline_id ?? []),
    ),
  ]);
  const settingsFor = ({ project_id }: MergeRequestRow) => {
    const place = places.get(project_id);
    const groups = (place && around.get(place.namespace_id)) ?? [];
    return mergeSettings(place ? settingsOf(place) : {}, groups.map(settingsOf));
  };
  const unchecked = await withUnpassedChecks(
    read,
    open.filter((row) => settingsFor(row).checksMustPass),
  );
  const unlinked = await withoutExternalIssue(
    services,
    open.filter((row) => settingsFor(row).issueOfJira),
  );
  const awaited = await awaitedPipelines(
    services,
    rows.filter((row) => row.auto_merge === 1 || settingsFor(row).pipelineMustSucceed),
  );
  const byId = new Map(pipelines.map((pipeline) => [pipeline.id, pipeline]));
  return new Map(
    rows.map((row): [number, Mergeability] => {
      const settings = settingsFor(row);
      const pipeline = row.head_pipeline_id === null ? undefined : byId.get(row.head_pipeline_id);
      const openThreads = threads.has(row.id);
      const approverIds = (approving.get(row.id) ?? []).map(({ user_id }) => user_id);
      const ruled = rules.get(row.id) ?? [];
      const review = {
        approved: isApproved(row, settings, ruled, approverIds),
        blocked: blocked.has(row.id),
        issueMissing: unlinked.has(row.id),
        checksOpen: unchecked.has(row.id),
        lockedFiles: locked.has(row.id),
        changesRequested: (reviewing.get(row.id) ?? []).some(({ state }) => state === 'requested_changes'),
      };
      return [
        row.id,
        { facts: factsOf(row, settings, pipeline, openThreads, review, awaited.get(row.id)), settings, pipeline },
      ];
    }),
  );
}

function factsOf(
  row: MergeRequestRow,
  settings: MergeSettings,
  pipeline: PipelineRow | undefined,
  openThreads: boolean,
  review: {
    readonly approved: boolean;
    readonly blocked: boolean;
    readonly issueMissing: boolean;
    readonly checksOpen: boolean;
    readonly changesRequested: boolean;
    readonly lockedFiles: boolean;
  },
  awaited: AwaitedPipeline | undefined,
): MergeFacts {
  const unmergeable = row.merge_status === 'cannot_be_merged' || row.merge_status === 'cannot_be_merged_recheck';
  return {
    stored: row.merge_status,
    state: row.state,
    changesRequested: row.state === 'opened' && review.changesRequested,
    approved: row.state !== 'opened' || review.approved,
    blocked: row.state === 'opened' && review.blocked,
    issueMissing: review.issueMissing,
    checksOpen: review.checksOpen,
    tooEarly: row.merge_after !== null && row.merge_after > Date.now(),
    draft: row.draft === 1,
    nothingToMerge: unmergeable && row.unmergeable_reason === 'commits',
    openThreads: settings.threadsMustBeResolved && openThreads,
    titleRefused: settings.titlePattern !== null && !titleMatches(settings.titlePattern, row.title),
    lockedFiles: review.lockedFiles,
    conflict: unmergeable,
    // A merge train rebases it onto the merge requests in front of it.
    needsRebase: settings.method !== 'merge' && row.behind_target === 1 && !settings.trains,
    pipeline: pipelineFact(settings, pipeline, row.auto_merge === 1, awaited),
  };
}

/** An invalid regular expression does not block merging. */
function titleMatches(pattern: string, title: string): boolean {
  try {
    return compileUserRegex(pattern).matcher(title).find();
  } catch {
    return true;
  }
}
