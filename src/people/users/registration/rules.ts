import { RE2JS } from 're2js';
import type { ApplicationSettings } from '../../../access/application-settings/list.ts';
import type { UserState } from '../../../access/tables.ts';
import { compileUserRegex } from '../../../platform/user-regex.ts';

/** What administrators say of the addresses that may sign up. */
export type AddressRules = Pick<
  ApplicationSettings,
  | 'domain_allowlist'
  | 'domain_denylist_enabled'
  | 'domain_denylist'
  | 'email_restrictions_enabled'
  | 'email_restrictions'
>;

/** Is this one of the domains? A star stands for any letters, in any place. */
function isAmong(domain: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => {
    const parts = pattern.toLowerCase().split('*');
    return RE2JS.compile(parts.map((part) => RE2JS.quote(part)).join('.*')).matches(domain);
  });
}

/** May somebody with this address sign up? */
export function mayBeOf(email: string, rules: AddressRules): boolean {
  // Letters of either case lead to the same box, and past no rule.
  const lower = email.toLowerCase();
  const domain = lower.slice(lower.lastIndexOf('@') + 1);
  if (rules.domain_denylist_enabled && isAmong(domain, rules.domain_denylist)) return false;
  if (rules.domain_allowlist.length > 0 && !isAmong(domain, rules.domain_allowlist)) return false;
  if (!rules.email_restrictions_enabled || !rules.email_restrictions) return true;
  const refused = compileUserRegex(rules.email_restrictions);
  return !refused.matcher(email).find() && !refused.matcher(lower).find();
}

/** How an account begins, where so many people are active. */
export function firstState(
  rules: Pick<ApplicationSettings, 'require_admin_approval_after_user_signup' | 'new_user_signups_cap'>,
  active: number,
): UserState {
  const { require_admin_approval_after_user_signup: asked, new_user_signups_cap: cap } = rules;
  return asked || (cap !== null && active >= cap) ? 'blocked_pending_approval' : 'active';
}
