import type { Services } from '../../../access/services.ts';
import type { Reader } from '../../../platform/database/database.ts';
import { instant, instantOrNull } from '../../../platform/http/schema.ts';
import { storedStrings } from '../../../platform/stored-json.ts';
import * as rows from '../relation-store.ts';
import { type BatchRange, iterateRows, type Line } from './walk.ts';

/** Pipelines and their jobs as historical records, without configuration, logs and artifacts. */
export async function* pipelines({ db: { read: db } }: Services, projectId: number): AsyncGenerator<Line, void> {
  const read = (part: BatchRange) => rows.pipelinesAfter(db, part);
  for await (const part of iterateRows(read, projectId, ({ iid }) => iid)) {
    for (const { id, ...row } of part) {
      yield {
        ...row,
        tag: row.tag === 1,
        protected: row.protected === 1,
        created_at: instant(row.created_at),
        updated_at: instant(row.updated_at),
        started_at: instantOrNull(row.started_at),
        finished_at: instantOrNull(row.finished_at),
        committed_at: instantOrNull(row.committed_at),
        // Pipeline by pipeline, because one may have thousands of jobs.
        stages: await stagesOf(db, id),
      };
    }
  }
}

/** The stage of statuses of external services comes last. */
const externalIndex = 1_000_000;

async function stagesOf(db: Reader, pipelineId: number) {
  const jobs = await rows.jobsOfPipeline(db, pipelineId);
  const statuses = await rows.statusesOfPipeline(db, pipelineId);
  const positions = new Map(statuses.map(({ stage }) => [stage, externalIndex]));
  for (const { stage, stage_index } of jobs) positions.set(stage, stage_index);
  const stages = [...positions].sort(([, left], [, right]) => left - right);
  const jobsIn = Map.groupBy(jobs, ({ stage }) => stage);
  const statusesIn = Map.groupBy(statuses, ({ stage }) => stage);
  return stages.map(([name, position]) => {
    const ofStage = jobsIn.get(name) ?? [];
    return {
      name,
      position,
      builds: ofStage.filter(({ kind }) => kind === 'build').map(jobLine),
      bridges: ofStage.filter(({ kind }) => kind === 'bridge').map(jobLine),
      generic_commit_statuses: (statusesIn.get(name) ?? []).map(statusLine),
    };
  });
}

type JobRecord = Awaited<ReturnType<typeof rows.jobsOfPipeline>>[number];
type StatusRecord = Awaited<ReturnType<typeof rows.statusesOfPipeline>>[number];

function jobLine({ kind: _kind, stage: _stage, stage_index, starts, ...row }: JobRecord) {
  return {
    ...row,
    stage_idx: stage_index,
    when: starts,
    tag: row.tag === 1,
    protected: row.protected === 1,
    allow_failure: row.allow_failure === 1,
    retried: row.retried === 1,
    tag_list: storedStrings(row.tag_list),
    created_at: instant(row.created_at),
    updated_at: instant(row.updated_at),
    queued_at: instantOrNull(row.queued_at),
    started_at: instantOrNull(row.started_at),
    finished_at: instantOrNull(row.finished_at),
    erased_at: instantOrNull(row.erased_at),
  };
}

function statusLine({ stage: _stage, ...row }: StatusRecord) {
  return {
    ...row,
    allow_failure: row.allow_failure === 1,
    retried: row.retried === 1,
    created_at: instant(row.created_at),
    started_at: instantOrNull(row.started_at),
    finished_at: instantOrNull(row.finished_at),
  };
}
