import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { pipelineFact } from '../../../../src/review/merge-requests/mergeability/facts.ts';
import {
  cannotAutoMerge,
  detailedMergeStatus,
  invalidated,
  type MergeFacts,
  shownMergeStatus,
  stateRefusal,
} from '../../../../src/review/merge-requests/mergeability/status.ts';

const mergeable: MergeFacts = {
  stored: 'can_be_merged',
  state: 'opened',
  changesRequested: false,
  approved: true,
  blocked: false,
  issueMissing: false,
  checksOpen: false,
  tooEarly: false,
  draft: false,
  nothingToMerge: false,
  openThreads: false,
  titleRefused: false,
  lockedFiles: false,
  conflict: false,
  needsRebase: false,
  pipeline: 'passed',
};

/** Each row fails its own check; combined from any row on, the first one determines the status. */
const inOrder: [string, Partial<MergeFacts>][] = [
  ['preparing', { stored: 'preparing' }],
  ['requested_changes', { changesRequested: true }],
  ['not_approved', { approved: false }],
  ['merge_request_blocked', { blocked: true }],
  ['jira_association_missing', { issueMissing: true }],
  ['status_checks_must_pass', { checksOpen: true }],
  ['not_open', { state: 'closed' }],
  ['merge_time', { tooEarly: true }],
  ['draft_status', { draft: true }],
  ['commits_status', { nothingToMerge: true }],
  ['discussions_not_resolved', { openThreads: true }],
  ['title_regex', { titleRefused: true }],
  ['locked_lfs_files', { lockedFiles: true }],
  ['conflict', { conflict: true }],
  ['need_rebase', { needsRebase: true }],
  ['ci_must_pass', { pipeline: 'failed' }],
];

describe('detailed merge status', () => {
  it('reports the first failing check', () => {
    assert.equal(detailedMergeStatus(mergeable), 'mergeable');
    for (const [index, [status, failing]] of inOrder.entries()) {
      assert.equal(detailedMergeStatus({ ...mergeable, ...failing }), status);
      const all = Object.assign({}, mergeable, ...inOrder.slice(index).map(([, facts]) => facts));
      assert.equal(detailedMergeStatus(all), status, `${status} precedes later checks`);
    }
    assert.equal(detailedMergeStatus({ ...mergeable, pipeline: 'running' }), 'ci_still_running');
  });

  it('reports incomplete checks', () => {
    const known: [MergeFacts['stored'], string, string][] = [
      ['unchecked', 'unchecked', 'unchecked'],
      ['checking', 'checking', 'checking'],
      ['cannot_be_merged_rechecking', 'checking', 'checking'],
      ['preparing', 'preparing', 'checking'],
      ['can_be_merged', 'mergeable', 'can_be_merged'],
      ['cannot_be_merged_recheck', 'mergeable', 'cannot_be_merged_recheck'],
    ];
    for (const [stored, detailed, shown] of known) {
      assert.equal(detailedMergeStatus({ ...mergeable, stored }), detailed);
      assert.equal(shownMergeStatus(stored), shown);
    }
  });

  it('distinguishes forbidden from impossible merges', () => {
    assert.equal(stateRefusal({ ...mergeable, conflict: true, needsRebase: true }), undefined);
    assert.equal(stateRefusal({ ...mergeable, state: 'merged' }), 'not_open');
    assert.equal(stateRefusal({ ...mergeable, pipeline: 'running' }), 'ci_still_running');
  });

  it('permits auto-merge unless the check cannot resolve itself', () => {
    for (const failing of [
      { draft: true },
      { openThreads: true },
      { approved: false },
      { pipeline: 'failed' as const },
    ])
      assert.equal(cannotAutoMerge({ ...mergeable, ...failing }), false);
    for (const failing of [{ conflict: true }, { needsRebase: true }, { nothingToMerge: true }])
      assert.equal(cannotAutoMerge({ ...mergeable, ...failing }), true);
    assert.equal(cannotAutoMerge({ ...mergeable, state: 'closed' }), true);
  });

  it('is invalidated when a branch moves', () => {
    const moves: [MergeFacts['stored'], MergeFacts['stored']][] = [
      ['preparing', 'unchecked'],
      ['can_be_merged', 'unchecked'],
      ['checking', 'unchecked'],
      ['unchecked', 'unchecked'],
      ['cannot_be_merged', 'cannot_be_merged_recheck'],
      ['cannot_be_merged_rechecking', 'cannot_be_merged_recheck'],
    ];
    for (const [before, after] of moves) assert.equal(invalidated(before), after);
  });

  it('considers the pipeline if the project or auto-merge requires it', () => {
    const asks = { pipelineMustSucceed: true, skippedPipelineWillDo: false };
    const lax = { pipelineMustSucceed: false, skippedPipelineWillDo: false };
    assert.equal(pipelineFact(lax, undefined, false), 'passed');
    assert.equal(pipelineFact(lax, { status: 'failed' }, false), 'passed');
    assert.equal(pipelineFact(lax, { status: 'failed' }, true), 'failed');
    assert.equal(pipelineFact(lax, undefined, true), 'passed');
    assert.equal(pipelineFact(lax, undefined, true, 'missing'), 'failed');
    assert.equal(pipelineFact(lax, undefined, true, 'being made'), 'running');
    assert.equal(pipelineFact(lax, undefined, false, 'missing'), 'passed');
    assert.equal(pipelineFact(asks, undefined, false), 'failed');
    assert.equal(pipelineFact(asks, undefined, false, 'being made'), 'running');
    assert.equal(pipelineFact(asks, { status: 'running' }, false), 'running');
    assert.equal(pipelineFact(asks, { status: 'manual' }, false), 'failed');
    assert.equal(pipelineFact(asks, { status: 'skipped' }, false), 'failed');
    assert.equal(pipelineFact({ ...asks, skippedPipelineWillDo: true }, { status: 'skipped' }, false), 'passed');
    assert.equal(pipelineFact(asks, { status: 'success' }, false), 'passed');
  });
});
