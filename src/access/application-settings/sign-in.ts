import { flag, integerSetting, integerSettingOrNull, stringListSetting, text } from './setting.ts';

const required = (what: string) => flag(false, `New passwords must contain ${what}.`);

const isAddress = (value: string | null) =>
  value === null || value === '' || /^\/(?!\/)/.test(value) || (URL.canParse(value) && /^https?:/i.test(value));

/** Maximum length; while terms are enforced, every request reads them. */
const maxTermsLength = 100_000;

/** Settings of web sign-in, sessions and password requirements. */
export const signIn = {
  password_authentication_enabled_for_web: flag(
    true,
    'Users sign in to the web with a local password; LDAP accounts always sign in with theirs.',
  ),
  disable_password_authentication_for_users_with_sso_identities: flag(
    false,
    'Users connected with a provider can only sign in through it; their passwords are not accepted, for Git either.',
  ),
  disabled_oauth_sign_in_sources: stringListSetting('Names of providers whose sign-in is disabled.'),
  password_number_required: required('a digit'),
  password_symbol_required: required('a character that is neither letter nor digit'),
  password_uppercase_required: required('an uppercase letter'),
  password_lowercase_required: required('a lowercase letter'),
  max_login_attempts: integerSettingOrNull(
    null,
    'Consecutive wrong passwords that lock an account; null for the startup setting.',
    [1, 10_000],
  ),
  failed_login_attempts_unlock_period_in_minutes: integerSettingOrNull(
    null,
    'Minutes for which the lock lasts; null for the startup setting.',
    [1, 525_600],
  ),
  session_expire_delay: integerSetting(10_080, 'Minutes after which an unused session ends.', [1, 525_600]),
  session_expire_from_init: flag(false, 'Count those minutes from the sign-in instead.'),
  remember_me_enabled: flag(true, 'Offer "Remember me" for two weeks.'),
  require_two_factor_authentication: flag(false, 'Require two-factor authentication for all users.'),
  require_admin_two_factor_authentication: flag(false, 'Require two-factor authentication for administrators.'),
  enforce_terms: flag(
    false,
    'Users must accept `terms` in a browser first, and again when they change; the API and Git are unavailable until then.',
  ),
  terms: text('Terms of use, in Markdown.', (terms) =>
    terms !== null && terms.length > maxTermsLength
      ? `is too long (maximum is ${maxTermsLength} characters)`
      : undefined,
  ),
  two_factor_grace_period: integerSetting(48, 'Grace period for that in hours, from the first notice.'),
  user_oauth_applications: flag(true, 'Users may create their own OAuth applications.'),
  disable_admin_oauth_scopes: flag(false, 'Untrusted OAuth applications can only read the identity of administrators.'),
  after_sign_out_path: text('Redirect after sign-out; null for the sign-in page.', (path) =>
    isAddress(path) ? undefined : 'is invalid',
  ),
  home_page_url: text('Redirect for signed-out visitors of the home page.', (path) =>
    isAddress(path) ? undefined : 'is invalid',
  ),
};
