import { anonymous } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import { projectSubject } from '../../access/subjects.ts';
import { findProject, pagesLevel } from '../../namespaces/projects/public.ts';
import type { Reader } from '../../platform/database/database.ts';
import { expand } from '../config/public.ts';
import { type CiJobRow, plannedJob } from '../jobs/public.ts';
import type { PipelineRow } from '../pipelines/public.ts';
import type { JobVariable } from '../variables/public.ts';
import { pagesAddress, prefixOf, siteUrl } from './addresses.ts';
import { hasUniqueDomain } from './settings/service.ts';

async function urlFor(services: Services, db: Reader, job: CiJobRow): Promise<URL | undefined> {
  const place = pagesAddress(services);
  const project = place && (await findProject(db, job.project_id));
  if (!place || !project || pagesLevel(project) === 'disabled') return undefined;
  const { fullPath } = await projectSubject(db, anonymous, project);
  const unique = await hasUniqueDomain(services, db, project.id);
  return new URL(siteUrl(place, { project, fullPath, unique }));
}

const withoutSlash = (url: string) => url.replace(/\/$/, '');

/** Pages variables of a job. */
export async function pagesVariables(services: Services, db: Reader, job: CiJobRow) {
  const url = await urlFor(services, db, job);
  if (!url) return [];
  return [
    { key: 'CI_PAGES_HOSTNAME', value: url.hostname },
    { key: 'CI_PAGES_URL', value: withoutSlash(url.href) },
  ];
}

/** The same for a job that publishes with a path prefix, which may depend on other variables of the job. */
export async function prefixedVariables(
  services: Services,
  db: Reader,
  job: CiJobRow,
  _pipeline: PipelineRow,
  variable: (name: string) => string | undefined,
): Promise<JobVariable[]> {
  const pathPrefix = job.kind === 'build' ? plannedJob(job).pages?.pathPrefix : undefined;
  const prefix = pathPrefix ? prefixOf(expand(pathPrefix, variable)) : '';
  const url = prefix === '' ? undefined : await urlFor(services, db, job);
  if (!url) return [];
  const value = `${withoutSlash(url.href)}/${prefix}`;
  return [{ key: 'CI_PAGES_URL', value, public: true, masked: false, file: false, raw: false }];
}
