import type { SignedInActor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import { uniqueViolation } from '../../platform/database/errors.ts';
import { Conflict, Invalid, Unprocessable } from '../../platform/http/errors.ts';
import { createTag, taggedCommit } from '../tags/public.ts';
import { planEvidence } from './evidence/service.ts';
import { type LinkRequest, newLink } from './links/rules.ts';
import { rethrowAsTaken } from './links/service.ts';
import { insertLink } from './links/store.ts';
import { type MilestoneNames, namedMilestones, replaceMilestones } from './planning.ts';
import { presentReleases } from './present.ts';
import { checkTagRight, checkTexts } from './rules.ts';
import type { ReleaseEntity } from './schema.ts';
import { findRelease, insertRelease } from './store.ts';

/** Limited because the links are inserted in the same transaction as the release, which blocks other writers. */
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

/** Creates a release, and its tag if `ref` is given and the tag does not exist. */
export async function createRelease(
  services: Services,
  actor: SignedInActor,
  subject: ProjectSubject,
  params: NewRelease,
): Promise<ReleaseEntity> {
  const { db } = services;
  const tag = params.tag_name;
  await checkTagRight(services, actor, subject, tag, 'You are not allowed to create this tag as it is protected.');
  if (await findRelease(db.read, subject.project.id, tag)) throw new Conflict('Release already exists');
  const milestones = await namedMilestones(services, subject, params);
  checkTexts(params);
  const links = (params.assets?.links ?? []).map(newLink);
  if (links.length > maxLinks) throw new Invalid({ links: [`total must be less than or equal to ${maxLinks}`] });
  const sha = await ensureTag(services, actor, subject, params);
  const now = Date.now();
  const row = await db
    .write(async (trx) => {
      const release = await insertRelease(trx, {
        project_id: subject.project.id,
        tag,
        name: params.name || tag,
        description: params.description ?? null,
        sha,
        author_id: actor.user?.id ?? null,
        released_at: params.released_at ?? now,
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
      return rethrowAsTaken(error);
    });
  return (await presentReleases(services, subject, [row]))[0] as ReleaseEntity;
}

async function ensureTag(
  services: Services,
  actor: SignedInActor,
  subject: ProjectSubject,
  params: NewRelease,
): Promise<string | null> {
  const { tag_name, ref, tag_message: message } = params;
  const known = await taggedCommit(services, subject, tag_name);
  if (known !== undefined) return known;
  if (!ref) throw new Unprocessable('Ref is not specified');
  try {
    const tag = await createTag(services, actor, subject, { tag_name, ref, message });
    return tag.commit?.id ?? null;
  } catch (error) {
    // The tag may have been created concurrently: then it is used.
    const tagged = await taggedCommit(services, subject, tag_name);
    if (tagged === undefined) throw error;
    return tagged;
  }
}
