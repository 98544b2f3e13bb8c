import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { sql } from 'kysely';
import type { Database } from '../../src/platform/database/database.ts';
import { atOnce, inRounds, statuses } from '../support/at-once.ts';
import { forEachEngine } from '../support/engines.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const targets = {
  Issue: 'issues',
  MergeRequest: 'merge_requests',
  Epic: 'epics',
  Snippet: 'snippets',
  Note: 'notes',
} as const;
const placed = [
  ['notes', 'noteable'],
  ['award_emoji', 'awardable'],
  ['todos', 'target'],
  ['subscriptions', 'target'],
  ['timelogs', 'target'],
  ['resource_label_events', 'target'],
  ['resource_state_events', 'target'],
  ['resource_weight_events', 'target'],
] as const;

/** Rows attached to deleted items. */
async function leftovers({ read }: Database): Promise<string[]> {
  const found: string[] = [];
  for (const [table, column] of placed) {
    for (const [type, place] of Object.entries(targets)) {
      const { rows } = await sql`
        select 1 from ${sql.table(table)} as row_of where ${sql.ref(`${column}_type`)} = ${type}
        and not exists (select 1 from ${sql.table(place)} as place where place.id = ${sql.ref(`${column}_id`)})`.execute(
        read,
      );
      if (rows.length > 0) found.push(`${rows.length} ${table} of ${type}`);
    }
  }
  return found;
}

forEachEngine((engine) => {
  describe('concurrent deletion', () => {
    let server: TestServer;
    let project: string;
    let group: string;

    before(async () => {
      server = await startTestServer(engine);
      const { id } = await server.must('POST /projects', { json: { name: 'tidy', initialize_with_readme: true } });
      project = `/projects/${id}`;
      group = `/groups/${(await server.must('POST /groups', { json: { name: 'tidy-group', path: 'tidy-group' } })).id}`;
      for (const branch of ['one', 'two', 'three', 'four', 'five']) {
        const actions = [{ action: 'create', file_path: branch, content: branch }];
        const json = { branch, start_branch: 'main', commit_message: branch, actions };
        await server.must(`POST ${project}/repository/commits`, { json });
      }
    });

    /**
     * Deletes an item three times while a note is added: one deletion succeeds, and the note is deleted with the item.
     */
    const removedOnce = async (path: string, notes = `${path}/notes`) => {
      const [deleted] = await Promise.all([
        atOnce(3, () => server.api(`DELETE ${path}`)),
        server.api(`POST ${notes}`, { json: { body: 'wait' } }),
      ]);
      assert.deepEqual(statuses(deleted), { 204: 1, 404: 2 });
      const left = server.db.read.selectFrom('notes').select('id').where('body', '=', 'wait');
      assert.deepEqual(await left.execute(), []);
    };

    it('deletes an issue once', () =>
      inRounds(async () => {
        const { iid } = await server.must(`POST ${project}/issues`, { json: { title: 'Old' } });
        await removedOnce(`${project}/issues/${iid}`);
      }));

    it('deletes an epic once', () =>
      inRounds(async () => {
        const { id, iid } = await server.must(`POST ${group}/epics`, { json: { title: 'Old' } });
        await removedOnce(`${group}/epics/${iid}`, `${group}/epics/${id}/notes`);
      }));

    it('deletes a merge request once', () =>
      inRounds(async (round) => {
        const source_branch = ['one', 'two', 'three', 'four', 'five'][round];
        const json = { source_branch, target_branch: 'main', title: 'Old' };
        const { iid } = await server.must(`POST ${project}/merge_requests`, { json });
        await removedOnce(`${project}/merge_requests/${iid}`);
      }));

    /** Sends all requests concurrently with a deletion in between: none of them may fail with a server error. */
    const race = async (path: string, calls: readonly (readonly [string, unknown?])[]) => {
      const requested = [...calls];
      requested.splice(Math.floor(requested.length / 2), 0, [`DELETE ${path}`]);
      const answers = await Promise.all(requested.map(([call, json]) => server.api(call, json ? { json } : {})));
      for (const [index, { status }] of answers.entries())
        assert.ok(status < 500, `${requested[index]?.[0]}: ${status}`);
      assert.deepEqual(await leftovers(server.db), []);
    };

    const reactions = (path: string, noteId: number): [string, unknown?][] => [
      [`POST ${path}/award_emoji`, { name: 'thumbsup' }],
      [`POST ${path}/notes`, { body: ':tada:' }],
      [`POST ${path}/notes/${noteId}/award_emoji`, { name: 'thumbsup' }],
    ];

    it('removes what is concurrently attached to an issue', () =>
      inRounds(async () => {
        const { iid } = await server.must(`POST ${project}/issues`, { json: { title: 'Old' } });
        const other = await server.must(`POST ${project}/issues`, { json: { title: 'Other' } });
        const path = `${project}/issues/${iid}`;
        const note = await server.must(`POST ${path}/notes`, { json: { body: 'said' } });
        const place = { target_project_id: other.project_id, target_issue_iid: other.iid };
        await race(path, [
          ...reactions(path, note.id),
          [`POST ${path}/todo`],
          [`POST ${path}/unsubscribe`],
          [`POST ${path}/notes`, { body: '/todo\n/subscribe' }],
          [`POST ${path}/add_spent_time`, { duration: '1h' }],
          [`POST ${path}/links`, place],
          [`POST ${path}/clone`, { to_project_id: other.project_id }],
          [`PUT ${path}`, { weight: 3, state_event: 'close' }],
          [`POST ${project}/issues/${other.iid}/notes`, { body: `see #${iid}\n/duplicate #${iid}` }],
        ]);
      }));

    it('removes what is concurrently attached to an epic', () =>
      inRounds(async () => {
        const { id, iid } = await server.must(`POST ${group}/epics`, { json: { title: 'Old' } });
        const path = `${group}/epics/${iid}`;
        const note = await server.must(`POST ${group}/epics/${id}/notes`, { json: { body: 'said' } });
        await race(path, [
          ...reactions(`${group}/epics/${id}`, note.id),
          [`POST ${path}/award_emoji`, { name: 'thumbsup' }],
          [`POST ${path}/todo`],
          [`PUT ${path}`, { state_event: 'close' }],
        ]);
      }));

    it('removes what is concurrently attached to a merge request', () =>
      inRounds(async (round) => {
        const source_branch = ['one', 'two', 'three', 'four', 'five'][round];
        const json = { source_branch, target_branch: 'main', title: 'Old' };
        const { iid } = await server.must(`POST ${project}/merge_requests`, { json });
        const path = `${project}/merge_requests/${iid}`;
        const note = await server.must(`POST ${path}/notes`, { json: { body: 'said' } });
        await race(path, [
          ...reactions(path, note.id),
          [`POST ${path}/todo`],
          [`POST ${path}/unsubscribe`],
          [`POST ${path}/approve`],
          [`POST ${path}/draft_notes`, { note: 'wait' }],
          [`POST ${path}/add_spent_time`, { duration: '1h' }],
          [`PUT ${path}`, { add_labels: 'old', state_event: 'close', reviewer_ids: [1] }],
        ]);
      }));

    it('removes what is concurrently attached to a snippet', () =>
      inRounds(async () => {
        const files = [{ file_path: 'a', content: 'b' }];
        const snippet = { title: 'Old', visibility: 'public', files };
        const { id } = await server.must(`POST ${project}/snippets`, { json: snippet });
        const path = `${project}/snippets/${id}`;
        const note = await server.must(`POST ${path}/notes`, { json: { body: 'said' } });
        await race(path, [...reactions(path, note.id), [`POST ${path}/notes`, { body: 'wait' }]]);
      }));

    it('removes what is concurrently attached to a note, which is counted once', async () => {
      const { iid } = await server.must(`POST ${project}/issues`, { json: { title: 'Discussed' } });
      const path = `${project}/issues/${iid}`;
      await server.must(`POST ${path}/notes`, { json: { body: 'stays' } });
      await inRounds(async () => {
        const note = await server.must(`POST ${path}/notes`, { json: { body: 'goes' } });
        const one = `${path}/notes/${note.id}`;
        await race(one, [[`POST ${one}/award_emoji`, { name: 'thumbsup' }], [`DELETE ${one}`]]);
      });
      assert.equal((await server.must(`GET ${path}`)).user_notes_count, 1);
    });
  });
});
