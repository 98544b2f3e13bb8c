import assert from 'node:assert/strict';
import { test } from 'node:test';
import { maintainersOf, membersWithRole } from '../../../src/integrations/mail/store.ts';
import { solelyOwnedGroups } from '../../../src/namespaces/groups/removal/owners-store.ts';
import { billableMembers } from '../../../src/namespaces/members/billable/list.ts';
import { hasOtherOwner, lastOwnerAmong } from '../../../src/namespaces/members/store.ts';
import type { Database } from '../../../src/platform/database/database.ts';
import { planOf } from '../../support/query-plans.ts';
import { startTestServer } from '../../support/server.ts';

const place = { projectId: 1, namespaceId: 1, above: [1, 2] };

const seats = { group: 1, now: 1, address: 'email' } as const;

/** Each of these queries looks for active users with a role somewhere. */
const asked: Record<string, (db: Database) => Promise<unknown>> = {
  lastOwnerAmong: ({ read }) => lastOwnerAmong(read, 1, [1]),
  hasOtherOwner: ({ read }) => hasOtherOwner(read, 1, 1),
  solelyOwnedGroups: ({ read }) => solelyOwnedGroups(read, 1, { active: true }),
  keepersOf: ({ read }) => membersWithRole(read, place, 40),
  billableMembers: ({ read }) => billableMembers.count(read, seats, {}),
  maintainersOf: ({ read }) => maintainersOf(read, { id: 1, namespace_id: 1 }),
};

// For a SQLite database without table statistics; PostgreSQL knows the table sizes.
test('queries for maintainers and owners start from the memberships, not from all active users', async () => {
  const { db, running } = await startTestServer('sqlite');
  for (const [name, ask] of Object.entries(asked)) {
    const seen: string[] = [];
    const stop = db.onQuery((text) => seen.push(text));
    await ask(running.services.db);
    stop();
    assert.equal(seen.length, 1, name);
    const plan = await planOf(running.services.db, seen[0] ?? '');
    assert.doesNotMatch(plan, /users_state \(state=\? AND kind=\?\)|SCAN (u|users)\b/, name);
    assert.match(plan, /members_namespace/, name);
  }
});
