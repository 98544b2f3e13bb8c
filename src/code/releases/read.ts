import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import type { Slice } from '../../platform/database/paging.ts';
import { Forbidden, NotFound } from '../../platform/http/errors.ts';
import { linkQuery, Page } from '../../platform/http/pagination.ts';
import { presentReleases } from './present.ts';
import type { ReleaseEntity } from './schema.ts';
import * as store from './store.ts';
import type { ReleaseRow } from './tables.ts';

/** The release of a tag; 404 when it has none. */
export async function requireRelease(services: Services, subject: ProjectSubject, tag: string): Promise<ReleaseRow> {
  const release = await store.findRelease(services.db.read, subject.project.id, tag);
  if (!release) throw new NotFound();
  return release;
}

export async function listReleases(
  services: Services,
  subject: ProjectSubject,
  filter: store.ReleaseFilter & { readonly include_html_description: boolean },
  slice: Slice,
): Promise<Page<ReleaseEntity>> {
  const { rows, total } = await store.listReleases(services.db.read, subject.project.id, filter, slice);
  return new Page(await presentReleases(services, subject, rows, filter.include_html_description), total);
}

/** One release; the list shows guests some of it, by its tag only those who read the code get it. */
export async function getRelease(
  services: Services,
  subject: ProjectSubject,
  tag: string,
  html: boolean,
): Promise<ReleaseEntity> {
  if (!subject.can('read_code')) throw new Forbidden();
  const row = await requireRelease(services, subject, tag);
  return (await presentReleases(services, subject, [row], html))[0] as ReleaseEntity;
}

/** The address of the release that came out last, with what was asked below it. */
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
  const asked = linkQuery(rest);
  return `${services.externalUrl}/api/v4${path}${suffix}${asked === '' ? '' : `?${asked}`}`;
}
