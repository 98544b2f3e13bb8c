import type { SignedInActor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import { uniqueViolation } from '../../platform/database/errors.ts';
import { Conflict, Invalid, Unprocessable } from '../../platform/http/errors.ts';
import { createTag, taggedCommit } from '../tags/public.ts';
import { planEvidence } from './evidence/service.ts';
import { type LinkRequest, newLink } from './links/rules.ts';
import { taken } from './links/service.ts';
import { insertLink } from './links/store.ts';
import { type MilestoneNames, namedMilestones, replaceMilestones } from './planning.ts';
import { presentReleases } from './present.ts';
import { checkTagRight, checkTexts } from './rules.ts';
import type { ReleaseEntity } from './schema.ts';
import { findRelease, insertRelease } from './store.ts';

/** They are written with the release, and everybody else who writes waits for it. */
const maxLinks = 1000;

export interface NewRelease extends MilestoneNames {
  readonly tag_name: string;
  readonly tag_message?: string;
  readonly ref?: string;
  readonly name?: string;
  readonly description?: string;
  readonly released_at?: number;
  readonly assets?: { readonly links?: readonly (LinkRequest & { readonly name: string; readonly url: string })[] };
}

/** Makes a release of a tag, and the tag too where it is told from what. */
export async function createRelease(
  services: Services,
  actor: SignedInActor,
  subject: ProjectSubject,
  wanted: NewRelease,
): Promise<ReleaseEntity> {
  const { db } = services;
  const tag = wanted.tag_name;
  await checkTagRight(services, actor, subject, tag, 'You are not allowed to create this tag as it is protected.');
  if (await findRelease(db.read, subject.project.id, tag)) throw new Conflict('Release already exists');
  const milestones = await namedMilestones(services, subject, wanted);
  checkTexts(wanted);
  const links = (wanted.assets?.links ?? []).map(newLink);
  if (links.length > maxLinks) throw new Invalid({ links: [`total must be less than or equal to ${maxLinks}`] });
  const sha = await ensureTag(services, actor, subject, wanted);
  const now = Date.now();
  const row = await db
    .write(async (trx) => {
      const release = await insertRelease(trx, {
        project_id: subject.project.id,
        tag,
        name: wanted.name || tag,
        description: wanted.description ?? null,
        sha,
        author_id: actor.user?.id ?? null,
        released_at: wanted.released_at ?? now,
        created_at: now,
        updated_at: now,
      });
      for (const link of links) await insertLink(trx, { ...link, release_id: release.id, created_at: now });
      await replaceMilestones(services, trx, release.id, milestones);
      await planEvidence(services, trx, subject.project, release);
      await services.announce(trx, 'release.changed', { action: 'create', release });
      return release;
    })
    .catch((error: unknown) => {
      if (uniqueViolation(error, ['project_id', 'tag'])) throw new Conflict('Release already exists');
      return taken(error);
    });
  return (await presentReleases(services, subject, [row]))[0] as ReleaseEntity;
}

async function ensureTag(
  services: Services,
  actor: SignedInActor,
  subject: ProjectSubject,
  wanted: NewRelease,
): Promise<string | null> {
  const { tag_name, ref, tag_message: message } = wanted;
  const known = await taggedCommit(services, subject, tag_name);
  if (known !== undefined) return known;
  if (!ref) throw new Unprocessable('Ref is not specified');
  try {
    const tag = await createTag(services, actor, subject, { tag_name, ref, message });
    return tag.commit?.id ?? null;
  } catch (error) {
    // Somebody may have made the tag meanwhile: then theirs is released, if they did not do that too.
    const made = await taggedCommit(services, subject, tag_name);
    if (made === undefined) throw error;
    return made;
  }
}
