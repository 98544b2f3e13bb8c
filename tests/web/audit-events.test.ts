import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { describeEvent } from '../../src/web/admin/collections.ts';

describe('audit event descriptions', () => {
  const cases = [
    ['its own words', { custom_message: 'Enabled it', change: 'x' }, 'Enabled it'],
    [
      'what changed',
      { change: 'visibility_level', from: 'private', to: 'public' },
      'Changed visibility_level from private to public',
    ],
    [
      'values that are no texts',
      { change: 'signup_enabled', from: false, to: null },
      'Changed signup_enabled from false to null',
    ],
    [
      'the beginning of long texts',
      { change: 'terms', from: '', to: 'a'.repeat(200) },
      `Changed terms from  to ${'a'.repeat(80)}…`,
    ],
    ['what came', { add: 'user_access' }, 'Added user_access'],
    ['what went', { remove: 'project' }, 'Removed project'],
    ['the name of the event otherwise', { event_name: 'user_logged_in' }, 'User logged in'],
    ['that there was something at all', {}, 'Change'],
  ] as const;
  for (const [name, details, expected] of cases)
    it(`describe ${name}`, () => assert.equal(describeEvent(details), expected));
});
