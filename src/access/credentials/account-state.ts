import type { User } from '../tables.ts';

type Account = Pick<User, 'state' | 'kind' | 'password_expires_at'>;

/**
 * Why an account cannot be used although its credential is valid; undefined if it can. Unconfirmed email addresses are
 * not considered here: `email-confirmation.ts` checks them at password sign-in, from which every other credential
 * originates.
 */
export function accountRefusal(user: Account, externalUrl: string, now = Date.now()): string | undefined {
  if (user.kind === 'ghost' || user.kind === 'placeholder') return 'This action cannot be performed by internal users';
  if (user.state === 'blocked_pending_approval') {
    return 'Your account is pending approval from your administrator and hence blocked.';
  }
  if (user.state === 'deactivated') {
    return (
      'Your account has been deactivated by your administrator. ' +
      `Please log back in from a web browser to reactivate your account at ${externalUrl}`
    );
  }
  if (user.state !== 'active') return 'Your account has been blocked.';
  if (user.kind !== 'human') return undefined;
  if (user.password_expires_at !== null && user.password_expires_at <= now) {
    return 'Your password expired. Please access GitLab from a web browser to update your password.';
  }
  return undefined;
}
