import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { needsConfirmation } from '../../../../src/access/credentials/email-confirmation.ts';
import { type AddressRules, initialState, isEmailAllowed } from '../../../../src/people/users/registration/rules.ts';

const open: AddressRules = {
  domain_allowlist: [],
  domain_denylist_enabled: false,
  domain_denylist: [],
  email_restrictions_enabled: false,
  email_restrictions: null,
};
const allow = (...domain_allowlist: string[]) => ({ domain_allowlist });
const deny = (...domain_denylist: string[]) => ({ domain_denylist, domain_denylist_enabled: true });
const restrict = (email_restrictions: string | null) => ({ email_restrictions, email_restrictions_enabled: true });

describe('addresses allowed to sign up', () => {
  const cases: readonly (readonly [email: string, rules: Partial<AddressRules>, may: boolean])[] = [
    ['a@example.com', {}, true],
    ['a@example.com', allow('example.com'), true],
    ['a@EXAMPLE.com', allow('Example.Com'), true],
    ['a@other.com', allow('example.com', 'other.com'), true],
    ['a@example.org', allow('example.com'), false],
    ['a@examplexcom', allow('example.com'), false],
    ['a@sub.example.com', allow('example.com'), false],
    ['a@example.com.evil.org', allow('example.com'), false],
    ['a@evilexample.com', allow('*.example.com'), false],
    ['a@example.com', allow('*.example.com'), false],
    ['a@deep.sub.example.com', allow('*.example.com'), true],
    ['a@mail.example.com', allow('mail.*.com'), true],
    ['a@example.com', allow('(.*'), false],
    ['a@evil.org', deny('evil.org'), false],
    ['a@EVIL.org', deny('evil.org'), false],
    ['a@sub.evil.org', deny('evil.org'), true],
    ['a@sub.evil.org', deny('*evil.org'), false],
    ['a@evil.org', { domain_denylist: ['evil.org'] }, true],
    ['a@sub.example.com', { ...allow('*.example.com'), ...deny('sub.example.com') }, false],
    ['a+1@example.com', restrict('\\+'), false],
    ['a@example.com', restrict('\\+'), true],
    ['a@EVIL.org', restrict('@evil\\.org$'), false],
    ['a@evil.org', { email_restrictions: '@evil' }, true],
    ['a@example.com', restrict(null), true],
    ['a@example.com', restrict(''), true],
  ];
  for (const [email, rules, may] of cases) {
    it(`${may ? 'include' : 'exclude'} ${email} with ${JSON.stringify(rules)}`, () => {
      assert.equal(isEmailAllowed(email, { ...open, ...rules }), may);
    });
  }
});

describe('new account', () => {
  const cases = [
    [false, null, 1_000_000, 'active'],
    [true, null, 0, 'blocked_pending_approval'],
    [false, 10, 9, 'active'],
    [false, 10, 10, 'blocked_pending_approval'],
    [false, 0, 0, 'blocked_pending_approval'],
    [true, 10, 9, 'blocked_pending_approval'],
  ] as const;
  for (const [asked, cap, active, state] of cases) {
    it(`is ${state} with approval ${asked}, a cap of ${cap} and ${active} active users`, () => {
      const rules = { require_admin_approval_after_user_signup: asked, new_user_signups_cap: cap };
      assert.equal(initialState(rules, active), state);
    });
  }
});

describe('e-mail confirmation', () => {
  const now = Date.UTC(2026, 0, 10);
  const day = 86_400_000;
  const cases = [
    ['off', 'human', null, 100, false],
    ['soft', 'human', null, 2, false],
    ['soft', 'human', null, 3, true],
    ['soft', 'human', now, 3, false],
    ['hard', 'human', null, 0, true],
    ['hard', 'human', now, 0, false],
    ['hard', 'project_bot', null, 0, false],
  ] as const;
  for (const [setting, kind, confirmed_at, days, owes] of cases) {
    it(`is ${owes ? '' : 'not '}required if ${setting}, for a ${kind} after ${days} days, confirmed at ${confirmed_at}`, () => {
      assert.equal(needsConfirmation({ kind, confirmed_at, created_at: now - days * day }, setting, now), owes);
    });
  }
});
