import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  fillTemplate,
  type MessageFacts,
  mergeMessage,
  squashMessage,
} from '../../../../src/review/merge-requests/merge/messages.ts';

const facts: MessageFacts = {
  sourceBranch: 'topic',
  targetBranch: 'main',
  title: 'Mend it',
  description: '',
  issues: '',
  fullReference: 'group/project!1',
  localReference: '!1',
  sourceProjectId: 7,
  url: 'http://localhost/group/project/-/merge_requests/1',
  commits: ['First\n', 'Second\n\nWith a body\n'],
  reviewedBy: ['Ann <ann@example.com>'],
  approvedBy: [],
  mergedBy: 'Bob <bob@example.com>',
  author: 'Eve <eve@example.com>',
  coAuthors: [],
};

describe('merge commit messages', () => {
  it('have the documented defaults', () => {
    assert.equal(
      mergeMessage(null, facts),
      "Merge branch 'topic' into 'main'\n\nMend it\n\nSee merge request group/project!1",
    );
    assert.match(mergeMessage(null, { ...facts, issues: '#1 and #2' }), /\n\nCloses #1 and #2\n\n/);
    assert.equal(squashMessage(null, facts), 'Mend it');
  });

  it('are filled from templates', () => {
    const cases: [string, string][] = [
      ['%{title} %{unknown}', 'Mend it %{unknown}'],
      ['a\r\nb', 'a\nb'],
      ['%{title}\n\n%{issues}\n\n%{local_reference}', 'Mend it\n\n!1'],
      ['%{title}\n\n%{issues}', 'Mend it'],
      ['%{title}\n%{description}\nend', 'Mend it\nend'],
      ['%{first_commit}', 'First'],
      ['%{first_multiline_commit}', 'Second\n\nWith a body'],
      ['%{first_multiline_commit_description}', 'With a body'],
      ['%{all_commits}', '* First\n\n* Second\n\nWith a body'],
      ['%{reviewed_by}', 'Reviewed-by: Ann <ann@example.com>'],
      ['x\n\n%{approved_by}\n%{co_authored_by}', 'x'],
      ['%{source_branch} %{target_branch} %{source_project_id}', 'topic main 7'],
    ];
    for (const [template, expected] of cases) assert.equal(fillTemplate(template, facts), expected, template);
  });

  it('leave out commit bodies that are too long', () => {
    const long = { ...facts, commits: [`Title\n\n${'x'.repeat(101 * 1024)}`] };
    assert.equal(fillTemplate('%{all_commits}', long), '* Title\n\n-- Skipped commit body exceeding 100KiB in size.');
  });
});
