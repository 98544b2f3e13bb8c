import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import { uniqueViolation } from '../../../platform/database/errors.ts';
import type { Slice } from '../../../platform/database/paging.ts';
import { Invalid, NotFound } from '../../../platform/http/errors.ts';
import { Page } from '../../../platform/http/pages/pagination.ts';
import { projectUrl } from '../../repository/public.ts';
import type { ReleaseLinkRow, ReleaseRow } from '../tables.ts';
import { presentLink } from './present.ts';
import { type LinkRequest, newLink, readLink } from './rules.ts';
import type { ReleaseLinkEntity } from './schema.ts';
import * as store from './store.ts';

/** A release with its project. */
export interface ReleaseContext {
  readonly subject: ProjectSubject;
  readonly release: ReleaseRow;
}

function present(services: Services, { subject, release }: ReleaseContext, link: ReleaseLinkRow): ReleaseLinkEntity {
  return presentLink(link, projectUrl(services, subject), release.tag);
}

/** Converts a unique constraint violation into a validation error. */
export function rethrowAsTaken(error: unknown): never {
  const rule = uniqueViolation(error);
  const column = rule?.columns.find((name) => name !== 'release_id');
  throw column ? new Invalid({ [column]: ['has already been taken'] }) : error;
}

export async function listLinks(
  services: Services,
  place: ReleaseContext,
  slice: Slice,
): Promise<Page<ReleaseLinkEntity>> {
  const { rows, total } = await store.listLinks(services.db.read, place.release.id, slice);
  return new Page(rows, total).map((row) => present(services, place, row));
}

async function find(services: Services, place: ReleaseContext, id: number): Promise<ReleaseLinkRow> {
  const link = await store.findLink(services.db.read, place.release.id, id);
  if (!link) throw NotFound.record();
  return link;
}

export async function getLink(services: Services, place: ReleaseContext, id: number): Promise<ReleaseLinkEntity> {
  return present(services, place, await find(services, place, id));
}

export async function createLink(
  services: Services,
  place: ReleaseContext,
  sent: LinkRequest & { readonly name: string; readonly url: string },
): Promise<ReleaseLinkEntity> {
  const row = { ...newLink(sent), release_id: place.release.id, created_at: Date.now() };
  const link = await services.db.write((trx) => store.insertLink(trx, row)).catch(rethrowAsTaken);
  return present(services, place, link);
}

export async function updateLink(
  services: Services,
  place: ReleaseContext,
  id: number,
  sent: LinkRequest,
): Promise<ReleaseLinkEntity> {
  const { id: found } = await find(services, place, id);
  const link = await services.db.write((trx) => store.updateLink(trx, found, readLink(sent))).catch(rethrowAsTaken);
  return present(services, place, link);
}

export async function deleteLink(services: Services, place: ReleaseContext, id: number): Promise<ReleaseLinkEntity> {
  const link = await find(services, place, id);
  await services.db.write((trx) => store.deleteLink(trx, link.id));
  return present(services, place, link);
}

/** Resolves a permanent asset path to its URL. */
export async function assetAddress(services: Services, { release }: ReleaseContext, path: string): Promise<string> {
  const link = await store.findLinkByPath(services.db.read, release.id, `/${path}`);
  if (!link) throw NotFound.record();
  return link.url;
}
