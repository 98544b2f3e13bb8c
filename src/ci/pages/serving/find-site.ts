import type { Services } from '../../../access/services.ts';
import { projectById, projectByPath } from '../../../access/subject-queries.ts';
import type { Project } from '../../../access/tables.ts';
import { numberIn, type PagesAddress } from '../addresses.ts';
import { domainNamed } from '../domains/store.ts';
import { isServed } from '../domains/verification.ts';
import { projectAmong } from './store.ts';

/** The project a request is for, and how it was identified. */
export interface Found {
  readonly project: Project;
  /** Number of path segments that name the project. */
  readonly named: number;
  readonly by: 'group' | 'unique domain' | 'custom domain';
  /** Whether the host can be served over HTTPS. */
  readonly secure: boolean;
}

/** Maximum nesting depth of groups. */
const maxDepth = 21;

/** Finds the project whose site is served at a host and path. */
export async function findSite(
  services: Services,
  { domain }: PagesAddress,
  host: string,
  parts: readonly string[],
): Promise<Found | undefined> {
  const { read } = services.db;
  if (!host.endsWith(`.${domain}`)) {
    const own = host === domain ? undefined : await domainNamed(read, host);
    const project =
      own && (await isServed(services, own)) ? await projectById.first(read, { id: own.project_id }) : undefined;
    return project && { project, named: 0, by: 'custom domain', secure: own?.certificate !== null };
  }
  const label = host.slice(0, -domain.length - 1);
  const number = numberIn(label);
  if (number !== undefined) {
    const project = await projectById.first(read, { id: number });
    return project && { project, named: 0, by: 'unique domain', secure: true };
  }
  return findOnGroup(services, host, label, parts);
}

/** Finds the project with the longest matching path, or the project served at the root of the host. */
async function findOnGroup(services: Services, host: string, root: string, parts: readonly string[]) {
  const { read } = services.db;
  const how = { by: 'group', secure: true } as const;
  const [first] = parts;
  if (first !== undefined) {
    const project = await projectByPath.first(read, { path: `${root}/${first.toLowerCase()}` });
    if (project && project.former !== 1) return { project, named: 1, ...how };
    const paths = parts.slice(0, maxDepth).map((_, at) => [root, ...parts.slice(0, at + 1)].join('/').toLowerCase());
    const deeper = paths.length > 1 ? await projectAmong(read, paths.slice(1)) : undefined;
    if (deeper) return { project: deeper.project, named: deeper.path.split('/').length - 1, ...how };
  }
  const whole = await projectByPath.first(read, { path: `${root}/${host}` });
  return whole && whole.former !== 1 ? { project: whole, named: 0, ...how } : undefined;
}
