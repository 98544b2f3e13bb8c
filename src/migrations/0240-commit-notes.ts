import type { Migration } from '../platform/database/migrator.ts';

const engines = {
  sqlite: { thread: 'lower(hex(randomblob(20)))', json: 'json_object', numbered: [] },
  postgres: {
    thread: 'md5(random()::text || c.id) || substr(md5(random()::text), 1, 8)',
    json: 'json_build_object',
    numbered: [
      "select setval(pg_get_serial_sequence('notes', 'id'), (select coalesce(max(id), 0) + 1 from notes), false)",
    ],
  },
} as const;

/** Converts commit comments into notes, and updates the events that refer to them. */
export const commitNotes: Migration = {
  name: '0240-commit-notes',
  up: ({ id, engine }) => {
    const { thread, json, numbered } = engines[engine];
    const line = (type: string) => `case when c.line_type = '${type}' then c.line end`;
    const position = `case when c.line is not null then ${json}('old_path', c.path, 'new_path', c.path,
      'position_type', 'text', 'old_line', ${line('old')}, 'new_line', ${line('new')}) end`;
    return [
      `create table noted_commits (
        id ${id},
        project_id bigint not null references projects (id) on delete cascade,
        sha text not null
      )`,
      'create unique index noted_commits_sha on noted_commits (project_id, sha)',
      'insert into noted_commits (project_id, sha) select distinct project_id, sha from commit_comments',

      `create table moved_comments as
        select c.id as comment_id, c.id + (select coalesce(max(id), 0) from notes) as note_id from commit_comments c`,
      `insert into notes (id, noteable_type, noteable_id, commit_id, project_id, type, discussion_id, author_id, body,
          position, original_position, created_at, updated_at)
        select m.note_id, 'Commit', n.id, c.sha, c.project_id,
          case when c.line is not null then 'LegacyDiffNote' end, ${thread}, c.author_id, c.note,
          ${position}, ${position}, c.created_at, c.created_at
        from commit_comments c
        join moved_comments m on m.comment_id = c.id
        join noted_commits n on n.project_id = c.project_id and n.sha = c.sha`,
      ...numbered,
      `update events set
          target_id = (select note_id from moved_comments where comment_id = events.target_id),
          target_iid = (select note_id from moved_comments where comment_id = events.target_id)
        where target_type = 'Note' and audience = 'code' and target_id in (select comment_id from moved_comments)`,
      'drop table moved_comments',
      'drop table commit_comments',
      // Notes on commits are found by their target, like all others.
      'drop index notes_commit',
    ];
  },
};
