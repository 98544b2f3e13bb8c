import type { User, UserState } from '../../../access/tables.ts';
import { Conflict, Forbidden, type HttpError } from '../../../platform/http/errors.ts';

/** State changes available to administrators. */
export type StateChange = 'block' | 'unblock' | 'activate' | 'deactivate' | 'ban' | 'unban' | 'approve';

/** Result of a state change: a new state, a response without change, or an error. */
export type Outcome =
  | { readonly to: UserState }
  | { readonly unchanged: boolean | null }
  | { readonly refusal: HttpError };

type Account = Pick<User, 'id' | 'kind' | 'state' | 'last_activity_at' | 'current_sign_in_at'>;

/** Current time, and days without activity that make an account dormant. */
export interface Circumstances {
  readonly now: number;
  readonly dormantAfterDays: number;
}

/** States of accounts that cannot sign in. */
export const blockedStates: readonly UserState[] = ['blocked', 'ldap_blocked', 'banned', 'blocked_pending_approval'];

const day = 86_400_000;
const to = (state: UserState): Outcome => ({ to: state });
const unchanged = (answer: boolean | null): Outcome => ({ unchanged: answer });
const refuse = (refusal: HttpError): Outcome => ({ refusal });

const changes: Record<StateChange, (user: Account, by: number, circumstances: Circumstances) => Outcome> = {
  block(user, by) {
    if (user.state === 'ldap_blocked') return refuse(new Forbidden('LDAP blocked users cannot be modified by the API'));
    if (user.id === by) return refuse(new Forbidden('The API initiating user cannot be blocked by the API'));
    if (isInternal(user)) return refuse(Forbidden.plain('An internal user cannot be blocked'));
    return user.state === 'blocked' || user.state === 'banned' ? unchanged(null) : to('blocked');
  },
  unblock({ state }) {
    if (state === 'ldap_blocked') return refuse(new Forbidden('LDAP blocked users cannot be unblocked by the API'));
    if (state === 'deactivated') return refuse(new Forbidden('Deactivated users cannot be unblocked by the API'));
    return state === 'active' ? unchanged(false) : to('active');
  },
  activate({ state }) {
    if (blockedStates.includes(state)) {
      return refuse(Forbidden.plain('Error occurred. A blocked user must be unblocked to be activated'));
    }
    return state === 'active' ? unchanged(true) : to('active');
  },
  deactivate(user, _by, { now, dormantAfterDays }) {
    if (blockedStates.includes(user.state)) {
      return refuse(Forbidden.plain('Error occurred. A blocked user cannot be deactivated'));
    }
    if (user.state === 'deactivated') return unchanged(null);
    if (isInternal(user)) return refuse(Forbidden.plain('Internal users cannot be deactivated'));
    if (Math.max(user.last_activity_at ?? 0, user.current_sign_in_at ?? 0) > now - dormantAfterDays * day) {
      const text = `has been active in the past ${dormantAfterDays} days and cannot be deactivated`;
      return refuse(Forbidden.plain(`The user you are trying to deactivate ${text}`));
    }
    return to('deactivated');
  },
  ban: ({ state }) => (state === 'active' ? to('banned') : refuse(Forbidden.plain(`You cannot ban ${state} users.`))),
  unban: ({ state }) =>
    state === 'banned' ? to('active') : refuse(Forbidden.plain(`You cannot unban ${state} users.`)),
  approve: ({ state }) =>
    state === 'blocked_pending_approval'
      ? to('active')
      : refuse(new Conflict('The user you are trying to approve is not pending approval')),
};

function isInternal(user: Pick<User, 'kind'>): boolean {
  return user.kind === 'ghost';
}

/** Returns the outcome when the administrator `by` applies a change to an account. */
export function outcomeOf(
  change: StateChange,
  user: Account,
  by: number,
  { now = Date.now(), dormantAfterDays = 90 }: Partial<Circumstances> = {},
): Outcome {
  return changes[change](user, by, { now, dormantAfterDays });
}
