import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { sql } from 'kysely';
import { Role } from '../../../src/access/roles.ts';
import type { Engine } from '../../../src/platform/database/database.ts';
import { forEachEngine } from '../../support/engines.ts';
import { type ReviewScene, reviewScene } from '../../support/merge-requests.ts';
import { addMember, addPerson, type Person } from '../../support/scene.ts';
import { rootToken } from '../../support/server.ts';

const word = 'Zwetschgenknoedel';

/** Contents of all database tables. */
async function everything({ server }: ReviewScene, engine: Engine): Promise<Map<string, string>> {
  const { read } = server.db;
  const names =
    engine === 'sqlite'
      ? sql<{
          name: string;
        }>`select name from pragma_table_list where type = 'table' and schema = 'main' and name not like 'sqlite%'`
      : sql<{ name: string }>`select table_name as name from information_schema.tables
          where table_schema = current_schema() and table_type = 'BASE TABLE'`;
  const tables = new Map<string, string>();
  for (const { name } of (await names.execute(read)).rows) {
    const { rows } = await sql`select * from ${sql.table(name)}`.execute(read);
    tables.set(name, JSON.stringify(rows.map((row) => JSON.stringify(row)).toSorted()));
  }
  return tables;
}

forEachEngine((engine) => {
  describe('an unpublished draft note', () => {
    let scene: ReviewScene;
    let reviewer: Person;
    let one: string;
    let thread: string;

    const draft = (json: Record<string, unknown>) =>
      scene.server.must(`POST ${one}/draft_notes`, { token: reviewer.token, json });
    const settle = () => scene.server.running.services.queue.drain();

    before(async () => {
      scene = await reviewScene(engine);
      const { server, owner, developer, project, base } = scene;
      reviewer = await addPerson(server, 'reviewer');
      await addMember(server, project, reviewer, Role.maintainer);
      await server.must(`POST /projects/${project.id}/issues`, { token: owner.token, json: { title: 'Known' } });
      await scene.branch('topic', 'README.md', 'one\n2\nthree\n');
      const made = await scene.open(developer, 'topic', { reviewer_ids: [reviewer.user.id] });
      one = `${base}/${made.iid}`;
      await server.must(`POST ${one}/subscribe`, { token: owner.token });
      const hook = { url: 'http://hooks.example.com/', note_events: true, merge_requests_events: true };
      await server.must(`POST /projects/${project.id}/hooks`, { token: owner.token, json: hook });
      thread = (await server.must(`POST ${one}/discussions`, { token: owner.token, json: { body: 'Why?' } })).id;
      await settle();
      await server.undisturbed(async () => {
        const past = await everything(scene, engine);
        const { base_sha, start_sha, head_sha } = made.diff_refs;
        const path = { old_path: 'README.md', new_path: 'README.md', position_type: 'text', new_line: 2 };
        const position = { base_sha, start_sha, head_sha, ...path };
        const text = `${word} for @${developer.user.username} and @all, closes #1\n\n/close\n/label ~bug`;
        await draft({ note: text });
        await draft({ note: `${word}\n\n\`\`\`suggestion\ntwo\n\`\`\``, position });
        await draft({ note: text, in_reply_to_discussion_id: thread, resolve_discussion: true });
        const now = await everything(scene, engine);
        const changed = [...now].filter(([name, rows]) => past.get(name) !== rows).map(([name]) => name);
        // Tables that may change: the reviewer's state, and when the user and token were last used.
        const own = ['draft_notes', 'merge_request_reviewers', 'users', 'access_tokens'];
        assert.deepEqual(
          changed.filter((name) => !own.includes(name)),
          [],
          'no notes, events, counts or jobs were added',
        );
        assert.ok(changed.includes('draft_notes'));
      });
      await settle();
    });

    it('is stored in no other table', async () => {
      const stored = [...(await everything(scene, engine))].filter(([, rows]) => rows.includes(word));
      assert.deepEqual(
        stored.map(([name]) => name),
        ['draft_notes'],
      );
    });

    it('is not returned to any other user, including administrators', async () => {
      const { owner, developer, reporter, outsider, project, server } = scene;
      const place = `/projects/${project.id}`;
      const paths = [
        one,
        ...['notes', 'discussions', 'draft_notes', 'participants', 'reviewers', 'versions', 'changes'].map(
          (part) => `${one}/${part}`,
        ),
        ...['resource_state_events', 'resource_label_events', 'related_issues', 'closes_issues'].map(
          (part) => `${one}/${part}`,
        ),
        `${one}/discussions/${thread}`,
        `${scene.base}?search=${word}`,
        `${place}/issues/1/notes`,
        `${place}/issues/1/related_merge_requests`,
        `${place}/events`,
        `/users/${reviewer.user.id}/events`,
        '/events?scope=all',
        '/todos',
        `/search?scope=notes&search=${word}`,
        `${place}/search?scope=notes&search=${word}`,
        `${place}/search?scope=merge_requests&search=${word}`,
      ];
      const tokens = [owner, developer, reporter, outsider].map(({ token }) => token);
      for (const token of [...tokens, rootToken, null]) {
        for (const path of paths) {
          const { text, status } = await server.api(`GET ${path}`, { token });
          assert.ok(status < 500, `${path}: ${status}`);
          assert.ok(!text.includes(word) || path.includes('?search') || path.includes('&search'), `${path}: ${text}`);
          if (path.includes(`search=${word}`) && status === 200) assert.equal(text, '[]', path);
        }
      }
      const { body } = await scene.api(owner, `GET ${one}`);
      assert.deepEqual([body.user_notes_count, body.state, body.labels], [1, 'opened', []]);
      const [{ notes }] = (await scene.api(owner, `GET ${one}/discussions`)).body;
      assert.deepEqual([notes.length, notes[0].resolved], [1, false]);
      assert.equal((await scene.api(reviewer, `GET ${one}/draft_notes`)).body.length, 3);
    });

    it('is not on pages of other users or in exports', async () => {
      const { owner, project, server } = scene;
      const path = `${owner.user.username}/${project.path}/-/merge_requests`;
      for (const page of [`${path}/1`, `${path}/1/diffs`, path, `${owner.user.username}/${project.path}/activity`]) {
        const response = await fetch(`${server.url}/${page}`);
        assert.ok(response.status < 500);
        assert.ok(!(await response.text()).includes(word), page);
      }
      const token = owner.token;
      assert.equal((await server.api(`POST /projects/${project.id}/export`, { token })).status, 202);
      await settle();
      const url = `${server.url}/api/v4/projects/${project.id}/export/download`;
      const file = await fetch(url, { headers: { 'private-token': token } });
      assert.equal(file.status, 200);
      const content = gunzipSync(Buffer.from(await file.arrayBuffer()));
      assert.ok(content.includes('Why?'));
      assert.ok(!content.includes(word));
    });

    it('is deleted with its author', async () => {
      const { server } = scene;
      await server.must(`DELETE /users/${reviewer.user.id}`, { token: rootToken });
      await settle();
      const rows = [...(await everything(scene, engine))].filter(([, text]) => text.includes(word));
      assert.deepEqual(rows, []);
    });
  });
});
