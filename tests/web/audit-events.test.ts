import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { describeEvent } from '../../src/web/admin/collections.ts';

describe('audit event descriptions', () => {
  const cases = [
    ['a custom message', { custom_message: 'Enabled it', change: 'x' }, 'Enabled it'],
    [
      'a change',
      { change: 'visibility_level', from: 'private', to: 'public' },
      'Changed visibility_level from private to public',
    ],
    [
      'values that are not strings',
      { change: 'signup_enabled', from: false, to: null },
      'Changed signup_enabled from false to null',
    ],
    [
      'truncated long texts',
      { change: 'terms', from: '', to: 'a'.repeat(200) },
      `Changed terms from  to ${'a'.repeat(80)}…`,
    ],
    ['an addition', { add: 'user_access' }, 'Added user_access'],
    ['a removal', { remove: 'project' }, 'Removed project'],
    ['an event without details', { event_name: 'user_logged_in' }, 'User logged in'],
    ['an event without a name', {}, 'Change'],
  ] as const;
  for (const [name, details, expected] of cases)
    it(`describe ${name}`, () => assert.equal(describeEvent(details), expected));
});
