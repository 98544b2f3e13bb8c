import type { ApplicationSettings } from '../../../access/application-settings/list.ts';
import { userByLogin } from '../../../access/credentials/passwords.ts';
import { isPathTaken } from '../../../access/namespaces/addresses.ts';
import type { Services } from '../../../access/services.ts';
import type { Reader, Writer } from '../../../platform/database/database.ts';
import { uniqueViolation } from '../../../platform/database/errors.ts';
import { Invalid } from '../../../platform/http/errors.ts';
import { columnsOf } from '../accounts/columns.ts';
import { plainProfile } from '../accounts/plain-text.ts';
import { type Problems, passwordProblems, userProblems } from '../accounts/rules.ts';
import { defaultsOf } from '../accounts/service.ts';
import { blankAccount, insertUser, isUsernameTaken, type NewAccount } from '../accounts/store.ts';
import { isEmailTaken, lockEmail, ownAddress } from '../emails/store.ts';
import { initialState, isEmailAllowed } from './rules.ts';
import { countActive, lockSignUps } from './store.ts';

/** Sign-up data of a user. */
export interface SignUpInput {
  readonly name: string;
  readonly username: string;
  readonly email: string;
  readonly password: string;
}

const taken = 'has already been taken';
/** Limits the e-mails sent to the owner of an address that others sign up with. */
const emailsToOwner = { count: 5, period: 3_600_000 };

/** Whether a new sign-up needs the approval of an administrator. */
export async function needsApproval({ db, settings }: Services): Promise<boolean> {
  const rules = await settings.read();
  return initialState(rules, await activePeople(db.read, rules)) !== 'active';
}

/** Active users are counted only if there is a cap. */
async function activePeople(db: Reader, { new_user_signups_cap: cap }: ApplicationSettings): Promise<number> {
  return cap === null ? 0 : countActive(db);
}

/**
 * Registers an account. An address that is already in use is not revealed: the same work is done, and its owner gets an
 * e-mail.
 */
export async function register(services: Services, sent: SignUpInput, ip: string): Promise<void> {
  const person = plainProfile({ ...sent, email: sent.email.trim() });
  const settings = await services.settings.read();
  const problems = await problemsOf(services.db.read, person, settings);
  if (Object.keys(problems).length > 0) throw new Invalid(problems);
  const row = rowOf(person, await services.passwords.hash(person.password), settings);
  const emailLimit = await services.limits.count('sign_up_letters', row.email.toLowerCase(), emailsToOwner);
  const add = () =>
    services.db.write(async (trx) => {
      await lockEmail(trx, row.email);
      if (!(await isEmailTaken(trx, row.email))) await insert(services, trx, row, settings, ip);
      else if (!emailLimit.exceeded) await notifyOwner(services, trx, row.email);
    });
  await add().catch(async (error: unknown) => {
    const broken = uniqueViolation(error);
    if (broken?.constraint === 'users_username' || broken?.table === 'routes') throw new Invalid({ username: [taken] });
    // Another user got the address meanwhile.
    if (broken?.constraint === 'users_email' || broken?.constraint === 'emails_email') return add();
    throw error;
  });
}

async function problemsOf(db: Reader, person: SignUpInput, settings: ApplicationSettings): Promise<Problems> {
  const { name, username, email, password } = person;
  const problems = userProblems({ name, username, email });
  // Control characters cannot be stored in every database.
  if (/\p{Cc}/u.test(name)) problems.name = ['is invalid'];
  if (!problems.username && ((await isPathTaken(db, username)) || (await isUsernameTaken(db, username)))) {
    problems.username = [taken];
  }
  if (!problems.email && !isEmailAllowed(email, settings)) problems.email = ['is not allowed for sign-up'];
  const wrong = passwordProblems(password, person, settings);
  if (wrong.length > 0) problems.password = wrong;
  return problems;
}

function rowOf(
  { username, name, email }: SignUpInput,
  password_digest: string,
  settings: ApplicationSettings,
): NewAccount {
  return {
    ...blankAccount,
    ...columnsOf(defaultsOf(settings)),
    username,
    name: name.trim(),
    email,
    password_digest,
    confirmed_at: settings.email_confirmation_setting === 'off' ? Date.now() : null,
  };
}

async function insert(
  services: Services,
  trx: Writer,
  row: NewAccount,
  settings: ApplicationSettings,
  ip: string,
): Promise<void> {
  if (settings.new_user_signups_cap !== null) await lockSignUps(trx);
  const state = initialState(settings, await activePeople(trx, settings));
  const user = await insertUser(services, trx, { ...row, state });
  await services.announce(trx, 'user.signed_up', { user, ip });
}

async function notifyOwner(services: Services, trx: Writer, email: string): Promise<void> {
  const user = await userByLogin(trx, email);
  if (!user) return;
  const to = await ownAddress(trx, user, email);
  if (to !== undefined) await services.announce(trx, 'sign-up.repeated', { user, email: to });
}
