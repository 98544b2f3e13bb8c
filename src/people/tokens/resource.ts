import { randomBytes } from 'node:crypto';
import { type Actor, isAdmin } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import type { GroupSubject, ProjectSubject } from '../../access/subjects.ts';
import type { User } from '../../access/tables.ts';
import type { Writer } from '../../platform/database/database.ts';
import type { Slice } from '../../platform/database/paging.ts';
import { BadRequest, HttpError, MethodNotAllowed, NotFound, Unauthorized } from '../../platform/http/errors.ts';
import { Page } from '../../platform/http/pagination.ts';
import { blankAccount, insertUser } from '../users/public.ts';
import { expiryOrNever, expiryProblem, lifetimeOf } from './expiry.ts';
import { type IssuedToken, issue, revoke } from './issue.ts';
import type { TokenFilter } from './list-query.ts';
import { rotateChecked, type TokenInput } from './personal.ts';
import { presentToken } from './present.ts';
import { findTokenOf, listTokensOf, type Resource, type ResourceTokenRow } from './resource-store.ts';
import { asSentence, tokenProblems } from './rules.ts';

export type ProjectOrGroup = ProjectSubject | GroupSubject;

const usualLevel = 40;
const highestLevel = 50;

/** The project or group whose tokens are meant. */
export function resourceOf(place: ProjectOrGroup): Resource {
  return 'project' in place ? { type: 'project', id: place.project.id } : { type: 'group', id: place.group.id };
}

/** A token of a project or group as it is shown. */
export function presentResourceToken(token: ResourceTokenRow) {
  const resource =
    token.bot_project_id === null
      ? { resource_type: 'group', resource_id: token.bot_namespace_id ?? 0 }
      : { resource_type: 'project', resource_id: token.bot_project_id };
  return { ...presentToken(token), access_level: token.access_level, ...resource };
}

export async function listResourceTokens({ db }: Services, place: ProjectOrGroup, filter: TokenFilter, slice: Slice) {
  const { rows, total } = await listTokensOf(db.read, resourceOf(place), filter, slice);
  return new Page(rows, total).map(presentResourceToken);
}

const idOf = (text: string) => (/^\d{1,15}$/.test(text) ? Number(text) : 0);

async function find({ db }: Services, place: ProjectOrGroup, id: string): Promise<ResourceTokenRow> {
  const resource = resourceOf(place);
  const token = await findTokenOf(db.read, resource, idOf(id));
  if (!token) throw new HttpError(404, { message: `404 ${resource.type} Access Token Not Found` });
  return token;
}

export async function getResourceToken(services: Services, place: ProjectOrGroup, id: string) {
  return presentResourceToken(await find(services, place, id));
}

export interface ResourceTokenInput extends TokenInput {
  readonly access_level?: number;
}

/** Makes a token of a project or group: a bot that is its member, and the bot's token. */
export async function createResourceToken(
  services: Services,
  actor: Actor,
  place: ProjectOrGroup,
  input: ResourceTokenInput,
) {
  const { scopes, access_level = usualLevel, expires_at } = input;
  if (access_level > (isAdmin(actor) ? highestLevel : place.levels.highest)) {
    throw new BadRequest('Access level of the token contains permissions not held by the creating user');
  }
  const instance = await services.settings.read();
  const life = lifetimeOf(instance);
  if (expires_at === undefined && life.required) throw new BadRequest('expires_at is missing');
  const expiresAt = expiryOrNever(expires_at, life);
  const tooFar = expiryProblem(expiresAt, life);
  if (tooFar) throw new BadRequest(`Expiration date ${tooFar}`);
  const problems = tokenProblems(input, false);
  if (Object.keys(problems).length > 0) throw new BadRequest(asSentence(problems));
  const { name, description = null } = input;
  const resource = resourceOf(place);
  const issued = await services.db.write(async (trx) => {
    const bot = await addBot(services, trx, actor.user as User, resource, name, access_level);
    return issue(services, trx, instance.personal_access_token_prefix, {
      userId: bot.id,
      name,
      description,
      scopes,
      expiresAt,
    });
  });
  return shownOnce(issued, access_level, resource);
}

async function addBot(
  services: Services,
  trx: Writer,
  creator: User,
  { type, id }: Resource,
  name: string,
  access_level: number,
): Promise<User> {
  const username = `${type}_${id}_bot_${randomBytes(16).toString('hex')}`;
  const now = Date.now();
  const bot = await insertUser(services, trx, {
    ...blankAccount,
    kind: 'project_bot',
    username,
    name,
    email: `${username}@noreply.${new URL(services.externalUrl).hostname}`,
    confirmed_at: now,
    created_by_id: creator.id,
    external: creator.external,
    can_create_group: 0,
    projects_limit: 0,
    ...(type === 'project' ? { bot_project_id: id } : { bot_namespace_id: id }),
  });
  await trx
    .insertInto('members')
    .values({
      user_id: bot.id,
      project_id: type === 'project' ? id : null,
      namespace_id: type === 'group' ? id : null,
      access_level,
      expires_at: null,
      created_by_id: creator.id,
      created_at: now,
    })
    .execute();
  return bot;
}

function shownOnce({ row, token }: IssuedToken, access_level: number, resource: Resource) {
  const where = { resource_type: resource.type, resource_id: resource.id };
  return { ...presentToken(row), access_level, ...where, token };
}

/** Who may not is told whom they cannot delete. */
export async function revokeResourceToken(
  services: Services,
  actor: Actor,
  place: ProjectOrGroup,
  id: string,
): Promise<void> {
  const token = await find(services, place, id);
  if (!place.can('admin_access_token')) throw new BadRequest(`${actor.user?.name} cannot delete ${token.bot_name}`);
  await services.db.write((trx) => revoke(trx, token.id));
}

/** Those who may not manage tokens do not learn whether there is one. */
export async function rotateResourceToken(
  services: Services,
  actor: Actor,
  place: ProjectOrGroup,
  id: string,
  expires_at: string | undefined,
) {
  const resource = resourceOf(place);
  const token = await findTokenOf(services.db.read, resource, idOf(id));
  const mayRotate = place.can('admin_access_token') && actor.user?.kind === 'human';
  if (!mayRotate || !token) throw isAdmin(actor) ? new NotFound() : new Unauthorized();
  // The answer holds the new token: whoever gets it has the bot's role.
  if (!isAdmin(actor) && token.access_level > place.levels.highest) {
    throw new BadRequest('Not eligible to rotate token with access level higher than the user');
  }
  return shownOnce(await rotateChecked(services, actor, token, expires_at), token.access_level, resource);
}

/** A bot replaces the very token it came with. */
export async function rotateOwnResourceToken(
  services: Services,
  actor: Actor,
  place: ProjectOrGroup,
  expires_at: string | undefined,
) {
  if (!actor.token || actor.user?.kind !== 'project_bot') throw new MethodNotAllowed();
  const resource = resourceOf(place);
  const token = await findTokenOf(services.db.read, resource, actor.token.id);
  if (!token) throw new Unauthorized();
  return shownOnce(await rotateChecked(services, actor, token, expires_at), token.access_level, resource);
}
