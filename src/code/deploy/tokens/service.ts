import type { SignedInActor } from '../../../access/actor.ts';
import { isExpired } from '../../../access/credentials/identify.ts';
import { ownerColumnsOf, type ProjectOrGroup } from '../../../access/project-or-group.ts';
import type { Services } from '../../../access/services.ts';
import type { Project } from '../../../access/tables.ts';
import type { KnownToken } from '../../../people/tokens/public.ts';
import type { Database, Reader } from '../../../platform/database/database.ts';
import type { Slice } from '../../../platform/database/paging.ts';
import { Invalid, NotFound } from '../../../platform/http/errors.ts';
import { Page } from '../../../platform/http/pages/pagination.ts';
import { lengthProblem } from '../../../platform/http/parameters/too-long.ts';
import { instant, instantOrNull } from '../../../platform/http/schema.ts';
import { digest, randomToken } from '../../../platform/secrets/tokens.ts';
import { storedStrings } from '../../../platform/stored-json.ts';
import type { DeployTokenRow } from '../tables.ts';
import { deployTokenList } from './list.ts';
import type { DeployTokenEntity } from './schema.ts';
import { deleteToken, findByDigest, insertToken, nameToken, tokenForJobs, tokensOf } from './store.ts';

function present(row: DeployTokenRow): DeployTokenEntity {
  return {
    id: row.id,
    name: row.name,
    username: row.username,
    expires_at: instantOrNull(row.expires_at),
    scopes: storedStrings(row.scopes),
    revoked: row.revoked === 1,
    expired: isExpired(row),
  };
}

/** Lists the tokens of a project or group, or of the whole instance. */
export async function listDeployTokens(
  db: Database,
  place: ProjectOrGroup | undefined,
  active: boolean | undefined,
  slice: Slice,
): Promise<Page<DeployTokenEntity>> {
  const scope = { ...(place && ownerColumnsOf(place)), now: Date.now() };
  const { rows, total } = await deployTokenList.page(db.read, scope, { active }, { by: 'id', direction: 'asc' }, slice);
  return new Page(rows, total).map(present);
}

async function find(db: Reader, place: ProjectOrGroup, id: number): Promise<DeployTokenRow> {
  const row = await tokensOf(db, place).where('id', '=', id).executeTakeFirst();
  if (!row) throw NotFound.record();
  return row;
}

export async function getDeployToken(db: Database, place: ProjectOrGroup, id: number): Promise<DeployTokenEntity> {
  return present(await find(db.read, place, id));
}

/** Parameters of a new token. */
export interface NewDeployToken {
  readonly name: string;
  readonly scopes: readonly string[];
  readonly expires_at?: number;
  readonly username?: string;
}

export const deployTokenPrefix = 'gldt-';
const maxNameLength = 255;
/** The token of this name is passed to CI jobs as variables. */
const nameForJobs = 'gitlab-deploy-token';
const sealedFor = 'deploy_tokens.sealed';

function check(params: NewDeployToken): void {
  const problems: Record<string, string[]> = {};
  const name = params.name.trim() === '' ? "can't be blank" : lengthProblem(params.name, maxNameLength);
  if (name !== undefined) problems.name = [name];
  if (params.scopes.length === 0) problems.base = ["Scopes can't be blank"];
  if (params.username && !/^[A-Za-z0-9.+_-]{1,255}$/.test(params.username)) {
    problems.username = ["can contain only letters, digits, '_', '-', '+', and '.'"];
  }
  if (Object.keys(problems).length > 0) throw new Invalid(problems);
}

/** Creates a token. Its secret is returned only here. */
export async function createDeployToken(
  { db, encryption, announce }: Services,
  actor: SignedInActor,
  place: ProjectOrGroup,
  params: NewDeployToken,
): Promise<DeployTokenEntity & { token: string }> {
  check(params);
  const token = `${deployTokenPrefix}${randomToken()}`;
  const row = await db.write(async (trx) => {
    const created = await insertToken(trx, {
      ...ownerColumnsOf(place),
      creator_id: actor.user.id,
      name: params.name.trim(),
      username: params.username ?? '',
      digest: digest(token),
      sealed: params.name.trim() === nameForJobs ? encryption.encrypt(token, sealedFor) : null,
      scopes: JSON.stringify(params.scopes),
      expires_at: params.expires_at ?? null,
      last_used_at: null,
      created_at: Date.now(),
    });
    const username = params.username || `gitlab+deploy-token-${created.id}`;
    if (!params.username) await nameToken(trx, created.id, username);
    const named = { ...created, username };
    await announce(trx, 'deploy-token.created', { token: named, by: actor.user });
    return named;
  });
  return { ...present(row), token };
}

/** Returns the deploy token that is passed to jobs of a project: that of the project, or else of its group. */
export async function deployTokenForJobs({ db, encryption }: Services, project: Project) {
  const row = await tokenForJobs(db.read, project, nameForJobs);
  return row?.sealed ? { username: row.username, token: encryption.decrypt(row.sealed, sealedFor) } : undefined;
}

export async function deleteDeployToken(
  { db, announce }: Services,
  actor: SignedInActor,
  place: ProjectOrGroup,
  id: number,
): Promise<void> {
  await remove({ db, announce }, actor, await find(db.read, place, id));
}

async function remove(
  { db, announce }: Pick<Services, 'db' | 'announce'>,
  actor: SignedInActor,
  token: DeployTokenRow,
) {
  await db.write(async (trx) => {
    await deleteToken(trx, token.id);
    await announce(trx, 'deploy-token.removed', { token, by: actor.user });
  });
}

/** Finds a deploy token by its secret. */
export async function knownDeployToken(services: Services, text: string): Promise<KnownToken | undefined> {
  const row = await findByDigest(services.db.read, digest(text));
  if (!row) return undefined;
  const entity = {
    ...present(row),
    user_id: row.creator_id,
    project_id: row.project_id,
    group_id: row.namespace_id,
    created_at: instant(row.created_at),
    last_used_at: instantOrNull(row.last_used_at),
  };
  return { entity, revoke: (by) => remove(services, by, row) };
}
