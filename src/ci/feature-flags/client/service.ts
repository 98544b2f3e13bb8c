import type { Services } from '../../../access/services.ts';
import { projectById } from '../../../access/subject-queries.ts';
import { featureLevel, type ProjectSubject } from '../../../access/subjects.ts';
import type { Project } from '../../../access/tables.ts';
import { Forbidden, Unauthorized } from '../../../platform/http/errors.ts';
import { digest, randomToken, safeEqual } from '../../../platform/secrets/tokens.ts';
import { scopeRank } from '../../variables/public.ts';
import { flagsOf, strategiesOf } from '../flags/store.ts';
import type { Strategy } from '../flags/strategy.ts';
import type { ClientEntity, UnleashFeatureEntity, UnleashFeaturesEntity } from './schema.ts';
import * as store from './store.ts';

const purpose = 'feature_flags.client_token';

function newClient({ encryption }: Services, projectId: number) {
  const token = `glffct-${randomToken()}`;
  return { project_id: projectId, token_digest: digest(token), encrypted_token: encryption.encrypt(token, purpose) };
}

function present({ encryption, externalUrl }: Services, client: ReturnType<typeof newClient>): ClientEntity {
  return {
    api_url: `${externalUrl}/api/v4/feature_flags/unleash/${client.project_id}`,
    instance_id: encryption.decrypt(client.encrypted_token, purpose),
  };
}

/** Returns the client settings of a project. The token is created on first use. */
export async function getClient(services: Services, { project }: ProjectSubject): Promise<ClientEntity> {
  const existing = await store.findClient(services.db.read, project.id);
  if (existing) return present(services, existing);
  const created = await services.db.write((trx) => store.ensureClient(trx, newClient(services, project.id)));
  return present(services, created);
}

/** Replaces the client token; the old one is rejected immediately. */
export async function resetToken(services: Services, { project }: ProjectSubject): Promise<ClientEntity> {
  const client = newClient(services, project.id);
  await services.db.write((trx) => store.replaceClient(trx, client));
  return present(services, client);
}

/** Authenticates an application. Unknown projects and wrong tokens get the same response. */
export async function projectOfToken({ db }: Services, id: string, token: string | undefined): Promise<Project> {
  const number = /^\d{1,15}$/.test(id) ? Number(id) : 0;
  const client = token === undefined ? undefined : await store.findClient(db.read, number);
  const existing = client !== undefined && safeEqual(client.token_digest, digest(token ?? ''));
  const project = existing ? await projectById.first(db.read, { id: number }) : undefined;
  if (!project) throw new Unauthorized();
  if (featureLevel(project, 'feature_flags') === 0) throw new Forbidden();
  return project;
}

/** Returns the flags with a strategy that applies to the environment. */
export async function features(
  { db }: Services,
  project: Project,
  environment: string | undefined,
): Promise<UnleashFeaturesEntity> {
  if (!environment) return { version: 1, features: [] };
  const flags = await flagsOf(db.read, project.id);
  const ids = flags.map(({ id }) => id);
  const applies = ({ scopes }: Strategy) =>
    scopes.some(({ environment_scope }) => scopeRank(environment_scope, environment) !== null);
  const strategies = Map.groupBy((await strategiesOf(db.read, ids)).filter(applies), ({ flag_id }) => flag_id);
  return {
    version: 1,
    features: flags.flatMap(({ id, name, description, active }) => {
      const own = strategies.get(id);
      const optionalDescription = description === null ? {} : { description };
      return own ? { name, ...optionalDescription, enabled: active === 1, strategies: own.map(unleashStrategy) } : [];
    }),
  };
}

/** The Unleash protocol has no user lists, so they are sent as `userWithId`. */
function unleashStrategy({ name, parameters, userList }: Strategy): UnleashFeatureEntity['strategies'][number] {
  return userList ? { name: 'userWithId', parameters: { userIds: userList.user_xids } } : { name, parameters };
}
