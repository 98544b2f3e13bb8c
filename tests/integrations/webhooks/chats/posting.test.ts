import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type ChatKind, type ChatName, chatKinds } from '../../../../src/integrations/webhooks/chats/kinds.ts';
import { renderSentence } from '../../../../src/integrations/webhooks/chats/markup.ts';
import { chatRequestBody, isWanted } from '../../../../src/integrations/webhooks/chats/posting.ts';
import type { Settings } from '../../../../src/integrations/webhooks/integrations/settings.ts';

const project = { path_with_namespace: 'team/app', web_url: 'https://forge.test/team/app', default_branch: 'main' };
const user = { name: 'Ada' };
const zeros = '0'.repeat(40);
const [old, head] = ['a'.repeat(40), 'b'.repeat(40)];
const commit = { id: head, title: 'Fix <it>', url: `${project.web_url}/-/commit/${head}`, author: { name: 'Ada' } };
const push = {
  object_kind: 'push',
  ref: 'refs/heads/main',
  ref_protected: true,
  before: old,
  after: head,
  user_name: 'Ada',
  project,
  commits: [commit],
  total_commits_count: 1,
};
const issue = {
  object_kind: 'issue',
  user,
  project,
  object_attributes: {
    action: 'open',
    iid: 3,
    title: 'Broken',
    url: `${project.web_url}/-/issues/3`,
    description: 'a\nb',
  },
  labels: [{ title: 'bug' }, { title: 'urgent' }],
};
const pipeline = (status: string, ref = 'main') => ({
  object_kind: 'pipeline',
  user,
  project,
  commit,
  object_attributes: { id: 9, ref, tag: false, protected_ref: ref === 'stable', status, duration: 12 },
});

const said = (payload: object, settings: Settings = { branches_to_be_notified: 'all' }) =>
  (chatRequestBody(chatKinds.pumble, settings, 'push_hooks', payload) as { text: string } | undefined)?.text;

describe('chat messages', () => {
  const place = 'in [team/app](https://forge.test/team/app)';
  const line = `[bbbbbbbb](${commit.url}): Fix \\<it\\>`;
  const item = (deed: string) => `Ada ${deed} issue [\\#3 Broken](${project.web_url}/-/issues/3) ${place}`;
  for (const [name, payload, text] of [
    [
      'a push',
      push,
      `Ada pushed [1 commit](${project.web_url}/-/compare/${old}...${head}) to the branch [main](${project.web_url}/-/commits/main) ${place}\n${line}`,
    ],
    [
      'a new branch',
      { ...push, before: zeros },
      `Ada pushed the new branch [main](${project.web_url}/-/commits/main) ${place}\n${line}`,
    ],
    ['a removed branch', { ...push, after: zeros, commits: [] }, `Ada removed the branch main ${place}`],
    [
      'a tag',
      { ...push, object_kind: 'tag_push', ref: 'refs/tags/v1', before: zeros, commits: [] },
      `Ada pushed the new tag [v1](${project.web_url}/-/tags/v1) ${place}`,
    ],
    ['a new issue', issue, `${item('opened')}\na`],
    [
      'a closed issue',
      { ...issue, object_attributes: { ...issue.object_attributes, action: 'close' } },
      item('closed'),
    ],
    [
      'an issue whose words changed',
      { ...issue, object_attributes: { ...issue.object_attributes, action: 'update' } },
      undefined,
    ],
    [
      'a merge',
      {
        ...issue,
        object_kind: 'merge_request',
        object_attributes: { action: 'merge', iid: 4, title: 'Mend', url: 'https://forge.test/4' },
      },
      `Ada merged merge request [\\!4 Mend](https://forge.test/4) ${place}`,
    ],
    [
      'a comment',
      {
        object_kind: 'note',
        user,
        project,
        issue: { iid: 3, title: 'Broken' },
        object_attributes: { note: 'Hello @all', url: 'https://forge.test/n' },
      },
      `Ada commented on [issue \\#3 Broken](https://forge.test/n) ${place}\nHello @\u200ball`,
    ],
    [
      'a pipeline that failed',
      pipeline('failed'),
      `Pipeline [\\#9](${project.web_url}/-/pipelines/9) of main by Ada failed after 12 s ${place}\n${line}`,
    ],
    ['a running pipeline', pipeline('running'), undefined],
    [
      'a wiki page',
      {
        object_kind: 'wiki_page',
        user,
        project,
        object_attributes: { action: 'create', title: 'Home', url: 'https://forge.test/w' },
      },
      `Ada wrote the wiki page [Home](https://forge.test/w) ${place}`,
    ],
    [
      'a deployment',
      {
        object_kind: 'deployment',
        user,
        project,
        status: 'success',
        environment: 'production',
        short_sha: 'bbbbbbbb',
        commit_url: commit.url,
        commit_title: 'Fix <it>',
      },
      `Ada deployed to production ${place}\n${line}`,
    ],
    ['a created deployment', { object_kind: 'deployment', user, project, status: 'created' }, undefined],
    ['an unsupported event', { object_kind: 'emoji', user, project }, undefined],
  ] as const) {
    it(`describe ${name}`, () => assert.equal(said(payload), text));
  }
});

describe('chat event filters', () => {
  for (const [settings, payload, wanted] of [
    [{}, push, true],
    [{}, { ...push, ref: 'refs/heads/other' }, false],
    [{ branches_to_be_notified: 'all' }, { ...push, ref: 'refs/heads/other' }, true],
    [{ branches_to_be_notified: 'protected' }, { ...push, ref: 'refs/heads/other' }, true],
    [{ branches_to_be_notified: 'protected' }, { ...push, ref_protected: false }, false],
    [{ branches_to_be_notified: 'default_and_protected' }, { ...push, ref_protected: false }, true],
    [{}, { ...push, object_kind: 'tag_push', ref: 'refs/tags/v1' }, true],
    [{ branches_to_be_notified: 'protected' }, pipeline('failed', 'stable'), true],
    [{ branches_to_be_notified: 'protected' }, pipeline('failed'), false],
    [{ notify_only_broken_pipelines: true }, pipeline('success'), false],
    [{ notify_only_broken_pipelines: true }, pipeline('failed'), true],
    [{ labels_to_be_notified: '~bug, other' }, issue, true],
    [{ labels_to_be_notified: 'other' }, issue, false],
    [{ labels_to_be_notified: 'bug,urgent', labels_to_be_notified_behavior: 'match_all' }, issue, true],
    [{ labels_to_be_notified: 'bug,other', labels_to_be_notified_behavior: 'match_all' }, issue, false],
    [{ labels_to_be_notified: 'other' }, push, true],
  ] as const satisfies readonly (readonly [Settings, object, boolean])[]) {
    it(`${JSON.stringify(settings)}: ${payload.object_kind} ${wanted}`, () =>
      assert.equal(isWanted(settings, payload), wanted));
  }
});

describe('chat markup', () => {
  const link = { words: 'a|b](c <d>', url: 'https://forge.test/(x)?a="b"' };
  it('is rendered for Slack', () =>
    assert.equal(
      renderSentence('slack', ['<!here> & ', link]),
      '&lt;!here&gt; &amp; <https://forge.test/(x)?a="b"|a¦b](c &lt;d&gt;>',
    ));
  it('is rendered as Markdown', () =>
    assert.equal(
      renderSentence('markdown', ['*@here*', link]),
      '\\*@\u200bhere\\*[a\\|b\\]\\(c \\<d\\>](https://forge.test/%28x%29?a="b")',
    ));
  it('is rendered as HTML', () =>
    assert.equal(
      renderSentence('html', ['<b>', link]),
      '&lt;b&gt;<a href="https://forge.test/(x)?a=&quot;b&quot;">a|b](c &lt;d&gt;</a>',
    ));
});

describe('chat request bodies', () => {
  const sent = (name: ChatName, settings: Settings = {}, trigger = 'issue_hooks') =>
    chatRequestBody(chatKinds[name] as ChatKind, settings, trigger, issue) as Record<string, unknown>;
  it('have the format of each chat', () => {
    const slack = sent('slack', { username: 'forge', channel: '#all', channels: { issue_channel: '#bugs' } });
    assert.equal(slack.channel, '#bugs');
    assert.equal(slack.username, 'forge');
    assert.deepEqual(
      (slack.attachments as { text: string }[]).map(({ text }) => text),
      ['a'],
    );
    assert.equal(sent('mattermost', { channel: 'all' }, 'push_hooks').channel, 'all');
    assert.deepEqual(sent('discord').allowed_mentions, { parse: [] });
    assert.equal(sent('microsoft-teams')['@type'], 'MessageCard');
    assert.deepEqual(sent('hangouts-chat').thread, { threadKey: 'team/app#3' });
    assert.match(String(sent('webex-teams').markdown), /^Ada opened issue/);
    assert.equal(sent('unify-circuit').subject, 'team/app');
    const telegram = sent('telegram', { room: '-100', thread: 7 });
    assert.deepEqual([telegram.chat_id, telegram.message_thread_id, telegram.parse_mode], ['-100', 7, 'HTML']);
  });
});
