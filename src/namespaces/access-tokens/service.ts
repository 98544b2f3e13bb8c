import { randomBytes } from 'node:crypto';
import { type Actor, isAdmin, type SignedInActor } from '../../access/actor.ts';
import { isProject, type ProjectOrGroup } from '../../access/project-or-group.ts';
import type { Services } from '../../access/services.ts';
import type { User } from '../../access/tables.ts';
import {
  asSentence,
  expiryOrNever,
  expiryProblem,
  type IssuedToken,
  issueToken,
  lifetimeOf,
  presentToken,
  revokeToken,
  rotateToken,
  type TokenInput,
  type TokenListParams,
  tokenOrder,
  tokenProblems,
} from '../../people/tokens/public.ts';
import { blankAccount, insertUser } from '../../people/users/public.ts';
import type { Writer } from '../../platform/database/database.ts';
import type { Slice } from '../../platform/database/paging.ts';
import { BadRequest, HttpError, MethodNotAllowed, NotFound, Unauthorized } from '../../platform/http/errors.ts';
import { Page } from '../../platform/http/pages/pagination.ts';
import { addBotMember, mayGrant } from '../members/public.ts';
import { findTokenOf, type Resource, type ResourceTokenRow, resourceTokens } from './list.ts';
import { presentResourceToken } from './present.ts';

const defaultLevel = 40;

function resourceOf(subject: ProjectOrGroup): Resource {
  return isProject(subject) ? { type: 'project', id: subject.project.id } : { type: 'group', id: subject.group.id };
}

export async function listResourceTokens(
  { db }: Services,
  subject: ProjectOrGroup,
  { sort, ...filters }: TokenListParams,
  slice: Slice,
) {
  const { type, id } = resourceOf(subject);
  const scope = { of: type, id, now: Date.now() };
  const { rows, total } = await resourceTokens.page(db.read, scope, filters, tokenOrder(sort), slice);
  return new Page(rows, total).map(presentResourceToken);
}

const idOf = (text: string) => (/^\d{1,15}$/.test(text) ? Number(text) : 0);

async function find({ db }: Services, subject: ProjectOrGroup, id: string): Promise<ResourceTokenRow> {
  const resource = resourceOf(subject);
  const token = await findTokenOf(db.read, resource, idOf(id));
  if (!token) throw new HttpError(404, { message: `404 ${resource.type} Access Token Not Found` });
  return token;
}

export async function getResourceToken(services: Services, subject: ProjectOrGroup, id: string) {
  return presentResourceToken(await find(services, subject, id));
}

export interface ResourceTokenInput extends TokenInput {
  readonly access_level?: number;
}

/** Creates a project or group access token: a bot user, its membership and its token. */
export async function createResourceToken(
  services: Services,
  actor: SignedInActor,
  subject: ProjectOrGroup,
  input: ResourceTokenInput,
) {
  const { scopes, access_level = defaultLevel, expires_at } = input;
  if (!mayGrant(subject.standing, access_level)) {
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
  const resource = resourceOf(subject);
  const issued = await services.db.write(async (trx) => {
    const bot = await addBot(services, trx, actor.user, subject, name, access_level);
    return issueToken(services, trx, instance.personal_access_token_prefix, {
      userId: bot.id,
      name,
      description,
      scopes,
      expiresAt,
      by: actor.user,
    });
  });
  return shownOnce(issued, access_level, resource);
}

async function addBot(
  services: Services,
  trx: Writer,
  creator: User,
  subject: ProjectOrGroup,
  name: string,
  access_level: number,
): Promise<User> {
  const { type, id } = resourceOf(subject);
  const username = `${type}_${id}_bot_${randomBytes(16).toString('hex')}`;
  const bot = await insertUser(services, trx, {
    ...blankAccount,
    kind: 'project_bot',
    username,
    name,
    email: `${username}@noreply.${new URL(services.externalUrl).hostname}`,
    confirmed_at: Date.now(),
    created_by_id: creator.id,
    external: creator.external,
    can_create_group: 0,
    projects_limit: 0,
    ...(type === 'project' ? { bot_project_id: id } : { bot_namespace_id: id }),
  });
  await addBotMember(services, trx, subject, bot, access_level, creator);
  return bot;
}

function shownOnce({ row, token }: IssuedToken, access_level: number, resource: Resource) {
  const where = { resource_type: resource.type, resource_id: resource.id };
  return { ...presentToken(row), access_level, ...where, token };
}

/** Revokes a token. The error for callers without permission names the bot. */
export async function revokeResourceToken(
  services: Services,
  actor: Actor,
  subject: ProjectOrGroup,
  id: string,
): Promise<void> {
  const token = await find(services, subject, id);
  if (!subject.can('admin_access_token')) throw new BadRequest(`${actor.user?.name} cannot delete ${token.bot_name}`);
  await services.db.write((trx) => revokeToken(services, trx, token.id, actor.user));
}

/** Rotates a token. Callers who may not manage tokens get the same answer whether or not the token exists. */
export async function rotateResourceToken(
  services: Services,
  actor: Actor,
  subject: ProjectOrGroup,
  id: string,
  expires_at: string | undefined,
) {
  const resource = resourceOf(subject);
  const token = await findTokenOf(services.db.read, resource, idOf(id));
  const mayRotate = subject.can('admin_access_token') && actor.user?.kind === 'human';
  if (!mayRotate || !token) throw isAdmin(actor) ? new NotFound() : new Unauthorized();
  // The response contains the new token, so it grants the caller the role of the bot.
  if (!mayGrant(subject.standing, token.access_level)) {
    throw new BadRequest('Not eligible to rotate token with access level higher than the user');
  }
  return shownOnce(await rotateToken(services, actor, token, expires_at), token.access_level, resource);
}

/** Rotates the token that authenticated the request, which must belong to a bot. */
export async function rotateOwnResourceToken(
  services: Services,
  actor: Actor,
  subject: ProjectOrGroup,
  expires_at: string | undefined,
) {
  if (!actor.token || actor.user?.kind !== 'project_bot') throw new MethodNotAllowed();
  const resource = resourceOf(subject);
  const token = await findTokenOf(services.db.read, resource, actor.token.id);
  if (!token) throw new Unauthorized();
  return shownOnce(await rotateToken(services, actor, token, expires_at), token.access_level, resource);
}
