import { RE2JS } from 're2js';
import type { ApplicationSettings } from '../../../access/application-settings/list.ts';
import type { UserState } from '../../../access/tables.ts';
import { compileUserRegex } from '../../../platform/user-regex.ts';

/** Settings that restrict the e-mail addresses allowed to sign up. */
export type AddressRules = Pick<
  ApplicationSettings,
  | 'domain_allowlist'
  | 'domain_denylist_enabled'
  | 'domain_denylist'
  | 'email_restrictions_enabled'
  | 'email_restrictions'
>;

/** Whether the domain matches a pattern; an asterisk matches any characters. */
function isAmong(domain: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => {
    const parts = pattern.toLowerCase().split('*');
    return RE2JS.compile(parts.map((part) => RE2JS.quote(part)).join('.*')).matches(domain);
  });
}

/** Whether an e-mail address is allowed to sign up. */
export function isEmailAllowed(email: string, rules: AddressRules): boolean {
  // E-mail addresses are case-insensitive, so the rules must be too.
  const lower = email.toLowerCase();
  const domain = lower.slice(lower.lastIndexOf('@') + 1);
  if (rules.domain_denylist_enabled && isAmong(domain, rules.domain_denylist)) return false;
  if (rules.domain_allowlist.length > 0 && !isAmong(domain, rules.domain_allowlist)) return false;
  if (!rules.email_restrictions_enabled || !rules.email_restrictions) return true;
  const refused = compileUserRegex(rules.email_restrictions);
  return !refused.matcher(email).find() && !refused.matcher(lower).find();
}

/** Returns the initial state of an account, given the number of active users. */
export function initialState(
  rules: Pick<ApplicationSettings, 'require_admin_approval_after_user_signup' | 'new_user_signups_cap'>,
  active: number,
): UserState {
  const { require_admin_approval_after_user_signup: asked, new_user_signups_cap: cap } = rules;
  return asked || (cap !== null && active >= cap) ? 'blocked_pending_approval' : 'active';
}
