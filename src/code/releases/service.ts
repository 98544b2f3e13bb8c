import type { Actor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import type { Writer } from '../../platform/database/database.ts';
import { lockRow } from '../../platform/database/locks.ts';
import type { Slice } from '../../platform/database/paging.ts';
import { BadRequest, Forbidden, NotFound } from '../../platform/http/errors.ts';
import { linkQuery, Page } from '../../platform/http/pages/pagination.ts';
import type { Push } from '../pushes/public.ts';
import { collectEvidence, planEvidence } from './evidence/service.ts';
import { releaseList } from './list.ts';
import { type MilestoneNames, namedMilestones, replaceMilestones } from './planning.ts';
import { presentReleases } from './present.ts';
import { checkTagRight, checkTexts } from './rules.ts';
import type { ReleaseEntity, ReleaseListParams } from './schema.ts';
import * as store from './store.ts';
import type { ReleaseRow } from './tables.ts';

/** Finds a release to modify. Throws 403 if it does not exist. */
async function releaseToChange(services: Services, subject: ProjectSubject, tag: string): Promise<ReleaseRow> {
  const release = await store.findRelease(services.db.read, subject.project.id, tag);
  if (!release) throw new Forbidden();
  return release;
}

/** Finds the release of a tag. Throws 404 if it does not exist. */
export async function requireRelease(services: Services, subject: ProjectSubject, tag: string): Promise<ReleaseRow> {
  const release = await store.findRelease(services.db.read, subject.project.id, tag);
  if (!release) throw new NotFound();
  return release;
}

export async function listReleases(
  services: Services,
  actor: Actor,
  subject: ProjectSubject,
  { id: _, include_html_description, order_by: by, sort: direction, ...filters }: ReleaseListParams,
  slice: Slice,
): Promise<Page<ReleaseEntity>> {
  const { rows, total } = await releaseList.page(
    services.db.read,
    { project: subject.project.id },
    filters,
    { by, direction },
    slice,
  );
  return new Page(await presentReleases(services, subject, rows, include_html_description ? actor : undefined), total);
}

async function present(
  services: Services,
  subject: ProjectSubject,
  row: ReleaseRow,
  htmlFor?: Actor,
): Promise<ReleaseEntity> {
  return (await presentReleases(services, subject, [row], htmlFor))[0] as ReleaseEntity;
}

/** Returns a release. Guests see some of it in the list, but only users who can read the code may get it by tag. */
export async function getRelease(
  services: Services,
  actor: Actor,
  subject: ProjectSubject,
  tag: string,
  html: boolean,
): Promise<ReleaseEntity> {
  if (!subject.can('read_code')) throw new Forbidden();
  const row = await requireRelease(services, subject, tag);
  return present(services, subject, row, html ? actor : undefined);
}

/** The API URL of the latest release, or of a resource below it. */
export async function latestAddress(
  services: Services,
  subject: ProjectSubject,
  suffix: string,
  query: Readonly<Record<string, unknown>>,
): Promise<string> {
  if (!subject.can('read_code')) throw new Forbidden();
  const release = await store.latestRelease(services.db.read, subject.project.id, Date.now());
  if (!release) throw new NotFound();
  const path = `/projects/${subject.project.id}/releases/${encodeURIComponent(release.tag)}`;
  const { order_by: _order, ...rest } = query;
  const queryString = linkQuery(rest);
  const subpath = suffix.split('/').map(encodeURIComponent).join('/');
  return `${services.externalUrl}/api/v4${path}${subpath}${queryString === '' ? '' : `?${queryString}`}`;
}

export interface ReleaseChange extends MilestoneNames {
  readonly name?: string;
  readonly description?: string;
  readonly released_at?: number;
}

export async function changeRelease(
  services: Services,
  actor: Actor,
  subject: ProjectSubject,
  tag: string,
  change: ReleaseChange,
): Promise<ReleaseEntity> {
  const release = await releaseToChange(services, subject, tag);
  await checkTagRight(services, actor, subject, tag);
  const { name, description, released_at, milestones, milestone_ids } = change;
  if ([name, description, released_at, milestones, milestone_ids].every((value) => value === undefined)) {
    throw BadRequest.plain('params is empty');
  }
  const milestoneIds = await namedMilestones(services, subject, change);
  checkTexts(change);
  const { evidences } = await store.linksAndEvidencesOf(services.db.read, [release.id]);
  const row = await services.db.write(async (trx) => {
    if (!(await lockRow(trx, 'releases', release.id))) throw new Forbidden();
    const changed = await store.updateRelease(trx, release.id, {
      ...(name === undefined ? {} : { name: name || tag }),
      ...(description === undefined ? {} : { description }),
      ...(released_at === undefined ? {} : { released_at }),
      updated_at: Date.now(),
    });
    await replaceMilestones(services, trx, release.id, milestoneIds);
    const upcoming = changed.released_at > Date.now();
    if (upcoming && evidences.length === 0) await planEvidence(services, trx, subject.project, changed);
    await services.announce(trx, 'release.changed', { action: 'update', release: changed });
    return changed;
  });
  return present(services, subject, row);
}

/** Deletes a release; its tag is kept. */
export async function removeRelease(
  services: Services,
  actor: Actor,
  subject: ProjectSubject,
  tag: string,
): Promise<ReleaseEntity> {
  const release = await releaseToChange(services, subject, tag);
  await checkTagRight(services, actor, subject, tag);
  const entity = await present(services, subject, release);
  await services.db.write(async (trx) => {
    if (!(await lockRow(trx, 'releases', release.id, 'remove'))) throw new Forbidden();
    await services.announce(trx, 'release.changed', { action: 'delete', release });
    await store.deleteRelease(trx, subject.project.id, tag);
  });
  return entity;
}

/** Collects the evidence of a release. */
export async function addEvidence(services: Services, subject: ProjectSubject, tag: string): Promise<void> {
  const release = await requireRelease(services, subject, tag);
  await services.db.write((trx) => collectEvidence(services, trx, subject.project, release));
}

/**
 * Deletes the releases of tags deleted through the API. Tags deleted by git keep their release, because deleting and
 * pushing a tag again is how users move it.
 */
export async function deleteReleasesOfTags(_services: Services, trx: Writer, push: Push): Promise<void> {
  if (push.protocol !== 'web') return;
  const removed = push.refs.filter((ref) => ref.kind === 'tag' && ref.action === 'removed');
  for (const { name } of removed) await store.deleteRelease(trx, push.projectId, name);
}
