import type { Actor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import { BadRequest } from '../../platform/http/errors.ts';
import { collectEvidence, planEvidence } from './evidence.ts';
import { presentReleases } from './present.ts';
import { requireRelease } from './read.ts';
import { checkMilestones, checkTagRight, checkTexts, type MilestoneNames } from './rules.ts';
import type { ReleaseEntity } from './schema.ts';
import { deleteRelease, partsOf, updateRelease } from './store.ts';
import type { ReleaseRow } from './tables.ts';

export interface ReleaseChange extends MilestoneNames {
  readonly name?: string;
  readonly description?: string;
  readonly released_at?: number;
}

async function present(services: Services, subject: ProjectSubject, row: ReleaseRow): Promise<ReleaseEntity> {
  return (await presentReleases(services, subject, [row]))[0] as ReleaseEntity;
}

export async function changeRelease(
  services: Services,
  actor: Actor,
  subject: ProjectSubject,
  tag: string,
  change: ReleaseChange,
): Promise<ReleaseEntity> {
  const release = await requireRelease(services, subject, tag);
  await checkTagRight(services, actor, subject, tag);
  const { name, description, released_at, milestones, milestone_ids } = change;
  if ([name, description, released_at, milestones, milestone_ids].every((value) => value === undefined)) {
    throw BadRequest.plain('params is empty');
  }
  checkMilestones(change);
  checkTexts(change);
  const { evidences } = await partsOf(services.db.read, [release.id]);
  const row = await services.db.write(async (trx) => {
    const changed = await updateRelease(trx, release.id, {
      ...(name === undefined ? {} : { name: name || tag }),
      ...(description === undefined ? {} : { description }),
      ...(released_at === undefined ? {} : { released_at }),
      updated_at: Date.now(),
    });
    const putOff = changed.released_at > Date.now();
    if (putOff && evidences.length === 0) await planEvidence(services, trx, subject.project, changed);
    return changed;
  });
  return present(services, subject, row);
}

/** Deletes a release; its tag stays. */
export async function removeRelease(
  services: Services,
  actor: Actor,
  subject: ProjectSubject,
  tag: string,
): Promise<ReleaseEntity> {
  const release = await requireRelease(services, subject, tag);
  await checkTagRight(services, actor, subject, tag);
  const entity = await present(services, subject, release);
  await services.db.write((trx) => deleteRelease(trx, subject.project.id, tag));
  return entity;
}

/** Puts on record once more what a release is. */
export async function addEvidence(services: Services, subject: ProjectSubject, tag: string): Promise<void> {
  const release = await requireRelease(services, subject, tag);
  await services.db.write((trx) => collectEvidence(trx, subject.project, release));
}
