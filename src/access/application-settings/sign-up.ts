import { lengthProblem } from '../../platform/http/parameters/too-long.ts';
import { userRegexProblem } from '../../platform/user-regex.ts';
import { choiceSetting, flag, integerSettingOrNull, stringListSetting, text } from './setting.ts';

const domain = /^[^\s@,;]{1,255}$/;

const domains = (help: string) =>
  stringListSetting(help, [], (entries) => (entries.every((entry) => domain.test(entry)) ? undefined : 'is invalid'));

/** Settings of registration and its confirmation. */
export const signUp = {
  signup_enabled: flag(
    false,
    'Anyone may register at `/users/sign_up`, if web sign-in with local passwords is enabled.',
  ),
  require_admin_approval_after_user_signup: flag(
    true,
    'Registrations need approval by an administrator; administrators are emailed.',
  ),
  new_user_signups_cap: integerSettingOrNull(
    null,
    'Number of active users from which registrations need approval; null for no cap.',
  ),
  email_confirmation_setting: choiceSetting(
    ['off', 'soft', 'hard'],
    'off',
    'Whether users must confirm their address: `hard` before they can sign in, `soft` within three days, `off` never. With `off`, any address is accepted as confirmed, including for pending invitations.',
  ),
  domain_allowlist: domains(
    'Email domains that may register, such as `example.com` and `*.example.com`; empty for all.',
  ),
  domain_denylist_enabled: flag(false, 'Reject registrations from `domain_denylist`.'),
  domain_denylist: domains('Email domains that may not register.'),
  email_restrictions_enabled: flag(false, 'Reject registrations with addresses that match `email_restrictions`.'),
  email_restrictions: text('Regular expression for rejected addresses (RE2 syntax).', (source) =>
    source === null ? undefined : userRegexProblem(source),
  ),
  after_sign_up_text: text('Text shown after registration, in Markdown.', (value) => lengthProblem(value ?? '', 4000)),
};
