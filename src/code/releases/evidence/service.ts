import { createHash } from 'node:crypto';
import type { Services } from '../../../access/services.ts';
import { lookUpProject } from '../../../access/subjects.ts';
import type { Project } from '../../../access/tables.ts';
import type { Writer } from '../../../platform/database/database.ts';
import { instant } from '../../../platform/http/schema.ts';
import { milestonesOf } from '../planning.ts';
import type { ReleaseMilestoneEntity } from '../schema.ts';
import { linksAndEvidencesOf, releaseById } from '../store.ts';
import type { ReleaseRow } from '../tables.ts';
import { insertEvidence } from './store.ts';

declare module '../../../platform/queue/job.ts' {
  interface JobPayloads {
    /** Collects the evidence of an upcoming release when it is due. */
    'releases.evidence': { releaseId: number };
  }
}

/** Defines the jobs for releases. */
export function releaseJobs(services: Services): void {
  services.queue.defineJob('releases.evidence', async (job) => {
    const { db } = services;
    const release = await releaseById(db.read, job.payload.releaseId);
    // Deleted or postponed; for the latter another job is queued.
    if (!release || release.released_at > Date.now()) return;
    const found = await lookUpProject(db.read, String(release.project_id));
    const { evidences } = await linksAndEvidencesOf(db.read, [release.id]);
    if (!found || evidences.length > 0) return;
    await db.write((trx) => collectEvidence(services, trx, found.project, release));
  });
}

/** Stores a snapshot of a release. Its digest makes later changes evident. */
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

/** Collects the evidence now or at the release date; never for releases dated in the past. */
export async function planEvidence(
  services: Services,
  trx: Writer,
  project: Project,
  release: ReleaseRow,
): Promise<void> {
  if (release.released_at < release.created_at) return;
  if (release.released_at <= Date.now()) return collectEvidence(services, trx, project, release);
  // The date is part of the key: otherwise a postponed release would be deduplicated with the job of the old date,
  // which does nothing.
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
