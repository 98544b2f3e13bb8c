import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { effectiveSetting } from '../../../src/planning/notification-settings/choices.ts';
import {
  type EffectiveSetting,
  isNotified,
  type RecipientRelation,
} from '../../../src/planning/notification-settings/notified.ts';

const stranger: RecipientRelation = { participates: false, mentioned: false };
const participant: RecipientRelation = { participates: true, mentioned: false };
const named: RecipientRelation = { participates: false, mentioned: true };

describe('notifications about a note', () => {
  const cases: [EffectiveSetting['level'], EffectiveSetting['events'], boolean, boolean, boolean][] = [
    ['disabled', {}, false, false, false],
    ['disabled', { new_note: true }, false, false, false],
    ['mention', {}, false, false, true],
    ['participating', {}, false, true, true],
    ['watch', {}, true, true, true],
    ['custom', {}, false, true, true],
    ['custom', { new_note: true }, true, true, true],
    ['custom', { new_issue: true }, false, true, true],
  ];
  for (const [level, events, asStranger, asParticipant, asNamed] of cases) {
    it(`${level} ${JSON.stringify(events)}`, () => {
      const notified = (standing: RecipientRelation) => isNotified({ level, events }, 'new_note', standing);
      assert.deepEqual(
        [notified(stranger), notified(participant), notified(named)],
        [asStranger, asParticipant, asNamed],
      );
    });
  }
});

describe('the effective notification setting', () => {
  const response = (level: EffectiveSetting['level'] | 'global', events = '{}') => ({ level, events });
  it('is the most specific one that is not global', () => {
    assert.deepEqual(effectiveSetting([]), { level: 'participating', events: {} });
    assert.deepEqual(effectiveSetting([response('global'), response('watch'), response('disabled')]), {
      level: 'watch',
      events: {},
    });
    assert.deepEqual(effectiveSetting([response('custom', '{"new_note":true}')]), {
      level: 'custom',
      events: { new_note: true },
    });
  });
});
