import { insertImportedStatuses, type NewCommitStatus } from '../../../ci/commit-statuses/public.ts';
import { failureReasons } from '../../../ci/config/public.ts';
import { insertJobs, type NewJob } from '../../../ci/jobs/public.ts';
import { insertImportedPipeline } from '../../../ci/pipelines/public.ts';
import type { ImportRun } from '../../project-imports/public.ts';
import { allOf, enumOf, type Fields, flagOf, listOf, numberOf, shaOf, textOf, timeOf, timeOrNull } from '../fields.ts';
import { type ArchiveContext, contextOf } from './context.ts';

const ended = ['success', 'failed', 'canceled', 'skipped'] as const;
const sources = ['push', 'web', 'trigger', 'schedule', 'api', 'external', 'merge_request_event'] as const;
const waiting = ['created', 'manual', 'scheduled'] as const;
const starts = ['on_success', 'on_failure', 'always', 'manual', 'delayed'] as const;

const maxName = 255;
const maxTags = 50;
const maxJobs = 5000;

const seconds = (value: unknown) => (typeof value === 'number' && value >= 0 && value < 2 ** 31 ? value : null);
const shortText = (value: unknown) => textOf(value)?.slice(0, maxName) ?? null;
const flag = (value: unknown) => (flagOf(value) ? 1 : 0);

/** Imports pipelines with their jobs and statuses as historical records; they cannot be run again. */
export async function importPipelines(run: ImportRun): Promise<void> {
  const { every, personOrNull } = await contextOf(run);
  await every('ci_pipelines', async (pipeline, line) => {
    const [iid, sha, ref] = [numberOf(pipeline.iid), shaOf(pipeline.sha), textOf(pipeline.ref)];
    if (iid === null || sha === null || !ref || ref.length > maxName) {
      return run.fail('pipeline', `line ${line}`, new Error('it has no number, commit or branch'));
    }
    if (await run.isHere('pipeline', iid)) return;
    const user_id = await personOrNull(pipeline.user_id);
    const parts = await partsOf(pipeline, personOrNull);
    await run.once('pipeline', iid, async (trx) => {
      const pipeline_id = await insertImportedPipeline(trx, {
        project_id: run.project.id,
        iid,
        sha,
        ref,
        tag: flag(pipeline.tag),
        source: enumOf(pipeline.source, sources) ?? 'push',
        // Unfinished pipelines become canceled.
        status: enumOf(pipeline.status, ended) ?? 'canceled',
        name: shortText(pipeline.name),
        coverage: seconds(pipeline.coverage),
        duration: seconds(pipeline.duration),
        queued_duration: seconds(pipeline.queued_duration),
        user_id,
        created_at: timeOf(pipeline.created_at),
        updated_at: timeOf(pipeline.updated_at),
        started_at: timeOrNull(pipeline.started_at),
        finished_at: timeOrNull(pipeline.finished_at),
        committed_at: timeOrNull(pipeline.committed_at),
      });
      const place = { project_id: run.project.id, pipeline_id, ref, sha };
      await insertJobs(
        trx,
        parts.flatMap((part) => (part.kind === 'status' ? [] : [jobRow(part, { ...place, tag: flag(pipeline.tag) })])),
      );
      await insertImportedStatuses(
        trx,
        parts.flatMap((part) => (part.kind === 'status' ? [statusRow(part, place)] : [])),
      );
      return pipeline_id;
    });
  });
}

/** A job or status of a pipeline. */
interface Part {
  readonly kind: 'build' | 'bridge' | 'status';
  readonly stage: string;
  readonly stageIndex: number;
  readonly name: string;
  readonly fields: Fields;
  readonly userId: number | null;
}

/** The lists of a stage. Older servers have a single one, whose elements name their type. */
const lists = { builds: 'build', bridges: 'bridge', generic_commit_statuses: 'status' } as const;
const types: Readonly<Record<string, Part['kind']>> = { 'Ci::Build': 'build', 'Ci::Bridge': 'bridge' };

async function partsOf(pipeline: Fields, personOrNull: ArchiveContext['personOrNull']): Promise<Part[]> {
  const people = new Map<unknown, number | null>();
  const parts: Part[] = [];
  for (const [index, stage] of allOf(pipeline.stages).entries()) {
    const place = { stage: shortText(stage.name) ?? '', stageIndex: numberOf(stage.position) ?? index };
    const found = [
      ...Object.entries(lists).flatMap(([list, kind]) => listOf(stage[list]).map((fields) => ({ kind, fields }))),
      ...listOf(stage.statuses).map((fields) => ({ kind: types[textOf(fields.type) ?? ''] ?? 'status', fields })),
    ];
    for (const { kind, fields } of found) {
      const name = shortText(fields.name);
      if (!name) continue;
      if (parts.length === maxJobs) return parts;
      const user = fields.user_id;
      if (!people.has(user)) people.set(user, await personOrNull(user));
      parts.push({ ...place, kind, name, fields, userId: people.get(user) ?? null });
    }
  }
  return parts;
}

/** The status of an unfinished job is that of one that was never started, or was canceled. */
function endOf(status: unknown): (typeof ended)[number] {
  return enumOf(status, ended) ?? (enumOf(status, waiting) ? 'skipped' : 'canceled');
}

type Place = Pick<NewJob, 'project_id' | 'pipeline_id' | 'ref' | 'sha'>;

/** Without options, by which it is known as a record. */
function jobRow({ kind, stage, stageIndex, name, fields, userId }: Part, place: Place & { tag: number }): NewJob {
  const tags = Array.isArray(fields.tag_list) ? fields.tag_list.filter((tag) => typeof tag === 'string') : [];
  return {
    ...place,
    kind: kind === 'bridge' ? 'bridge' : 'build',
    name,
    stage,
    stage_index: stageIndex,
    status: endOf(fields.status),
    failure_reason: enumOf(fields.failure_reason, failureReasons) ?? null,
    protected: flag(fields.protected),
    starts: enumOf(fields.when, starts) ?? 'on_success',
    allow_failure: flag(fields.allow_failure),
    tag_list: JSON.stringify(tags.slice(0, maxTags).map((tag) => tag.slice(0, maxName))),
    coverage: seconds(fields.coverage),
    retried: flag(fields.retried),
    user_id: userId,
    created_at: timeOf(fields.created_at),
    updated_at: timeOf(fields.updated_at),
    queued_at: timeOrNull(fields.queued_at),
    started_at: timeOrNull(fields.started_at),
    finished_at: timeOrNull(fields.finished_at),
    erased_at: timeOrNull(fields.erased_at),
  };
}

function statusRow({ stage, name, fields, userId }: Part, place: Place): NewCommitStatus {
  const url = textOf(fields.target_url);
  return {
    ...place,
    stage,
    name,
    status: endOf(fields.status),
    // It becomes a link.
    target_url: url !== null && /^https?:\/\//i.test(url) ? url.slice(0, maxName) : null,
    description: shortText(fields.description),
    coverage: seconds(fields.coverage),
    user_id: userId,
    allow_failure: flag(fields.allow_failure),
    retried: flag(fields.retried),
    created_at: timeOf(fields.created_at),
    started_at: timeOrNull(fields.started_at),
    finished_at: timeOrNull(fields.finished_at),
  };
}
