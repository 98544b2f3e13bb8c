import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { migrations } from '../../src/migrations/list.ts';
import { migrate } from '../../src/platform/database/migrator.ts';
import { forEachEngine, openTestDatabase } from '../support/engines.ts';

forEachEngine((engine) => {
  test('existing commit comments become notes, and their events refer to the notes', async () => {
    const at = migrations.findIndex(({ name }) => name === '0240-commit-notes');
    const db = await openTestDatabase(engine, migrations.slice(0, at));
    await db.write(async (trx) => {
      const run = (statement: string) => sql.raw(statement).execute(trx);
      await run(`insert into users (id, username, name, email, created_at, updated_at)
        values (1, 'ann', 'Ann', 'ann@example.com', 0, 0)`);
      await run(`insert into namespaces (id, kind, name, path, full_name, full_path, visibility, created_at, updated_at)
        values (1, 'group', 'g', 'g', 'g', 'g', 0, 0, 0)`);
      await run(`insert into projects (id, namespace_id, name, path, visibility, created_at, updated_at, last_activity_at)
        values (1, 1, 'p', 'p', 0, 0, 0, 0)`);
      await run(`insert into notes (id, noteable_type, noteable_id, project_id, discussion_id, author_id, body,
          created_at, updated_at) values (7, 'Issue', 1, 1, 'd', 1, 'old', 0, 0)`);
      await run(`insert into commit_comments (id, project_id, sha, author_id, note, path, line, line_type, created_at)
        values (1, 1, 'aa', 1, 'plain', null, null, null, 5), (2, 1, 'aa', 1, 'line', 'a "b"', 3, 'old', 6)`);
      await run(`insert into events (project_id, author_id, action, audience, target_type, target_id, target_iid, created_at)
        values (1, 1, 'commented', 'code', 'Note', 2, 2, 6), (1, 1, 'commented', 'issues', 'Note', 2, 2, 6)`);
    });
    await migrate(db, migrations);
    const notes = await db.read
      .selectFrom('notes')
      .select(['id', 'noteable_type', 'commit_id', 'type', 'body', 'position', 'discussion_id', 'created_at'])
      .where('noteable_type', '=', 'Commit')
      .orderBy('id')
      .execute();
    assert.deepEqual(
      notes.map(({ id, commit_id, type, body, created_at }) => [id, commit_id, type, body, created_at]),
      [
        [8, 'aa', null, 'plain', 5],
        [9, 'aa', 'LegacyDiffNote', 'line', 6],
      ],
    );
    assert.deepEqual(JSON.parse(notes[1]?.position ?? ''), {
      old_path: 'a "b"',
      new_path: 'a "b"',
      position_type: 'text',
      old_line: 3,
      new_line: null,
    });
    assert.ok(notes.every(({ discussion_id }) => /^[0-9a-f]{40}$/.test(discussion_id)));
    assert.notEqual(notes[0]?.discussion_id, notes[1]?.discussion_id);
    const events = await db.read.selectFrom('events').select(['audience', 'target_id']).orderBy('id').execute();
    assert.deepEqual(
      events.map(({ audience, target_id }) => [audience, target_id]),
      [
        ['code', 9],
        ['issues', 2],
      ],
    );
    const next = await db.write((trx) =>
      trx
        .insertInto('notes')
        .values({
          noteable_type: 'Issue',
          noteable_id: 1,
          commit_id: null,
          project_id: 1,
          namespace_id: null,
          type: null,
          discussion_id: 'x',
          author_id: 1,
          body: 'next',
          created_at: 9,
          updated_at: 9,
        })
        .returning('id')
        .executeTakeFirstOrThrow(),
    );
    assert.equal(next.id, 10);
  });
});
