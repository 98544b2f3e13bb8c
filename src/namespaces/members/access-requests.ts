import type { Actor } from '../../access/actor.ts';
import { findUser } from '../../access/identify.ts';
import {
  belongs,
  columnsOf,
  isProject,
  type OwnerColumns,
  type ProjectOrGroup,
} from '../../access/project-or-group.ts';
import type { Services } from '../../access/services.ts';
import { settingsOf } from '../../access/subjects.ts';
import type { AccessRequestsTable, User } from '../../access/tables.ts';
import { type BasicUserEntity, basicUsers } from '../../people/users/public.ts';
import type { Reader, Writer } from '../../platform/database/database.ts';
import { uniqueViolation } from '../../platform/database/errors.ts';
import { form } from '../../platform/database/form.ts';
import { shapedList } from '../../platform/database/shaped.ts';
import { Conflict, Forbidden, Invalid, NotFound } from '../../platform/http/errors.ts';
import { Page, type PageRequest } from '../../platform/http/pagination.ts';
import { instant } from '../../platform/http/schema.ts';
import { checkGroupRules } from './group-rules.ts';
import { getMember } from './list.ts';
import { checkGrant, checkInherited, checkLevel } from './rules.ts';
import type { AccessRequestEntity, MemberEntity } from './schema.ts';
import { directMember, holdPlace, insertMember } from './store.ts';

type RequestRow = Pick<AccessRequestsTable, 'user_id' | 'requested_at'>;

async function present({ db, externalUrl }: Services, rows: readonly RequestRow[]): Promise<AccessRequestEntity[]> {
  const users = await basicUsers(
    db.read,
    rows.map((row) => row.user_id),
    externalUrl,
  );
  return rows.map((row) => ({
    ...(users.get(row.user_id) as BasicUserEntity),
    requested_at: instant(row.requested_at),
  }));
}

type RequestQuestion = OwnerColumns & { readonly user?: number };

const requestsIn = shapedList(
  form<RequestQuestion>()({ values: ['namespace_id', 'project_id', 'user'] }),
  (db, { user, ...place }) => {
    const query = db.selectFrom('access_requests').selectAll().where(belongs('access_requests', place)).orderBy('id');
    return user ? query.where('user_id', '=', user) : query;
  },
);

/** Who asks to become a member. */
export async function listAccessRequests(
  services: Services,
  place: ProjectOrGroup,
  page: PageRequest,
): Promise<Page<AccessRequestEntity>> {
  const { rows, total } = await requestsIn.page(services.db.read, columnsOf(place), page);
  return new Page(await present(services, rows), total);
}

/** Asks for a role on behalf of the caller, where the place takes requests and they have none. */
export async function requestAccess(
  services: Services,
  actor: Actor,
  place: ProjectOrGroup,
): Promise<AccessRequestEntity> {
  const user = actor.user as User;
  const { request_access_enabled: enabled } = settingsOf(isProject(place) ? place.project : place.group);
  if (enabled === false || place.levels.highest > 0 || !place.can('request_access')) throw new Forbidden();
  const row = { ...columnsOf(place), user_id: user.id, requested_at: Date.now() };
  await services.db
    .write(async (trx) => {
      await holdPlace(trx, place);
      if (await directMember(trx, place, user.id)) throw new Forbidden();
      await trx.insertInto('access_requests').values(row).execute();
    })
    .catch((error: unknown) => {
      throw uniqueViolation(error) ? new Invalid({ user_id: ['has already been taken'] }) : error;
    });
  const [request] = await present(services, [row]);
  return request as AccessRequestEntity;
}

async function findRequest(db: Reader, place: ProjectOrGroup, userId: number) {
  const found = await requestsIn.first(db, { ...columnsOf(place), user: userId });
  if (!found) throw NotFound.record();
  return found;
}

/** Takes a request for an answer: of two who answer at once, the second finds none. */
async function takeRequest(trx: Writer, place: ProjectOrGroup, userId: number): Promise<void> {
  await holdPlace(trx, place);
  const { id } = await findRequest(trx, place, userId);
  await trx.deleteFrom('access_requests').where('id', '=', id).execute();
}

/** Grants a request: the one who asked becomes a member. */
export async function approveAccessRequest(
  services: Services,
  actor: Actor,
  place: ProjectOrGroup,
  userId: number,
  access_level: number,
): Promise<MemberEntity> {
  const approve = async (trx: Writer) => {
    await takeRequest(trx, place, userId);
    checkLevel(place, access_level);
    checkGrant(place, access_level);
    await checkInherited(trx, place, userId, access_level);
    const user = await findUser(trx, userId);
    await checkGroupRules(trx, place, user?.kind === 'human' ? user.email : undefined);
    const created_by_id = actor.user?.id ?? null;
    await insertMember(trx, columnsOf(place), { user_id: userId, access_level, expires_at: null, created_by_id });
  };
  await services.db.write(approve).catch((error: unknown) => {
    throw uniqueViolation(error) ? new Conflict('Member already exists') : error;
  });
  return getMember(services, actor, place, userId);
}

/** Refuses a request, or takes one's own back. */
export async function denyAccessRequest(
  { db }: Services,
  actor: Actor,
  place: ProjectOrGroup,
  userId: number,
): Promise<void> {
  await findRequest(db.read, place, userId);
  if (actor.user?.id !== userId && !place.can('admin_member')) throw new Forbidden();
  await db.write((trx) => takeRequest(trx, place, userId));
}
