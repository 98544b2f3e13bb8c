import { randomBytes } from 'node:crypto';
import type { Services } from '../../../access/services.ts';
import type { User } from '../../../access/tables.ts';
import { lockRow } from '../../../platform/database/locks.ts';
import { Invalid, NotFound } from '../../../platform/http/errors.ts';
import { addressProblems, checkAvailability, claimEmail, convertUniqueViolation } from '../accounts/availability.ts';
import { withoutTags } from '../accounts/plain-text.ts';
import { userProblems } from '../accounts/rules.ts';
import { blankAccount, changeUser, insertUser } from '../accounts/store.ts';

/** Attributes that can be chosen for a service account; the others are generated. */
export interface ServiceAccountInput {
  readonly name?: string;
  readonly username?: string;
  readonly email?: string;
}

/** The group or project of the account; the instance if neither is set. */
export interface ServiceAccountHome {
  readonly provisioned_by_group_id?: number;
  readonly bot_project_id?: number;
}

/** Generates a unique username such as `service_account_group_345_…`. */
function usernameFor({ provisioned_by_group_id: group, bot_project_id: project }: ServiceAccountHome): string {
  const place = group === undefined ? (project === undefined ? '' : `project_${project}_`) : `group_${group}_`;
  return `service_account_${place}${randomBytes(16).toString('hex')}`;
}

async function check({ db }: Services, input: ServiceAccountInput, of?: User): Promise<void> {
  await checkAvailability(db.read, input, of?.id);
  const renamed = input.username !== undefined && input.username.toLowerCase() !== of?.username.toLowerCase();
  const taken = renamed ? await addressProblems(db.read, input.username ?? '') : {};
  const problems = { ...taken, ...userProblems(input) };
  if (Object.keys(problems).length > 0) throw new Invalid(problems);
}

const plainly = (input: ServiceAccountInput): ServiceAccountInput =>
  input.name === undefined ? input : { ...input, name: withoutTags(input.name).trim() };

/** Creates an account without a password, usable with tokens and keys only. */
export async function createServiceAccount(
  services: Services,
  by: User,
  home: ServiceAccountHome,
  sent: ServiceAccountInput,
): Promise<User> {
  const { username = usernameFor(home), ...input } = plainly(sent);
  const host = new URL(services.externalUrl).hostname;
  const { name = 'Service account user', email = `${username}@noreply.${host}` } = input;
  await check(services, { name, username, email });
  const row = {
    ...blankAccount,
    ...home,
    kind: 'service_account',
    username,
    name,
    email,
    confirmed_at: Date.now(),
    created_by_id: by.id,
    can_create_group: 0,
    projects_limit: 0,
  } as const;
  try {
    return await services.db.write(async (trx) => {
      await claimEmail(trx, email);
      return insertUser(services, trx, row);
    });
  } catch (error) {
    throw convertUniqueViolation(error);
  }
}

export async function changeServiceAccount(
  services: Services,
  account: User,
  sent: ServiceAccountInput,
): Promise<User> {
  const change = plainly(sent);
  await check(services, change, account);
  try {
    return await services.db.write(async (trx) => {
      if (change.email !== undefined) await claimEmail(trx, change.email, account.id);
      const present = await lockRow(trx, 'users', account.id);
      if (!present) throw new NotFound('User');
      return changeUser(services, trx, present, { ...change });
    });
  } catch (error) {
    throw convertUniqueViolation(error);
  }
}
