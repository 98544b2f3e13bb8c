import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { forEachEngine } from '../support/engines.ts';
import { askGraphql, mustGraphql, unavailable } from '../support/graphql.ts';
import { type ReviewScene, reviewScene } from '../support/merge-requests.ts';
import { addPerson, type Person } from '../support/scene.ts';

const commits = `query ($path: ID!, $iid: String!, $first: Int, $after: String) {
  project(fullPath: $path) {
    mergeRequest(iid: $iid) {
      commits(first: $first, after: $after) {
        count pageInfo { hasNextPage endCursor }
        nodes { sha shortId title fullTitle description authorName authoredDate webUrl author { username } }
      }
    }
  }
}`;
const merging = `query ($path: ID!, $iid: String!) {
  project(fullPath: $path) {
    mergeRequest(iid: $iid) {
      approvalsRequired approvalsLeft squashReadOnly defaultMergeCommitMessage defaultSquashCommitMessage
    }
  }
}`;
const awards = `query ($path: ID!, $iid: String!) {
  project(fullPath: $path) {
    mergeRequest(iid: $iid) {
      awardEmoji { nodes { name emoji user { username } } }
      discussions { nodes { notes { nodes { id internal awardEmoji { nodes { name emoji user { username } } } } } } }
    }
  }
}`;
const toggle = `mutation ($id: AwardableID!, $name: String!) {
  awardEmojiToggle(input: { awardableId: $id, name: $name }) { awardEmoji { name } toggledOn errors }
}`;
const add = `mutation ($id: AwardableID!, $name: String!) {
  awardEmojiAdd(input: { awardableId: $id, name: $name }) { awardEmoji { name } errors }
}`;
const remove = `mutation ($id: AwardableID!, $name: String!) {
  awardEmojiRemove(input: { awardableId: $id, name: $name }) { awardEmoji { name } errors }
}`;

forEachEngine((engine) => {
  describe('GraphQL merge request details', () => {
    let scene: ReviewScene;
    let path: string;
    let iid: string;
    let id: string;

    before(async () => {
      scene = await reviewScene(engine, 'public', { squash_option: 'always' });
      path = `${scene.owner.user.username}/${scene.project.path}`;
      const { name, email } = scene.developer.user;
      const unconfirmed = await addPerson(scene.server, 'unsure', { columns: { confirmed_at: null } });
      await scene.git.git('checkout', '-q', '-b', 'topic', 'main');
      const authors = [`${name} <${email.toUpperCase()}>`, `unsure <${unconfirmed.user.email}>`];
      for (const [at, author] of authors.entries()) {
        const message = ['-m', `Commit ${at}`, '-m', 'Because.'];
        await scene.git.git('commit', '-q', '--allow-empty', '--author', author, ...message);
      }
      await scene.push(scene.developer, 'topic');
      const request = await scene.open(scene.developer, 'topic', { title: 'Topic' });
      [iid, id] = [String(request.iid), `gid://gitlab/MergeRequest/${request.id}`];
    });

    const sending = (person: Person | null) => ({ token: person?.token ?? null });
    const must = (person: Person | null, query: string, variables = {}) =>
      mustGraphql(scene.server, query, { path, iid, ...variables }, sending(person));
    const refused = async (person: Person | null, query: string, variables = {}) => {
      const { body } = await askGraphql(scene.server, query, variables, sending(person));
      assert.equal(body.errors?.[0]?.message, unavailable);
    };

    it('lists commits, with author accounts only for confirmed email addresses', async () => {
      const { commits: listed } = (await must(scene.reporter, commits)).project.mergeRequest;
      const commitRows = listed.nodes.map(
        ({ fullTitle, description, author }: Record<string, { username: string }>) => [
          fullTitle,
          description,
          author?.username ?? null,
        ],
      );
      assert.equal(listed.count, 2);
      assert.deepEqual(commitRows, [
        ['Commit 1', 'Because.', null],
        ['Commit 0', 'Because.', scene.developer.user.username],
      ]);
      const first = (await must(scene.reporter, commits, { first: 1 })).project.mergeRequest.commits;
      assert.deepEqual([first.nodes.length, first.pageInfo.hasNextPage], [1, true]);
      const next = { first: 1, after: first.pageInfo.endCursor };
      const second = (await must(scene.reporter, commits, next)).project.mergeRequest.commits;
      assert.deepEqual([second.nodes[0].fullTitle, second.pageInfo.hasNextPage], ['Commit 0', false]);
    });

    it('returns the default commit messages to signed-in users', async () => {
      const { mergeRequest } = (await must(scene.developer, merging)).project;
      assert.deepEqual(mergeRequest, {
        approvalsRequired: 0,
        approvalsLeft: 0,
        squashReadOnly: true,
        defaultMergeCommitMessage: `Merge branch 'topic' into 'main'\n\nTopic\n\nSee merge request ${path}!${iid}`,
        defaultSquashCommitMessage: 'Topic',
      });
      const json = { squash_commit_template: '%{title}, merged by %{merged_by}' };
      await scene.server.must(`PUT /projects/${scene.project.id}`, { token: scene.owner.token, json });
      const { name, email } = scene.owner.user;
      const own = (await must(scene.owner, merging)).project.mergeRequest;
      assert.equal(own.defaultSquashCommitMessage, `Topic, merged by ${name} <${email}>`);
      const nobody = (await must(null, merging)).project.mergeRequest;
      assert.deepEqual([nobody.defaultMergeCommitMessage, nobody.defaultSquashCommitMessage], [null, null]);
    });

    it('adds and removes emoji reactions', async () => {
      const note = (await scene.api(scene.owner, `POST ${scene.base}/${iid}/notes`, { json: { body: 'Look' } })).body;
      const secret = (
        await scene.api(scene.owner, `POST ${scene.base}/${iid}/notes`, { json: { body: 'Hush', internal: true } })
      ).body;
      const [onNote, onSecret] = [note, secret].map((each) => `gid://gitlab/Note/${each.id}`);
      const added = await must(scene.reporter, toggle, { id: onNote, name: 'thumbsup' });
      assert.deepEqual(added.awardEmojiToggle, { awardEmoji: { name: 'thumbsup' }, toggledOn: true, errors: [] });
      await must(scene.outsider, add, { id: onNote, name: 'tada' });
      await must(scene.owner, add, { id: onSecret, name: 'eyes' });
      await must(scene.owner, toggle, { id, name: 'rocket' });

      const seen = async (person: Person | null) => {
        const { mergeRequest } = (await must(person, awards)).project;
        const notes = mergeRequest.discussions.nodes.flatMap(
          (thread: Record<string, { nodes: object[] }>) => thread.notes?.nodes,
        );
        return {
          request: mergeRequest.awardEmoji.nodes.map(({ name }: { name: string }) => name),
          notes: notes.map((each: { awardEmoji: { nodes: { name: string }[] } }) =>
            each.awardEmoji.nodes.map(({ name }) => name),
          ),
        };
      };
      assert.deepEqual(await seen(scene.owner), { request: ['rocket'], notes: [['thumbsup', 'tada'], ['eyes']] });
      assert.deepEqual((await seen(scene.outsider)).notes, [['thumbsup', 'tada']]);

      const removed = await must(scene.reporter, toggle, { id: onNote, name: 'thumbsup' });
      assert.deepEqual(removed.awardEmojiToggle, { awardEmoji: null, toggledOn: false, errors: [] });
      await must(scene.outsider, remove, { id: onNote, name: 'tada' });
      assert.deepEqual((await seen(scene.owner)).notes, [[], ['eyes']]);
      await refused(scene.outsider, remove, { id: onNote, name: 'tada' });
      await refused(scene.outsider, toggle, { id: onSecret, name: 'tada' });
      await refused(null, toggle, { id: onNote, name: 'tada' });
      await refused(scene.owner, toggle, { id: 'gid://gitlab/Note/999999', name: 'tada' });
      await refused(scene.owner, add, { id: onNote, name: 'no-such-emoji' });
      const { body } = await askGraphql(
        scene.server,
        toggle,
        { id: 'gid://gitlab/User/1', name: 'x' },
        sending(scene.owner),
      );
      assert.match(body.errors[0].message, /does not represent an instance of Note/);
    });
  });
});
