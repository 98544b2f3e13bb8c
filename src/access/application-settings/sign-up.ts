import { tooLong } from '../../platform/http/parameters/too-long.ts';
import { userRegexProblem } from '../../platform/user-regex.ts';
import { flag, names, text, wholeOrNull, word } from './setting.ts';

const domain = /^[^\s@,;]{1,255}$/;

const domains = (help: string) =>
  names(help, [], (entries) => (entries.every((entry) => domain.test(entry)) ? undefined : 'is invalid'));

/** Who may sign up by themselves, and what they have to prove before they are let in. */
export const signUp = {
  signup_enabled: flag(
    false,
    'Anybody may sign up at `/users/sign_up`, where people sign in to the pages with a password that is kept here.',
  ),
  require_admin_approval_after_user_signup: flag(
    true,
    'Who signs up waits until an administrator approves of it; administrators get an email.',
  ),
  new_user_signups_cap: wholeOrNull(
    null,
    'Active people from which on everybody who signs up waits for approval; null for any number.',
  ),
  email_confirmation_setting: word(
    ['off', 'soft', 'hard'],
    'off',
    'Whether people have to confirm their address: `hard` before they sign in, `soft` within three days, `off` never. With `off` an address is taken for theirs, with the invitations that wait for it, whoever they are.',
  ),
  domain_allowlist: domains(
    'Domains that addresses must be of to sign up, such as `example.com` and `*.example.com`; none for any.',
  ),
  domain_denylist_enabled: flag(false, 'Addresses of the domains below do not sign up.'),
  domain_denylist: domains('Those domains, written as above.'),
  email_restrictions_enabled: flag(false, 'Addresses that the expression below fits do not sign up.'),
  email_restrictions: text('That expression, in the syntax of RE2.', (source) =>
    source === null ? undefined : userRegexProblem(source),
  ),
  after_sign_up_text: text('What people read who have signed up, in Markdown.', (said) => tooLong(said ?? '', 4000)),
};
