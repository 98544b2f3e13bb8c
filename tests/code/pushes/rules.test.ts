import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { protectionLevels } from '../../../src/access/namespaces/branch-protection.ts';
import { BranchAccess, type Grant, type Pusher, TagAccess } from '../../../src/code/protected-refs/access.ts';
import type { PushRuleRow } from '../../../src/code/protected-refs/tables.ts';
import { commitProblem, fileNameProblem, fileSizeProblem } from '../../../src/code/pushes/checks/commit-rules.ts';
import {
  type BranchFacts,
  branchProblem,
  type TagFacts,
  tagProblem,
} from '../../../src/code/pushes/checks/ref-rules.ts';
import { readRef } from '../../../src/code/pushes/ref-kind.ts';
import type { Commit } from '../../../src/platform/git/objects/commit.ts';

const old = '1'.repeat(40);
const now = '2'.repeat(40);

const pusher = (level: number, more: Partial<Pusher> = {}): Pusher => ({
  mayPush: level >= 30,
  mayChangeTags: level >= 30,
  level,
  admin: false,
  userId: 1,
  groupIds: new Set(),
  deployKeyId: null,
  ...more,
});
const grant = (action: Grant['action'], access_level: number): Grant => ({
  action,
  access_level,
  user_id: null,
  group_id: null,
  deploy_key_id: null,
});
const guarded = [
  { name: 'main', allowForcePush: false, codeOwners: false, grants: [grant('push', 40), grant('merge', 30)] },
];

const branchFacts = (level: number, more: Partial<BranchFacts> = {}): BranchFacts => ({
  access: new BranchAccess(guarded, pusher(level)),
  defaultBranch: 'main',
  emptyRepository: false,
  protocol: 'http',
  purpose: 'push',
  forced: false,
  onProtectedBranch: false,
  ...more,
});

describe('branchProblem', () => {
  const create = { old: null, new: now };
  const move = { old, new: now };
  const remove = { old, new: null };
  const pushText = 'You are not allowed to push code to protected branches on this project.';
  const deletion =
    'You are not allowed to delete protected branches from this project. ' +
    'Only a project maintainer or owner can delete a protected branch.';
  const table: [string, string, { old: string | null; new: string | null }, BranchFacts, string | undefined][] = [
    ['update of an unprotected branch by a developer', 'topic', move, branchFacts(30), undefined],
    ['force push to an unprotected branch', 'topic', move, branchFacts(30, { forced: true }), undefined],
    ['deletion of an unprotected branch', 'topic', remove, branchFacts(30), undefined],
    [
      'a name that is an object ID',
      'a'.repeat(40),
      create,
      branchFacts(40),
      'You cannot create a branch with a SHA-1 or SHA-256 branch name.',
    ],
    [
      'a name that begins with an object ID',
      `${'a'.repeat(40)}-x`,
      create,
      branchFacts(40),
      'You cannot create a branch with a SHA-1 or SHA-256 branch name.',
    ],
    ['deletion of a branch named like an object ID', 'a'.repeat(40), remove, branchFacts(30), undefined],
    ['a name with a leading dash', '-x', create, branchFacts(40), 'You cannot create a branch with an invalid name.'],
    ['HEAD', 'HEAD', create, branchFacts(40), 'You cannot create a branch with an invalid name.'],
    [
      'creation of a branch with invalid UTF-8',
      'caf\u{fffd}',
      create,
      branchFacts(40),
      'You cannot create a branch with an invalid name.',
    ],
    ['deletion of a branch with invalid UTF-8', 'caf\u{fffd}', remove, branchFacts(30), undefined],
    [
      'deletion of the default branch',
      'main',
      remove,
      branchFacts(50),
      'The default branch of a project cannot be deleted.',
    ],
    ['push to a protected branch by a developer', 'main', move, branchFacts(30), pushText],
    ['push to a protected branch by a maintainer', 'main', move, branchFacts(40), undefined],
    [
      'force push to a protected branch',
      'main',
      move,
      branchFacts(40, { forced: true }),
      'You are not allowed to force push code to a protected branch on this project.',
    ],
    ['merge by a developer', 'main', move, branchFacts(30, { purpose: 'merge' }), undefined],
    [
      'merge by a reporter',
      'main',
      move,
      branchFacts(20, { purpose: 'merge' }),
      'You are not allowed to merge code into protected branches on this project.',
    ],
    ['deletion of a protected branch', 'main', remove, branchFacts(50, { defaultBranch: 'trunk' }), deletion],
    ['creation of a protected branch by a maintainer', 'main', create, branchFacts(40), undefined],
    [
      'creation of a protected branch from an unprotected commit',
      'main',
      create,
      branchFacts(30),
      'You can only use an existing protected branch ref as the basis of a new protected branch.',
    ],
    [
      'creation of a protected branch by git',
      'main',
      create,
      branchFacts(30, { onProtectedBranch: true }),
      'You can only create protected branches using the web interface and API.',
    ],
    [
      'creation of a protected branch by API',
      'main',
      create,
      branchFacts(30, { onProtectedBranch: true, protocol: 'web' }),
      undefined,
    ],
    [
      'creation of a protected branch by a user who may not merge',
      'main',
      create,
      branchFacts(30, {
        access: new BranchAccess(
          [{ name: '*', allowForcePush: false, codeOwners: false, grants: [grant('push', 40)] }],
          pusher(30),
        ),
      }),
      'You are not allowed to create protected branches on this project.',
    ],
  ];
  for (const [what, name, change, facts, text] of table) {
    it(what, () => assert.equal(branchProblem({ ref: `refs/heads/${name}`, ...change }, name, facts), text));
  }

  it('applies the future default branch protection in an empty repository', () => {
    const may = [0, 1, 2, 3, 4].map((level) => {
      const access = new BranchAccess([], pusher(30), protectionLevels[level]);
      const facts = branchFacts(30, { access, emptyRepository: true });
      return branchProblem({ ref: 'refs/heads/any', old: null, new: now }, 'any', facts) === undefined;
    });
    assert.deepEqual(may, [true, true, false, false, true]);
  });
});

describe('tagProblem', () => {
  const rules = [{ name: 'v*', allowForcePush: false, codeOwners: false, grants: [grant('create', 40)] }];
  const facts = (level: number, more: Partial<TagFacts> = {}): TagFacts => ({
    access: new TagAccess(rules, pusher(level)),
    defaultBranch: 'main',
    protocol: 'http',
    denyDelete: false,
    ...more,
  });
  const table: [string, string, [string | null, string | null], TagFacts, string | undefined][] = [
    ['made', 'x', [null, now], facts(30), undefined],
    ['moved', 'x', [old, now], facts(30), undefined],
    [
      'named like the default branch',
      'main',
      [null, now],
      facts(40),
      'You cannot use default branch name to create a tag',
    ],
    [
      'named like an object ID',
      'b'.repeat(40),
      [null, now],
      facts(40),
      'You cannot create a tag with a SHA-1 or SHA-256 tag name.',
    ],
    ...['refs/tags/x', 'refs/heads/x', '-x', 'HEAD', 'a b'].map(
      (name): [string, string, [null, string], TagFacts, string] => [
        `named ${name}`,
        name,
        [null, now],
        facts(40),
        'You cannot create a tag with a prohibited pattern.',
      ],
    ),
    ['with refs/tags/ inside the name', 'for-refs/tags/x', [null, now], facts(30), undefined],
    [
      'named with invalid UTF-8',
      'caf\u{fffd}',
      [null, now],
      facts(40),
      'Tag names must be valid when converted to UTF-8 encoding',
    ],
    ...[now, null].map((to): [string, string, [string, string | null], TagFacts, string] => [
      `${to === null ? 'deleted' : 'moved'} by the key of somebody who has left`,
      'x',
      [old, to],
      facts(30, { access: new TagAccess(rules, pusher(0, { mayPush: true, userId: null, deployKeyId: 0 })) }),
      'You are not allowed to change existing tags on this project.',
    ]),
    [
      'protected, created by a developer',
      'v1',
      [null, now],
      facts(30),
      'You are not allowed to create this tag as it is protected.',
    ],
    ['protected, created by a maintainer', 'v1', [null, now], facts(40), undefined],
    ['protected, updated', 'v1', [old, now], facts(40), 'Protected tags cannot be updated.'],
    [
      'protected, deleted by git',
      'v1',
      [old, null],
      facts(40),
      'You can only delete protected tags using the web interface.',
    ],
    ['protected, deleted by API', 'v1', [old, null], facts(40, { protocol: 'web' }), undefined],
    [
      'protected, deleted by a developer',
      'v1',
      [old, null],
      facts(30, { protocol: 'web' }),
      'You are not allowed to delete protected tags from this project. Only a project maintainer or owner can delete a protected tag.',
    ],
    ['deleted despite deny_delete_tag', 'x', [old, null], facts(30, { denyDelete: true }), 'You cannot delete a tag'],
    [
      'deleted by API despite deny_delete_tag',
      'x',
      [old, null],
      facts(30, { denyDelete: true, protocol: 'web' }),
      undefined,
    ],
  ];
  for (const [what, name, [from, to], given, text] of table) {
    it(what, () => assert.equal(tagProblem({ ref: `refs/tags/${name}`, old: from, new: to }, name, given), text));
  }
});

describe('push rules for commits', () => {
  const blank: PushRuleRow = {
    id: 1,
    project_id: 1,
    namespace_id: null,
    commit_message_regex: null,
    commit_message_negative_regex: null,
    branch_name_regex: null,
    author_email_regex: null,
    file_name_regex: null,
    deny_delete_tag: 0,
    member_check: 0,
    prevent_secrets: 0,
    max_file_size: 0,
    commit_committer_check: 0,
    commit_committer_name_check: 0,
    reject_unsigned_commits: 0,
    reject_non_dco_commits: 0,
    created_at: 0,
  };
  const who = { name: 'Ann', email: 'Ann@Example.com', seconds: 0, zone: 0 };
  const commit: Commit = {
    oid: now,
    tree: old,
    parents: [],
    author: who,
    committer: who,
    message: 'Fix JIRA-1\n',
    signature: undefined,
    encoding: undefined,
  };
  const check = (rule: Partial<PushRuleRow>, change: Partial<Commit> = {}, byApi = false) =>
    commitProblem(
      { ...commit, ...change },
      {
        rule: { ...blank, ...rule },
        pusher: { name: 'Ann', emails: new Set(['ann@example.com']) },
        known: new Set(['ann@example.com']),
        byApi,
      },
    );
  const other = { ...who, name: 'Bob', email: 'bob@example.org' };

  it('accept everything by default', () => assert.equal(check({}), undefined));
  it('check the commit message', () => {
    assert.equal(check({ commit_message_regex: 'JIRA-\\d+' }), undefined);
    assert.equal(check({ commit_message_regex: '^JIRA' }), "Commit message does not follow the pattern '^JIRA'");
    assert.equal(
      check({ commit_message_negative_regex: 'Fix' }),
      "Commit message contains the forbidden pattern 'Fix'",
    );
  });
  it('check the author and committer addresses', () => {
    const rule = { author_email_regex: '@Example\\.com$' };
    assert.equal(check(rule), undefined);
    const text = (word: string) =>
      `${word}'s commit email 'bob@example.org' does not follow the pattern '@Example\\.com$'`;
    assert.equal(check(rule, { author: other }), text('Author'));
    assert.equal(check(rule, { committer: other }), text('Committer'));
  });
  it('check that author and committer are users', () => {
    assert.equal(check({ member_check: 1 }), undefined);
    assert.equal(check({ member_check: 1 }, { author: other }), "Author 'bob@example.org' is not a member of team");
  });
  it('check that the pusher is the committer', () => {
    assert.equal(check({ commit_committer_check: 1 }), undefined);
    assert.match(
      check({ commit_committer_check: 1 }, { committer: other }) ?? '',
      /^You cannot push commits for 'bob@example.org'\./,
    );
    assert.match(check({ commit_committer_name_check: 1 }, { committer: other }) ?? '', /inconsistent/);
  });
  it('check signature and sign-off', () => {
    assert.equal(check({ reject_unsigned_commits: 1 }), 'Commit must be signed with a GPG key');
    assert.equal(check({ reject_unsigned_commits: 1 }, { signature: 'x' }), undefined);
    assert.equal(check({ reject_unsigned_commits: 1 }, {}, true), undefined);
    assert.equal(check({ reject_non_dco_commits: 1 }), 'Commit message must contain a DCO signoff');
    assert.equal(check({ reject_non_dco_commits: 1 }, { message: 'x\n\nSigned-off-by: Ann <a@b.c>\n' }), undefined);
  });
  it('check names and sizes of files', () => {
    const rule = { ...blank, file_name_regex: '\\.exe$', max_file_size: 1 };
    assert.equal(fileNameProblem(rule, 'a/b.exe'), 'File name a/b.exe was prohibited by the pattern "\\\\.exe$".');
    assert.equal(fileNameProblem(rule, 'id_rsa'), undefined);
    assert.match(
      fileNameProblem({ ...rule, prevent_secrets: 1 }, 'home/id_rsa') ?? '',
      /^File name home\/id_rsa was prohibited/,
    );
    assert.equal(fileSizeProblem(rule, 'x', 1024 * 1024), undefined);
    assert.match(
      fileSizeProblem(rule, 'x', 1024 * 1024 + 1) ?? '',
      /^File "x" is larger than the allowed size of 1 MiB\./,
    );
  });
  it('match a catastrophic regex in linear time', () => {
    assert.equal(check({ commit_message_regex: '(a+)+$' }, { message: `${'a'.repeat(5000)}b` })?.slice(0, 6), 'Commit');
  });
});

describe('readRef', () => {
  const table = [
    ['refs/heads/a/b', 'branch', 'a/b'],
    ['refs/tags/v1', 'tag', 'v1'],
    ['refs/notes/commits', 'other', 'refs/notes/commits'],
    ['refs/merge-requests/1/head', 'internal', 'refs/merge-requests/1/head'],
    ['refs/keep-around/x', 'internal', 'refs/keep-around/x'],
    ['refs/pipelines/1', 'internal', 'refs/pipelines/1'],
    ['HEAD', 'internal', 'HEAD'],
  ] as const;
  for (const [ref, kind, name] of table) it(ref, () => assert.deepEqual(readRef(ref), { kind, name }));
});
