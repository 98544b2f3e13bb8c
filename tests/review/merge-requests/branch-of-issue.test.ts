import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { branchFor } from '../../../src/review/merge-requests/from-issue/branch.ts';

describe('the default branch name for an issue', () => {
  const cases: [title: string, template: string | null, branch: string][] = [
    ['Fix the Löw-level API!', null, '7-fix-the-lo-w-level-api'],
    ['???', null, '7'],
    ['a'.repeat(300), null, `7-${'a'.repeat(100)}`],
    ['Fix it', 'issue/%{id}/%{title}', 'issue/7/fix-it'],
    ['Cost of $& and %{id}', '%{title}-%{id}', 'cost-of-and-id-7'],
    ['Fix it', 'always-this', 'always-this'],
    ['Fix it', '', '7-fix-it'],
  ];
  for (const [title, template, branch] of cases) {
    it(`is ${branch.slice(0, 30)} for ${title.slice(0, 20)} by ${template}`, () => {
      assert.equal(branchFor({ iid: 7, title, confidential: 0 }, template), branch);
    });
  }

  it('does not reveal the title of a confidential issue', () => {
    assert.equal(branchFor({ iid: 7, title: 'Hole', confidential: 1 }, '%{id}-%{title}'), '7-confidential-issue');
  });
});
