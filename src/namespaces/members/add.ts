import type { Actor } from '../../access/actor.ts';
import { readExpiry } from '../../access/expiry.ts';
import { findUser, findUserByName } from '../../access/identify.ts';
import { columnsOf, isProject, type ProjectOrGroup } from '../../access/project-or-group.ts';
import type { Services } from '../../access/services.ts';
import type { User } from '../../access/tables.ts';
import type { Reader } from '../../platform/database/database.ts';
import { uniqueViolation } from '../../platform/database/errors.ts';
import { Conflict, HttpError, Invalid, NotFound } from '../../platform/http/errors.ts';
import { checkGroupRules } from './group-rules.ts';
import { getMember } from './list.ts';
import { checkGrant, checkInherited, checkLevel } from './rules.ts';
import type { MemberEntity } from './schema.ts';
import { directMember, holdPlace, insertMember } from './store.ts';
import { sentence, why } from './wording.ts';

/** The role that is to be given, and until when. */
export interface Grant {
  readonly access_level: number;
  readonly expires_at?: string | null;
}

export interface Addition extends Grant {
  readonly user_id?: string;
  readonly username?: string;
}

async function userNamed(db: Reader, { user_id, username }: Addition): Promise<User> {
  const byNumber = user_id !== undefined && /^\d{1,15}$/.test(user_id.trim());
  const user = byNumber
    ? await findUser(db, Number(user_id))
    : username !== undefined
      ? await findUserByName(db, username.trim())
      : undefined;
  if (!user || user.kind === 'ghost') throw new NotFound('User');
  return user;
}

/** `POST /members`: one person, or several separated by commas. */
export async function addMembers(
  services: Services,
  actor: Actor,
  place: ProjectOrGroup,
  wanted: Addition,
): Promise<MemberEntity | { status: string; message?: string }> {
  const named = wanted.user_id ?? wanted.username ?? '';
  if (!named.includes(',')) {
    const user = await userNamed(services.db.read, wanted);
    await addMember(services, actor, place, user, wanted);
    return getMember(services, actor, place, user.id, 'written');
  }
  const problems: string[] = [];
  for (const name of new Set(
    named
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== ''),
  )) {
    const one = wanted.user_id === undefined ? { ...wanted, username: name } : { ...wanted, user_id: name };
    const problem = await tryToAdd(services, actor, place, one, name);
    if (problem !== undefined) problems.push(problem);
  }
  return problems.length === 0 ? { status: 'success' } : { status: 'error', message: sentence(problems) };
}

async function tryToAdd(services: Services, actor: Actor, place: ProjectOrGroup, wanted: Addition, name: string) {
  let label = name;
  try {
    const user = await userNamed(services.db.read, wanted);
    label = user.username;
    await addMember(services, actor, place, user, wanted);
    return undefined;
  } catch (error) {
    if (!(error instanceof HttpError)) throw error;
    return `${label}: ${why(error)}`;
  }
}

/** Makes a user a member, by every rule of the place. */
export async function addMember(
  { db }: Services,
  actor: Actor,
  place: ProjectOrGroup,
  user: User,
  grant: Grant,
): Promise<void> {
  checkLevel(place, grant.access_level);
  checkGrant(place, grant.access_level);
  const expires_at = readExpiry(grant.expires_at);
  checkBot(place, user);
  await db
    .write(async (trx) => {
      await holdPlace(trx, place);
      if (await directMember(trx, place, user.id)) throw new Conflict('Member already exists');
      await checkInherited(trx, place, user.id, grant.access_level);
      await checkGroupRules(trx, place, user.kind === 'human' ? user.email : undefined);
      await insertMember(trx, columnsOf(place), {
        user_id: user.id,
        access_level: grant.access_level,
        expires_at,
        created_by_id: actor.user?.id ?? null,
      });
    })
    .catch((error: unknown) => {
      throw uniqueViolation(error) ? new Conflict('Member already exists') : error;
    });
}

/** The bot of an access token belongs where the token does. */
function checkBot(place: ProjectOrGroup, user: User): void {
  if (user.kind !== 'project_bot') return;
  const own = isProject(place) ? user.bot_project_id === place.project.id : user.bot_namespace_id === place.group.id;
  if (!own) throw new Invalid({ user_id: ['project bots cannot be added to other groups / projects'] });
}
