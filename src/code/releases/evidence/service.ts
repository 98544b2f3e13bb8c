import { createHash } from 'node:crypto';
import type { Services } from '../../../access/services.ts';
import { lookUpProject } from '../../../access/subjects.ts';
import type { Project } from '../../../access/tables.ts';
import type { Writer } from '../../../platform/database/database.ts';
import { instant } from '../../../platform/http/schema.ts';
import { milestonesOf } from '../planning.ts';
import type { ReleaseMilestoneEntity } from '../schema.ts';
import { partsOf, releaseById } from '../store.ts';
import type { ReleaseRow } from '../tables.ts';
import { insertEvidence } from './store.ts';

declare module '../../../platform/queue/job.ts' {
  interface JobPayloads {
    /** A release that comes out later: what it is then is put on record. */
    'releases.evidence': { releaseId: number };
  }
}

/** The background work of releases. */
export function releaseJobs(services: Services): void {
  services.queue.defineJob('releases.evidence', async (job) => {
    const { db } = services;
    const release = await releaseById(db.read, job.payload.releaseId);
    // Deleted, or put off once more: then another job waits for the new day.
    if (!release || release.released_at > Date.now()) return;
    const found = await lookUpProject(db.read, String(release.project_id));
    const { evidences } = await partsOf(db.read, [release.id]);
    if (!found || evidences.length > 0) return;
    await db.write((trx) => collectEvidence(services, trx, found.project, release));
  });
}

/** Puts on record what a release is now: the digest shows whether anybody changed the record later. */
export async function collectEvidence(
  services: Services,
  trx: Writer,
  project: Project,
  release: ReleaseRow,
): Promise<void> {
  const milestones = await milestonesOf(services, trx, [release.id]);
  const summary = JSON.stringify(summaryOf(project, release, milestones(release.id)));
  await insertEvidence(trx, {
    release_id: release.id,
    sha: createHash('sha256').update(summary).digest('hex'),
    summary,
    created_at: Date.now(),
  });
}

/** Has the evidence collected: now, on the day it comes out, or never for what came out long ago. */
export async function planEvidence(
  services: Services,
  trx: Writer,
  project: Project,
  release: ReleaseRow,
): Promise<void> {
  if (release.released_at < release.created_at) return;
  if (release.released_at <= Date.now()) return collectEvidence(services, trx, project, release);
  // The day is part of the key: a release that is put off would join the job of the day before, which leaves it alone.
  const options = { runAt: release.released_at, dedupeKey: `${release.id} ${release.released_at}` };
  await services.queue.enqueue(trx, 'releases.evidence', { releaseId: release.id }, options);
}

function summaryOf(project: Project, release: ReleaseRow, milestones: readonly ReleaseMilestoneEntity[]) {
  const { id, name, description, created_at } = project;
  return {
    release: {
      id: release.id,
      tag_name: release.tag,
      name: release.name,
      description: release.description,
      created_at: instant(release.created_at),
      project: { id, name, description, created_at: instant(created_at) },
      milestones: milestones.map(({ id, iid, title, description, state, created_at, due_date }) => ({
        id,
        title,
        description,
        state,
        iid,
        created_at,
        due_date,
      })),
      report_artifacts: [],
    },
  };
}
