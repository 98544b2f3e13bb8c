import type { SignedInActor } from '../../access/actor.ts';
import { creationLevelsOf, mayCreateSubgroup } from '../../access/namespaces/creation-levels.ts';
import { namespacePathProblems, projectPathProblems } from '../../access/namespaces/path-rules.ts';
import type { Services } from '../../access/services.ts';
import { groupSubject, lookUpNamespace, lookUpProject } from '../../access/subjects.ts';
import { mayCreateTopLevelGroup } from '../../namespaces/groups/public.ts';
import { EgressRefused } from '../../platform/egress/client.ts';
import { HttpError, ParameterError } from '../../platform/http/errors.ts';
import { scrubUrl } from '../../platform/scrub-url.ts';
import { type HostClient, HostError, RateLimited } from '../host-client/public.ts';
import { lookUpMs, mayImportInto } from '../project-imports/public.ts';
import type { WantedEntity } from './schema.ts';
import { apiPathOf, tokenShape, versionShape } from './source.ts';

const refused = (message: string) => new HttpError(422, { message });

const segment = '[A-Za-z0-9_.](?:[A-Za-z0-9_.+-]*[A-Za-z0-9_])?';
const relative = new RegExp(`^${segment}(?:/${segment})*$`);
const relativeText =
  'must have a relative path structure with no HTTP protocol characters, or leading or trailing forward slashes. ' +
  'Path segments must not start or end with a special character, and must not contain consecutive special characters.';
const maxPathLength = 2000;

const isRelative = (path: string) => path.length <= maxPathLength && relative.test(path) && !/[.+-]{2}/.test(path);

export const maxEntities = 100;

/** Validates the request itself. Reports the first error. */
export function checkEntities(entities: readonly WantedEntity[]): void {
  if (entities.length === 0) throw new ParameterError('entities is empty');
  if (entities.length > maxEntities) throw new ParameterError(`entities is too long (maximum is ${maxEntities})`);
  for (const [at, entity] of entities.entries()) {
    const named = (field: string) => `entities[${at}][${field}]`;
    const both = `${named('destination_slug')}, ${named('destination_name')}`;
    if (entity.destination_slug !== undefined && entity.destination_name !== undefined) {
      throw new ParameterError(`${both} are mutually exclusive`);
    }
    if (slugOf(entity) === '') throw new ParameterError(`${both} are missing, exactly one parameter must be provided`);
    if (!isRelative(entity.source_full_path)) throw new ParameterError(`${named('source_full_path')} ${relativeText}`);
    const { destination_namespace: into } = entity;
    if (into !== '' && !isRelative(into)) throw new ParameterError(`${named('destination_namespace')} ${relativeText}`);
  }
}

export const slugOf = ({ destination_slug, destination_name }: WantedEntity) =>
  destination_slug ?? destination_name ?? '';

export const typeOf = ({ source_type }: WantedEntity) => (source_type === 'group_entity' ? 'group' : 'project');

/** Checks that the caller can create the entity at its destination. */
export async function checkDestination(services: Services, caller: SignedInActor, entity: WantedEntity): Promise<void> {
  const { destination_namespace: into } = entity;
  const group = typeOf(entity) === 'group';
  if (!(await mayCreate(services, caller, entity))) {
    throw refused(`Import failed. Destination '${into}' is invalid, or you don't have permission.`);
  }
  const slug = slugOf(entity);
  const [problem] = group ? namespacePathProblems(slug, into === '') : projectPathProblems(slug);
  if (problem !== undefined) throw refused(`Import failed. Destination URL ${problem}`);
  const fullPath = into === '' ? slug : `${into}/${slug}`;
  const { read } = services.db;
  if ((await lookUpNamespace(read, fullPath)) ?? (await lookUpProject(read, fullPath))) {
    throw refused(`Import failed. '${fullPath}' already exists. Change the destination and try again.`);
  }
}

async function mayCreate(services: Services, caller: SignedInActor, entity: WantedEntity): Promise<boolean> {
  const { destination_namespace: into } = entity;
  const group = typeOf(entity) === 'group';
  if (into === '') return group && mayCreateTopLevelGroup(caller.user);
  const found = await lookUpNamespace(services.db.read, into);
  if (found?.kind !== 'group') return false;
  const subject = await groupSubject(services.db.read, caller, found);
  if (!subject.can('read_group')) return false;
  return group ? mayCreateSubgroup(subject, creationLevelsOf(found).subgroup) : mayImportInto(services, caller, found);
}

const invalidSource =
  'Check that the source instance base URL and the personal access token meet the necessary requirements.';
const switchedOff =
  'Migration by direct transfer is disabled on the source or destination instance. ' +
  'Ask an administrator to enable this feature on both instances and try again.';
const minVersion = 14;

/** Checks that the source is a supported GitLab server and the token is valid. */
export async function checkSource(client: HostClient): Promise<void> {
  const { body: version } = await requestOrRefuse(client, '/version', () => invalidSource);
  const major = versionShape.fits(version) ? Number.parseInt(version.version, 10) : Number.NaN;
  if (Number.isNaN(major)) throw refused(invalidSource);
  if (major < minVersion) {
    throw refused(`Unsupported GitLab version. Source instance must run GitLab version ${minVersion} or later.`);
  }
  const { body: token } = await requestOrRefuse(client, '/personal_access_tokens/self', () => invalidSource);
  if (!tokenShape.fits(token) || !token.scopes.includes('api')) throw refused(invalidSource);
}

/** Checks that the entity exists and can be exported with the token. */
export async function checkEntity(client: HostClient, entity: WantedEntity): Promise<void> {
  const { source_full_path: fullPath } = entity;
  const place = apiPathOf(typeOf(entity), fullPath);
  await requestOrRefuse(client, place, () => `Import failed. '${fullPath}' not found.`);
  await requestOrRefuse(client, `${place}/export_relations/status`, (status) =>
    status === 404 ? switchedOff : `Import failed. You do not have permission to export '${fullPath}'.`,
  );
}

const denials = new Set([401, 403, 404]);

async function requestOrRefuse(client: HostClient, place: string, deny: (status: number) => string) {
  try {
    return await client.get<unknown>(place, { timeoutMs: lookUpMs });
  } catch (error) {
    if (error instanceof HostError && denials.has(error.status)) throw refused(deny(error.status));
    if (error instanceof EgressRefused) throw refused(`Validation failed: Url is blocked: ${error.message}`);
    if (error instanceof RateLimited) throw refused('Import failed. The source instance is rate limiting requests.');
    const said = error instanceof HostError ? `Unsuccessful response ${error.status}` : String(error);
    throw refused(scrubUrl(`Import failed. ${said} from ${place}`));
  }
}
