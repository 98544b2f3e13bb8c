import { blankAccount, insertUser } from '../../access/accounts.ts';
import type { ApplicationSettings } from '../../access/application-settings/list.ts';
import type { Services } from '../../access/services.ts';
import type { User } from '../../access/tables.ts';
import type { Writer } from '../../platform/database/database.ts';
import { Invalid } from '../../platform/http/errors.ts';
import type { UploadedFile } from '../../platform/http/upload.ts';
import { changeAvatar } from '../avatars/public.ts';
import { addressProblems, asRefusal, claimEmail, refuseTaken } from './conflicts.ts';
import { setIdentity } from './identities.ts';
import { type Problems, passwordProblems, userProblems } from './rules.ts';
import { columnsOf, profileLinks, type Settable } from './settable.ts';
import { privateEmail } from './views.ts';

/** A user to be made; the names are those of the API. */
export interface NewUserInput extends Settable {
  readonly email: string;
  readonly name: string;
  readonly username: string;
  readonly password?: string;
  /** Nobody is to know the password: it is set later. */
  readonly reset_password?: boolean;
  readonly force_random_password?: boolean;
  /** The address counts as confirmed. */
  readonly skip_confirmation?: boolean;
  readonly avatar?: UploadedFile | '' | null;
}

/** Makes a user as an administrator does, who is named by number where there is one. */
export async function createUserAsAdmin(
  services: Services,
  input: NewUserInput,
  createdBy: number | null = null,
): Promise<User> {
  const { db } = services;
  const settings = await services.settings.read();
  await refuseTaken(db.read, input);
  const problems: Problems = {
    ...(await addressProblems(db.read, input.username)),
    ...userProblems({ ...input, ...profileLinks(input) }),
    ...ownEmailProblems(input, new Set([input.email.toLowerCase()])),
  };
  const password = input.reset_password || input.force_random_password ? undefined : input.password;
  if (password !== undefined) {
    const wrong = passwordProblems(password, input, settings.minimum_password_length);
    if (wrong.length > 0) problems.password = wrong;
  }
  if (Object.keys(problems).length > 0) throw new Invalid(problems);
  const password_digest = password === undefined ? null : await services.passwords.hash(password);
  const row = {
    ...blankAccount,
    ...columnsOf({ ...defaultsOf(settings), ...input }),
    username: input.username,
    name: input.name.trim(),
    email: input.email,
    password_digest,
    confirmed_at: input.skip_confirmation ? Date.now() : null,
    created_by_id: createdBy,
  };
  return changeAvatar(services, input.avatar || undefined, null, async (avatar) => {
    try {
      return await db.write((trx) => insert(trx, { ...row, ...avatar }, input, settings));
    } catch (error) {
      throw asRefusal(error);
    }
  });
}

async function insert(
  trx: Writer,
  row: Parameters<typeof insertUser>[1],
  input: Settable,
  { default_branch_protection }: ApplicationSettings,
): Promise<User> {
  await claimEmail(trx, row.email);
  const user = await insertUser(trx, row);
  if (default_branch_protection !== fullProtection) {
    const settings = JSON.stringify({ default_branch_protection });
    await trx.updateTable('namespaces').set({ settings }).where('owner_id', '=', user.id).execute();
  }
  if (input.provider && input.extern_uid) await setIdentity(trx, user.id, input.provider, input.extern_uid);
  return user;
}

/** What a namespace that says nothing has. */
const fullProtection = 2;

/** What an account is like when nothing is said about it. */
function defaultsOf(settings: ApplicationSettings): Settable {
  return {
    projects_limit: settings.default_projects_limit,
    can_create_group: settings.can_create_group,
    external: settings.user_default_external,
    private_profile: settings.user_defaults_to_private_profile,
  };
}

/** Only an address of one's own may be shown, or stand in commits. */
export function ownEmailProblems(
  wanted: { public_email?: string; commit_email?: string },
  own: ReadonlySet<string>,
): Problems {
  const problems: Problems = {};
  for (const key of ['public_email', 'commit_email'] as const) {
    const email = wanted[key];
    if (!email || (key === 'commit_email' && email === privateEmail) || own.has(email.toLowerCase())) continue;
    problems[key] = ['is not an email you own'];
  }
  return problems;
}
