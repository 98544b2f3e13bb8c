import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { forEachEngine } from '../support/engines.ts';
import { askGraphql, mustGraphql, unavailable } from '../support/graphql.ts';
import { type ReviewScene, reviewScene } from '../support/merge-requests.ts';
import type { Person } from '../support/scene.ts';

const noteDetails = `
  fragment position on Note {
    position { diffRefs { baseSha headSha startSha } filePath positionType newLine oldLine newPath oldPath positionType }
  }
  fragment noteDetails on Note {
    id createdAt system author { avatarUrl name username webUrl } body bodyHtml url
    userPermissions { resolveNote adminNote createNote }
    ...position
  }
`;
const discussionDetails = `
  ${noteDetails}
  fragment discussionDetails on Discussion {
    replyId createdAt resolved resolvable
    notes { pageInfo { hasNextPage endCursor } nodes { ...noteDetails } }
  }
`;
const threads = `
  ${discussionDetails}
  query GetMrDiscussions($path: ID!, $iid: String!, $after: String, $first: Int) {
    project(fullPath: $path) {
      id
      mergeRequest(iid: $iid) {
        discussions(after: $after, first: $first) { pageInfo { hasNextPage endCursor } nodes { ...discussionDetails } }
      }
    }
  }
`;
const createNote = `
  ${noteDetails}
  mutation ($id: NoteableID!, $body: String!, $replyId: DiscussionID, $internal: Boolean) {
    createNote(input: { noteableId: $id, body: $body, discussionId: $replyId, internal: $internal }) {
      errors note { ...noteDetails discussion { id } }
    }
  }
`;
const createDiffNote = `
  ${discussionDetails}
  mutation ($id: NoteableID!, $body: String!, $position: DiffPositionInput!) {
    createDiffNote(input: { noteableId: $id, body: $body, position: $position }) {
      errors note { discussion { ...discussionDetails } }
    }
  }
`;
const toggle = `mutation ($id: DiscussionID!, $resolve: Boolean!) {
  discussionToggleResolve(input: { id: $id, resolve: $resolve }) { errors discussion { resolved resolvedBy { username } } }
}`;
const update = `mutation ($id: NoteID!, $body: String) {
  updateNote(input: { id: $id, body: $body }) { errors note { body } }
}`;
const destroy = 'mutation ($id: NoteID!) { destroyNote(input: { id: $id }) { errors note { id } } }';

forEachEngine((engine) => {
  describe('GraphQL notes', () => {
    let scene: ReviewScene;
    let path: string;
    let request: { id: number; iid: number; web_url: string };
    let id: string;

    before(async () => {
      scene = await reviewScene(engine, 'private');
      path = `${scene.owner.user.username}/${scene.project.path}`;
      await scene.branch('feature', 'README.md', 'one\ntwo and more\nthree\n');
      request = await scene.open(scene.developer, 'feature');
      id = `gid://gitlab/MergeRequest/${request.id}`;
    });

    const ask = (person: Person | null, query: string, variables: Record<string, unknown>) =>
      askGraphql(scene.server, query, variables, { token: person?.token ?? null });
    const must = (person: Person, query: string, variables: Record<string, unknown>) =>
      mustGraphql(scene.server, query, variables, { token: person.token });
    const addNote = async (person: Person, body: string, more = {}) =>
      (await must(person, createNote, { id, body, ...more })).createNote.note;
    const discussionsFor = async (person: Person, variables = {}) => {
      const { project } = await must(person, threads, { path, iid: String(request.iid), ...variables });
      return project.mergeRequest.discussions;
    };
    /** Expects the error for unavailable objects. */
    const refused = async (person: Person | null, query: string, variables: Record<string, unknown>) => {
      const { status, body } = await ask(person, query, variables);
      assert.deepEqual([status, body.errors?.[0]?.message], [200, unavailable]);
    };

    it('can be created, replied to, edited and deleted with the queries of editor plugins', async () => {
      const note = await addNote(scene.reporter, 'Is **this** right?');
      assert.match(note.id, /^gid:\/\/gitlab\/Note\/\d+$/);
      assert.match(note.bodyHtml, /<strong[^>]*>this<\/strong>/);
      assert.equal(note.url, `${request.web_url}#note_${note.id.split('/').at(-1)}`);
      assert.deepEqual(note.userPermissions, { resolveNote: false, adminNote: true, createNote: true });
      const { nodes } = await discussionsFor(scene.developer);
      const thread = nodes.find(({ notes }: { notes: { nodes: { id: string }[] } }) => notes.nodes[0]?.id === note.id);
      assert.match(thread.replyId, /^gid:\/\/gitlab\/IndividualNoteDiscussion\/[0-9a-f]{40}$/);
      assert.equal(thread.resolvable, false);
      const reply = await addNote(scene.developer, 'It is.', { replyId: thread.replyId });
      assert.match(reply.id, /^gid:\/\/gitlab\/DiscussionNote\/\d+$/);
      assert.equal(reply.discussion.id.split('/').at(-1), thread.replyId.split('/').at(-1));
      const changed = await must(scene.developer, update, { id: reply.id, body: 'It is so.' });
      assert.deepEqual(changed.updateNote, { errors: [], note: { body: 'It is so.' } });
      assert.deepEqual((await must(scene.developer, destroy, { id: reply.id })).destroyNote, {
        errors: [],
        note: null,
      });
      await refused(scene.developer, update, { id: reply.id, body: 'Gone' });
    });

    it('can be created on diff lines and resolved', async () => {
      const { diff_refs: refs } = await scene.server.must(`GET ${scene.base}/${request.iid}`);
      const position = {
        baseSha: refs.base_sha,
        headSha: refs.head_sha,
        startSha: refs.start_sha,
        paths: { newPath: 'README.md', oldPath: 'README.md' },
        newLine: 2,
      };
      const created = await must(scene.developer, createDiffNote, { id, body: 'Why?', position });
      const { discussion } = created.createDiffNote.note;
      assert.deepEqual([discussion.resolvable, discussion.resolved], [true, false]);
      const [note] = discussion.notes.nodes;
      assert.equal(note.userPermissions.resolveNote, true);
      assert.match(note.id, /^gid:\/\/gitlab\/DiffNote\/\d+$/);
      assert.deepEqual(note.position, {
        diffRefs: { baseSha: refs.base_sha, headSha: refs.head_sha, startSha: refs.start_sha },
        filePath: 'README.md',
        positionType: 'text',
        newLine: 2,
        oldLine: null,
        newPath: 'README.md',
        oldPath: 'README.md',
      });
      await refused(scene.reporter, toggle, { id: discussion.replyId, resolve: true });
      await refused(scene.outsider, toggle, { id: discussion.replyId, resolve: true });
      const { discussionToggleResolve: done } = await must(scene.developer, toggle, {
        id: discussion.replyId,
        resolve: true,
      });
      const { username } = scene.developer.user;
      assert.deepEqual(done, { errors: [], discussion: { resolved: true, resolvedBy: { username } } });
      const again = await must(scene.developer, toggle, { id: discussion.replyId, resolve: false });
      assert.equal(again.discussionToggleResolve.discussion.resolved, false);
      const nowhere = await must(scene.reporter, createDiffNote, {
        id,
        body: 'Where?',
        position: { ...position, newLine: 900 },
      });
      assert.equal(nowhere.createDiffNote.note, null);
      assert.equal(nowhere.createDiffNote.errors.length, 1);
    });

    it('are paginated', async () => {
      for (const text of ['one', 'two', 'three']) await addNote(scene.owner, text);
      const all = await discussionsFor(scene.owner);
      const seen: string[] = [];
      let after: string | null = null;
      for (let more = true; more; ) {
        const { nodes, pageInfo } = await discussionsFor(scene.owner, { first: 2, after });
        seen.push(...nodes.map(({ replyId }: { replyId: string }) => replyId));
        [more, after] = [pageInfo.hasNextPage, pageInfo.endCursor];
      }
      assert.deepEqual(
        seen,
        all.nodes.map(({ replyId }: { replyId: string }) => replyId),
      );
    });

    it('are only visible to users who may read internal notes', async () => {
      const note = await addNote(scene.developer, 'Between us', { internal: true });
      const guest = await scene.server.must('GET /user', { token: scene.outsider.token });
      await scene.server.must(`POST /projects/${scene.project.id}/members`, {
        token: scene.owner.token,
        json: { user_id: guest.id, access_level: 10 },
      });
      assert.ok(JSON.stringify(await discussionsFor(scene.reporter)).includes('Between us'));
      // Guests of a private project cannot read merge requests.
      assert.deepEqual(await must(scene.outsider, threads, { path, iid: '1' }), {
        project: { id: `gid://gitlab/Project/${scene.project.id}`, mergeRequest: null },
      });
      await refused(scene.outsider, update, { id: note.id, body: 'Mine' });
      await scene.server.must(`DELETE /projects/${scene.project.id}/members/${guest.id}`, { token: scene.owner.token });
    });

    it('cannot be created without access or changed by other users', async () => {
      const note = await addNote(scene.owner, 'Mine');
      for (const person of [scene.outsider, null]) {
        await refused(person, createNote, { id, body: 'Hello' });
        await refused(person, update, { id: note.id, body: 'Yours' });
        await refused(person, destroy, { id: note.id });
      }
      await refused(scene.reporter, update, { id: note.id, body: 'Yours' });
      await refused(scene.reporter, destroy, { id: note.id });
      await refused(scene.owner, createNote, { id: 'gid://gitlab/MergeRequest/999999', body: 'Where?' });
      const blank = await must(scene.owner, createNote, { id, body: ' ' });
      assert.deepEqual(blank.createNote, { errors: ["Note can't be blank"], note: null });
    });

    it('cannot be changed with a read_api token or in GET requests', async () => {
      const { id: user } = scene.developer.user;
      const { token } = await scene.server.must(`POST /users/${user}/personal_access_tokens`, {
        json: { name: 'reads', scopes: ['read_api'] },
      });
      const reader = { ...scene.developer, token };
      assert.ok((await discussionsFor(reader)).nodes.length > 0);
      await refused(reader, createNote, { id, body: 'Hello' });
      const before = (await discussionsFor(scene.owner)).nodes.length;
      const got = `/api/graphql?query=${encodeURIComponent(createNote)}&variables=${encodeURIComponent(JSON.stringify({ id, body: 'By GET' }))}`;
      const { body } = await scene.server.api(`GET ${got}`, { token: scene.developer.token });
      assert.deepEqual(body.errors[0].message, 'Mutations are forbidden in GET requests');
      assert.equal((await discussionsFor(scene.owner)).nodes.length, before);
    });

    it('reject global ids of other models', async () => {
      const wrong = await ask(scene.owner, createNote, { id: `gid://gitlab/User/1`, body: 'Hello' });
      assert.match(wrong.body.errors[0].message, /does not represent an instance of Issue/);
      const none = await ask(scene.owner, createNote, { id: '5', body: 'Hello' });
      assert.match(none.body.errors[0].message, /is not a valid Global ID/);
    });
  });

  describe('GraphQL draft merge requests', () => {
    it('can be marked as draft and ready by users who may update them', async () => {
      const scene = await reviewScene(engine);
      await scene.branch('feature', 'new.txt', 'one\n');
      await scene.open(scene.developer, 'feature', { title: 'Add a file' });
      const projectPath = `${scene.owner.user.username}/${scene.project.path}`;
      const query = `mutation ($projectPath: ID!, $iid: String!, $draft: Boolean!) {
        mergeRequestSetDraft(input: { projectPath: $projectPath, iid: $iid, draft: $draft }) { errors mergeRequest { title draft } }
      }`;
      const set = (person: Person, draft: boolean) =>
        askGraphql(scene.server, query, { projectPath, iid: '1', draft }, { token: person.token });
      const drafted = await set(scene.developer, true);
      assert.deepEqual(drafted.body.data.mergeRequestSetDraft.mergeRequest, {
        title: 'Draft: Add a file',
        draft: true,
      });
      assert.equal((await set(scene.outsider, false)).body.errors[0].message, unavailable);
      const ready = await set(scene.owner, false);
      assert.deepEqual(ready.body.data.mergeRequestSetDraft.mergeRequest, { title: 'Add a file', draft: false });
    });
  });
});
