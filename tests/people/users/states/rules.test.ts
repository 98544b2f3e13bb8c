import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { UserState } from '../../../../src/access/tables.ts';
import { outcomeOf, type StateChange } from '../../../../src/people/users/states/rules.ts';

const now = Date.parse('2026-06-01T00:00:00Z');
const day = 86_400_000;
const admin = 1;
const account = { id: 2, kind: 'human' as const, last_activity_at: null, current_sign_in_at: null };

/** Returns a short form of the outcome: the new state, the unchanged answer, or status and text of the error. */
function outcome(change: StateChange, state: UserState, more: object = {}): string {
  const result = outcomeOf(change, { ...account, state, ...more }, admin, { now });
  if ('to' in result) return `-> ${result.to}`;
  if ('unchanged' in result) return `${result.unchanged}`;
  return `${result.refusal.status} ${(result.refusal.body as { message: string }).message}`;
}

const mustUnblock = '403 Error occurred. A blocked user must be unblocked to be activated';
const notAsleep = '403 Error occurred. A blocked user cannot be deactivated';

const table: Record<StateChange, Record<UserState, string>> = {
  block: {
    active: '-> blocked',
    deactivated: '-> blocked',
    blocked: 'null',
    banned: 'null',
    ldap_blocked: '403 403 Forbidden - LDAP blocked users cannot be modified by the API',
    blocked_pending_approval: '-> blocked',
  },
  unblock: {
    active: 'false',
    deactivated: '403 403 Forbidden - Deactivated users cannot be unblocked by the API',
    blocked: '-> active',
    banned: '-> active',
    ldap_blocked: '403 403 Forbidden - LDAP blocked users cannot be unblocked by the API',
    blocked_pending_approval: '-> active',
  },
  activate: {
    active: 'true',
    deactivated: '-> active',
    blocked: mustUnblock,
    banned: mustUnblock,
    ldap_blocked: mustUnblock,
    blocked_pending_approval: mustUnblock,
  },
  deactivate: {
    active: '-> deactivated',
    deactivated: 'null',
    blocked: notAsleep,
    banned: notAsleep,
    ldap_blocked: notAsleep,
    blocked_pending_approval: notAsleep,
  },
  ban: {
    active: '-> banned',
    deactivated: '403 You cannot ban deactivated users.',
    blocked: '403 You cannot ban blocked users.',
    banned: '403 You cannot ban banned users.',
    ldap_blocked: '403 You cannot ban ldap_blocked users.',
    blocked_pending_approval: '403 You cannot ban blocked_pending_approval users.',
  },
  unban: {
    active: '403 You cannot unban active users.',
    deactivated: '403 You cannot unban deactivated users.',
    blocked: '403 You cannot unban blocked users.',
    banned: '-> active',
    ldap_blocked: '403 You cannot unban ldap_blocked users.',
    blocked_pending_approval: '403 You cannot unban blocked_pending_approval users.',
  },
  approve: {
    active: '409 The user you are trying to approve is not pending approval',
    deactivated: '409 The user you are trying to approve is not pending approval',
    blocked: '409 The user you are trying to approve is not pending approval',
    banned: '409 The user you are trying to approve is not pending approval',
    ldap_blocked: '409 The user you are trying to approve is not pending approval',
    blocked_pending_approval: '-> active',
  },
};

describe('account state changes', () => {
  for (const [change, row] of Object.entries(table) as [StateChange, Record<UserState, string>][]) {
    it(`result of ${change}`, () => {
      for (const [state, expected] of Object.entries(row) as [UserState, string][]) {
        assert.equal(outcome(change, state), expected, state);
      }
    });
  }

  it('are refused for the caller and for the ghost user', () => {
    assert.equal(
      outcome('block', 'active', { id: admin }),
      '403 403 Forbidden - The API initiating user cannot be blocked by the API',
    );
    assert.equal(outcome('block', 'active', { kind: 'ghost' }), '403 An internal user cannot be blocked');
    assert.equal(outcome('deactivate', 'active', { kind: 'ghost' }), '403 Internal users cannot be deactivated');
  });

  it('deactivate only after 90 days without activity', () => {
    const text =
      '403 The user you are trying to deactivate has been active in the past 90 days and cannot be deactivated';
    assert.equal(outcome('deactivate', 'active', { last_activity_at: now - 89 * day }), text);
    assert.equal(outcome('deactivate', 'active', { current_sign_in_at: now - 89 * day }), text);
    assert.equal(outcome('deactivate', 'active', { last_activity_at: now - 91 * day }), '-> deactivated');
  });
});
