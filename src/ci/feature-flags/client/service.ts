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

/** What applications are configured with; the token is made when it is first asked for. */
export async function getClient(services: Services, { project }: ProjectSubject): Promise<ClientEntity> {
  const known = await store.findClient(services.db.read, project.id);
  if (known) return present(services, known);
  const made = await services.db.write((trx) => store.ensureClient(trx, newClient(services, project.id)));
  return present(services, made);
}

/** Another token in the place of the old one, which is refused from then on. */
export async function resetToken(services: Services, { project }: ProjectSubject): Promise<ClientEntity> {
  const client = newClient(services, project.id);
  await services.db.write((trx) => store.replaceClient(trx, client));
  return present(services, client);
}

/** The project whose flags an application may read; whether there is such a project it is not told. */
export async function projectOfToken({ db }: Services, id: string, token: string | undefined): Promise<Project> {
  const number = /^\d{1,15}$/.test(id) ? Number(id) : 0;
  const client = token === undefined ? undefined : await store.findClient(db.read, number);
  const known = client !== undefined && safeEqual(client.token_digest, digest(token ?? ''));
  const project = known ? await projectById.first(db.read, { id: number }) : undefined;
  if (!project) throw new Unauthorized();
  if (featureLevel(project, 'feature_flags') === 0) throw new Forbidden();
  return project;
}

/** What an Unleash client decides by: the flags that a strategy speaks of in this environment. */
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
      const told = description === null ? {} : { description };
      return own ? { name, ...told, enabled: active === 1, strategies: own.map(unleashStrategy) } : [];
    }),
  };
}

/** Clients know nothing of lists: to them it is the users on it. */
function unleashStrategy({ name, parameters, userList }: Strategy): UnleashFeatureEntity['strategies'][number] {
  return userList ? { name: 'userWithId', parameters: { userIds: userList.user_xids } } : { name, parameters };
}
