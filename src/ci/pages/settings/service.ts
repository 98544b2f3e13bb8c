import type { SignedInActor } from '../../../access/actor.ts';
import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import { pagesLevel } from '../../../namespaces/projects/public.ts';
import type { Reader } from '../../../platform/database/database.ts';
import { lockRow } from '../../../platform/database/locks.ts';
import { BadRequest, NotFound } from '../../../platform/http/errors.ts';
import { instant } from '../../../platform/http/schema.ts';
import { hostUrl, type PagesAddress, pagesAddress, siteUrl, uniqueLabel } from '../addresses.ts';
import { removeFilesSoon } from '../deployments/removal.ts';
import { deleteDeployments, deploymentsOf } from '../deployments/store.ts';
import { domainNamed } from '../domains/store.ts';
import type { ChangeParams, PagesSettingsEntity } from './schema.ts';
import * as store from './store.ts';

/** Base address of Pages sites; 404 if Pages is disabled for the instance or the project. */
export function requirePagesAddress(services: Services, { project }: ProjectSubject): PagesAddress {
  const place = pagesAddress(services);
  if (!place || pagesLevel(project) === 'disabled') throw new NotFound();
  return place;
}

/** Whether the site of a project has a unique domain. */
export async function hasUniqueDomain({ settings }: Services, db: Reader, projectId: number): Promise<boolean> {
  const site = await store.siteOf(db, projectId);
  return site ? site.unique_domain_enabled === 1 : (await settings.read()).pages_unique_domain_default_enabled;
}

async function present(services: Services, db: Reader, subject: ProjectSubject, place: PagesAddress) {
  const { project, fullPath } = subject;
  const unique = await hasUniqueDomain(services, db, project.id);
  const [site, deployments] = [await store.siteOf(db, project.id), await deploymentsOf(db, project.id, Date.now())];
  const url = siteUrl(place, { project, fullPath, unique });
  const entity: PagesSettingsEntity = {
    url,
    is_unique_domain_enabled: unique,
    force_https: place.scheme === 'https' && site?.https_only !== 0,
    deployments: deployments.map((one) => ({
      created_at: instant(one.created_at),
      url: `${url}/${one.path_prefix}`,
      path_prefix: one.path_prefix,
      root_directory: one.root_directory,
    })),
    primary_domain: site?.primary_domain ?? null,
  };
  return entity;
}

export function getSettings(services: Services, subject: ProjectSubject): Promise<PagesSettingsEntity> {
  return present(services, services.db.read, subject, requirePagesAddress(services, subject));
}

/** Normalizes the primary domain, given as a host or URL. It must be a domain of the site. */
async function primaryDomain(
  db: Reader,
  place: PagesAddress,
  { project }: ProjectSubject,
  value: string,
): Promise<string> {
  const host = (URL.canParse(value) ? new URL(value).hostname : value).toLowerCase();
  const own = `${uniqueLabel(project)}.${place.domain}`;
  const domain = host === own ? undefined : await domainNamed(db, host);
  if (host !== own && domain?.project_id !== project.id) {
    throw BadRequest.plain({ pages_primary_domain: ['is not a domain of the site'] });
  }
  return hostUrl(place, host);
}

export async function changeSettings(
  services: Services,
  { user }: SignedInActor,
  subject: ProjectSubject,
  params: ChangeParams,
): Promise<PagesSettingsEntity> {
  const place = requirePagesAddress(services, subject);
  const { project } = subject;
  const { pages_unique_domain_enabled: unique, pages_https_only: secure, pages_primary_domain: primary } = params;
  return services.db.write(async (trx) => {
    await lockRow(trx, 'projects', project.id);
    await store.ensureSite(services, trx, project.id);
    const primary_domain = primary ? await primaryDomain(trx, place, subject, primary) : null;
    await store.changeSite(trx, project.id, {
      ...(unique === undefined ? {} : { unique_domain_enabled: unique ? 1 : 0 }),
      ...(secure === undefined ? {} : { https_only: secure ? 1 : 0 }),
      ...(primary === undefined ? {} : { primary_domain }),
    });
    const details = Object.keys(params)
      .filter((name) => name !== 'id')
      .join(', ');
    if (details !== '') await services.announce(trx, 'pages.changed', { project, by: user, what: 'settings', details });
    return present(services, trx, subject, place);
  });
}

/** Removes all deployments of a project. */
export async function unpublish(services: Services, { user }: SignedInActor, subject: ProjectSubject): Promise<void> {
  requirePagesAddress(services, subject);
  const { project } = subject;
  await services.db.write(async (trx) => {
    await deleteDeployments(trx, { projectId: project.id });
    await removeFilesSoon(services, trx);
    await services.announce(trx, 'pages.changed', { project, by: user, what: 'unpublished', details: '' });
  });
}
