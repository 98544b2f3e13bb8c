import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Gitlab } from '@gitbeaker/rest';
import { forEachEngine } from '../support/engines.ts';
import { rootToken, startTestServer } from '../support/server.ts';
import { workTree } from './gitbeaker-scene.ts';
import { undrivenOperations } from './operations.ts';

const one = '/projects/{id}/merge_requests/{merge_request_iid}';

/** Operations without a gitbeaker method, or with one that does not use the documented URL. */
const withoutMethod = [
  // Its methods for these do not send the path of the group.
  'GET /analytics/group_activity/issues_count',
  'GET /analytics/group_activity/merge_requests_count',
  'GET /analytics/group_activity/new_members_count',
  'GET /groups/{id}/approval_rules',
  'GET /groups/{id}/approval_rules/{approval_rule_id}',
  'POST /groups/{id}/approval_rules',
  'GET /groups/{id}/approval_rules/{approval_rule_id}',
  'PUT /groups/{id}/approval_rules/{approval_rule_id}',
  'GET /groups/{id}/merge_request_approval_setting',
  'PUT /groups/{id}/merge_request_approval_setting',
  'GET /projects/{id}/merge_request_approval_setting',
  'PUT /projects/{id}/merge_request_approval_setting',
  'GET /projects/{id}/approval_settings',
  'GET /projects/{id}/merge_trains/{target_branch}',
  'POST /projects/{id}/approval_settings/rules',
  'PUT /projects/{id}/approval_settings/rules/{approval_rule_id}',
  'DELETE /projects/{id}/approval_settings/rules/{approval_rule_id}',
  `GET ${one}/approval_rules/{approval_rule_id}`,
  `GET ${one}/approval_settings`,
  `POST ${one}/approvals`,
  `POST ${one}/status_checks/{external_status_check_id}/retry`,
  `GET ${one}/blockees`,
  `GET ${one}/blocks`,
  `POST ${one}/blocks`,
  `GET ${one}/blocks/{block_id}`,
  `DELETE ${one}/blocks/{block_id}`,
  `GET ${one}/conflicts`,
  `GET ${one}/default_messages`,
  `GET ${one}/diff_stats`,
  `POST ${one}/resolve_conflicts`,
  `POST ${one}/context_commits`,
  `DELETE ${one}/context_commits`,
  `GET ${one}/discussions/{discussion_id}/notes`,
  `GET ${one}/discussions/{discussion_id}/notes/{note_id}`,
  `PUT ${one}/draft_notes/{draft_note_id}`,
  `GET ${one}/merge_ref`,
  `GET ${one}/notes/award_emoji`,
  `GET ${one}/raw_diffs`,
  `PUT ${one}/reset_approvals`,
  `GET ${one}/viewed_files`,
  `PUT ${one}/viewed_files/{version}`,
  `DELETE ${one}/viewed_files/{version}`,
];

forEachEngine((engine) => {
  it('gitbeaker calls every merge request operation it supports', async () => {
    const server = await startTestServer(engine);
    const settle = () => server.running.services.queue.drain();
    const api = new Gitlab({ host: server.url, token: rootToken });
    const group = await api.Groups.create('Reviewed', 'reviewed');
    const { id } = await api.Projects.create({ name: 'Merged', namespaceId: group.id });
    const git = await workTree(server, 'reviewed/merged');
    const config = 'build: { script: [make], rules: [{ if: $CI_MERGE_REQUEST_IID }] }\n';
    await git.commit({ 'a.txt': 'one\ntwo\nthree\n', '.gitlab-ci.yml': config }, 'Begin');
    await git.git('push', '-q', 'origin', 'main');
    await git.git('checkout', '-q', '-b', 'topic');
    await git.commit({ 'a.txt': '1\n2\n3\n' }, 'Change');
    await git.git('push', '-q', 'origin', 'topic', 'topic:again');
    const issue = await api.Issues.create(id, 'Two is a word');
    const shared = await api.GroupMilestones.create(group.id, 'Shared');
    const own = await api.ProjectMilestones.create(id, 'Own');
    const requests = api.MergeRequests;
    const { iid } = await requests.create(id, 'topic', 'main', 'Bring it', {
      description: `Closes #${issue.iid}`,
      milestoneId: own.id,
      labels: 'bug',
    });
    await settle();

    assert.equal((await requests.all({ projectId: id })).length, 1);
    assert.equal((await requests.all({ groupId: group.id })).length, 1);
    assert.equal((await requests.all({ scope: 'created_by_me' })).length, 1);
    assert.equal((await api.ProjectMilestones.allAssignedMergeRequests(id, own.id)).length, 1);
    await requests.edit(id, iid, { milestoneId: shared.id, stateEvent: 'close' });
    await requests.edit(id, iid, { stateEvent: 'reopen' });
    assert.equal((await api.GroupMilestones.allAssignedMergeRequests(group.id, shared.id)).length, 1);
    for (const events of [api.MergeRequestLabelEvents, api.MergeRequestMilestoneEvents, api.MergeRequestStateEvents]) {
      const [first] = (await events.all(id, iid)) as { id: number }[];
      assert.ok(first);
      assert.equal(((await events.show(id, iid, first.id)) as { id: number }).id, first.id);
    }
    await settle();
    const shown = await requests.show(id, iid);
    assert.equal((await requests.allIssuesClosed(id, iid)).length, 1);
    assert.equal((await requests.allIssuesRelated(id, iid)).length, 1);
    assert.equal((await api.Issues.allRelatedMergeRequests(id, issue.iid)).length, 1);
    assert.deepEqual(await requests.showReviewers(id, iid), []);
    assert.equal((await requests.allParticipants(id, iid)).length, 1);
    assert.equal((await requests.allDiffs(id, iid)).length, 1);
    assert.equal((await requests.allCommits(id, iid)).length, 1);
    assert.equal((await requests.showChanges(id, iid)).changes?.length, 1);
    const [version] = await requests.allDiffVersions(id, iid);
    assert.equal((await requests.showDiffVersion(id, iid, version?.id ?? 0)).head_commit_sha, shown.sha);
    assert.ok((await requests.mergeToDefault(id, iid)).commit_id);
    await requests.setTimeEstimate(id, iid, '2h');
    await requests.addSpentTime(id, iid, '1h');
    await requests.resetTimeEstimate(id, iid);
    await requests.resetSpentTime(id, iid);
    assert.equal((await requests.showTimeStats(id, iid)).total_time_spent, 0);
    await requests.unsubscribe(id, iid);
    await requests.subscribe(id, iid);
    await requests.createTodo(id, iid);
    assert.deepEqual(await api.MergeRequestContextCommits.all(id, iid), []);

    const award = await api.MergeRequestAwardEmojis.award(id, iid, 'heart');
    assert.equal((await api.MergeRequestAwardEmojis.all(id, iid)).length, 1);
    await api.MergeRequestAwardEmojis.show(id, iid, award.id);
    await api.MergeRequestAwardEmojis.remove(id, iid, award.id);
    const notes = api.MergeRequestNotes;
    const note = await notes.create(id, iid, 'Said');
    await notes.edit(id, iid, note.id, { body: 'Said again' });
    assert.equal((await notes.show(id, iid, note.id)).body, 'Said again');
    assert.ok((await notes.all(id, iid)).length > 0);
    const given = await api.MergeRequestNoteAwardEmojis.award(id, iid, note.id, 'heart');
    assert.equal((await api.MergeRequestNoteAwardEmojis.all(id, iid, note.id)).length, 1);
    await api.MergeRequestNoteAwardEmojis.show(id, iid, note.id, given.id);
    await api.MergeRequestNoteAwardEmojis.remove(id, iid, note.id, given.id);
    await notes.remove(id, iid, note.id);

    const drafts = api.MergeRequestDraftNotes;
    const [first, second] = [await drafts.create(id, iid, 'One'), await drafts.create(id, iid, 'Two')];
    assert.equal((await drafts.show(id, iid, first.id)).note, 'One');
    await drafts.publish(id, iid, first.id);
    await drafts.remove(id, iid, second.id);
    await drafts.create(id, iid, 'Three');
    await drafts.publishBulk(id, iid);
    assert.deepEqual(await drafts.all(id, iid), []);

    const threads = api.MergeRequestDiscussions;
    const { base_sha, start_sha, head_sha } = shown.diff_refs as Record<'base_sha' | 'start_sha' | 'head_sha', string>;
    const suggest = async (line: number) => {
      const position = {
        baseSha: base_sha,
        startSha: start_sha,
        headSha: head_sha,
        oldPath: 'a.txt',
        newPath: 'a.txt',
        positionType: 'text',
        newLine: String(line),
      } as const;
      const thread = await threads.create(id, iid, '```suggestion:-0+0\nbetter\n```', { position });
      const [made] = thread.notes as unknown as { suggestions: { id: number }[] }[];
      return made?.suggestions[0]?.id ?? 0;
    };
    const thread = await threads.create(id, iid, 'Why?');
    const reply = await threads.addNote(id, iid, thread.id, 'Because');
    await threads.editNote(id, iid, thread.id, reply.id, { body: 'Because of it' });
    await threads.resolve(id, iid, thread.id, true);
    await threads.removeNote(id, iid, thread.id, reply.id);
    assert.equal((await threads.show(id, iid, thread.id)).id, thread.id);
    assert.ok((await threads.all(id, iid)).length > 0);
    const [alone, ...together] = [await suggest(1), await suggest(2), await suggest(3)];
    await api.Suggestions.edit(alone ?? 0);
    await api.Suggestions.editBatch(together);
    await settle();

    const approvals = api.MergeRequestApprovals;
    await approvals.editConfiguration(id, { resetApprovalsOnPush: false });
    await approvals.showConfiguration(id);
    const rule = await approvals.createApprovalRule(id, 'All', 0);
    await approvals.editApprovalRule(id, rule.id, 'Everybody', 0);
    assert.equal((await approvals.showApprovalRule(id, rule.id)).name, 'Everybody');
    assert.equal((await approvals.allApprovalRules(id)).length, 1);
    await approvals.removeApprovalRule(id, rule.id);
    const mine = await approvals.createApprovalRule(id, 'Mine', 0, { mergerequestIId: iid });
    await approvals.editApprovalRule(id, mine.id, 'Ours', 0, { mergerequestIId: iid });
    assert.equal((await approvals.allApprovalRules(id, { mergerequestIId: iid })).length, 1);
    assert.equal((await approvals.showApprovalState(id, iid)).rules.length, 1);
    await approvals.removeApprovalRule(id, mine.id, { mergerequestIId: iid });
    await approvals.approve(id, iid);
    await approvals.showConfiguration(id, { mergerequestIId: iid });
    await approvals.unapprove(id, iid);

    const checks = api.ExternalStatusChecks;
    const check = await checks.create(id, 'QA', 'https://qa.example.com');
    await checks.edit(id, check.id, { name: 'Quality' });
    assert.equal((await checks.all(id))[0]?.name, 'Quality');
    const { sha: head } = await requests.show(id, iid);
    await checks.set(id, iid, head, check.id, { status: 'passed' });
    assert.equal((await checks.all(id, { mergerequestIId: iid }))[0]?.status, 'passed');
    await checks.remove(id, check.id);

    await requests.createPipeline(id, iid);
    assert.ok((await requests.allPipelines(id, iid)).length > 0);
    await settle();
    await requests.merge(id, iid, { mergeWhenPipelineSucceeds: true });
    await requests.cancelOnPipelineSuccess(id, iid);
    await requests.rebase(id, iid);
    await settle();
    await requests.merge(id, iid);
    const environment = await api.Environments.create(id, 'live');
    const { id: tip } = await api.Commits.show(id, 'main');
    const deployment = await api.Deployments.create(id, environment.name, tip, 'main', false, { status: 'success' });
    await settle();
    assert.equal((await api.Deployments.allMergeRequests(id, deployment.id)).length, 1);
    const frequency = await api.ProjectDORA4Metrics.all(id, 'deployment_frequency', { interval: 'all' });
    assert.deepEqual(frequency, [{ date: null, value: 1 }]);
    const ofGroup = await api.GroupDORA4Metrics.all(group.id, 'lead_time_for_changes', { interval: 'all' });
    assert.equal(typeof ofGroup[0]?.value, 'number');
    const other = await requests.create(id, 'again', 'main', 'Not it');
    await requests.remove(id, other.iid);

    const onTrain = `test: { script: [make], rules: [{ if: '$CI_MERGE_REQUEST_EVENT_TYPE == "merge_train"' }] }\n`;
    await api.RepositoryFiles.edit(id, '.gitlab-ci.yml', 'main', onTrain, 'Run on trains alone');
    await api.Projects.edit(id, { mergePipelinesEnabled: true, mergeTrainsEnabled: true });
    await api.RepositoryFiles.create(id, 'b.txt', 'rides', 'b\n', 'Ride', { startBranch: 'main' });
    const riding = await requests.create(id, 'rides', 'main', 'Ride');
    await settle();
    await api.MergeTrains.addMergeRequest(id, riding.iid, { sha: riding.sha });
    await settle();
    assert.equal((await api.MergeTrains.showStatus(id, riding.iid)).pipeline.status, 'pending');
    assert.equal((await api.MergeTrains.all(id, { scope: 'active' })).length, 1);
    assert.equal((await api.MergeTrains.all(id, { targetBranch: 'main' })).length, 1);

    const left = await undrivenOperations(server.url, false);
    const routes = left.filter((operation) =>
      /merge_train|merge_request|approval_|approvals|suggestions|status_checks|dora|analytics/.test(operation),
    );
    const known = new Set([...withoutMethod, 'GET /projects/{id}/repository/commits/{sha}/merge_requests']);
    assert.deepEqual(
      routes.filter((operation) => !known.has(operation)),
      [],
    );
  });
});
