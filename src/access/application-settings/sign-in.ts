import { flag, names, text, whole, wholeOrNull } from './setting.ts';

const required = (what: string) => flag(false, `A new password must hold ${what}.`);

const isAddress = (value: string | null) =>
  value === null || value === '' || /^\/(?!\/)/.test(value) || (URL.canParse(value) && /^https?:/i.test(value));

/** They are looked at by every request while people have to accept them. */
const longestTerms = 100_000;

/** How people sign in to the pages, for how long, and what their passwords have to be. */
export const signIn = {
  password_authentication_enabled_for_web: flag(
    true,
    'People sign in to the pages with a password that is kept here; accounts of a directory always do.',
  ),
  disable_password_authentication_for_users_with_sso_identities: flag(
    false,
    'Whose account is connected with a provider signs in through it alone, never with a password; git takes none of theirs either.',
  ),
  disabled_oauth_sign_in_sources: names('Providers, by their names, through which nobody signs in for the time being.'),
  password_number_required: required('a digit'),
  password_symbol_required: required('a character that is neither letter nor digit'),
  password_uppercase_required: required('an uppercase letter'),
  password_lowercase_required: required('a lowercase letter'),
  max_login_attempts: wholeOrNull(
    null,
    'Wrong passwords in a row before a lock; null for the number that the server was started with.',
    [1, 10_000],
  ),
  failed_login_attempts_unlock_period_in_minutes: wholeOrNull(
    null,
    'Minutes for which such a lock lasts; null for the time that the server was started with.',
    [1, 525_600],
  ),
  session_expire_delay: whole(10_080, 'Minutes after which a session that is not used ends.', [1, 525_600]),
  session_expire_from_init: flag(false, 'They count from its beginning, used or not.'),
  remember_me_enabled: flag(true, 'People may have their browser remembered for two weeks.'),
  require_two_factor_authentication: flag(false, 'Everybody must have a second factor.'),
  require_admin_two_factor_authentication: flag(false, 'Administrators must have a second factor.'),
  enforce_terms: flag(
    false,
    'Everybody must accept `terms` in a browser before anything else, and again when they change; the API and git wait for it.',
  ),
  terms: text('Terms of use, in Markdown.', (terms) =>
    terms !== null && terms.length > longestTerms ? `is too long (maximum is ${longestTerms} characters)` : undefined,
  ),
  two_factor_grace_period: whole(48, 'Hours for which people may put that off, from when they are first told.'),
  user_oauth_applications: flag(true, 'People may make OAuth applications of their own.'),
  disable_admin_oauth_scopes: flag(
    false,
    'No OAuth application gets more of an administrator than who they are, but those that are trusted.',
  ),
  after_sign_out_path: text('Where people come to who sign out; null for where they sign in.', (path) =>
    isAddress(path) ? undefined : 'is invalid',
  ),
  home_page_url: text('Where who is not signed in is sent from the first page.', (path) =>
    isAddress(path) ? undefined : 'is invalid',
  ),
};
