import assert from 'node:assert/strict';
import { before, beforeEach, describe, it } from 'node:test';
import { Role } from '../../../src/access/roles.ts';
import type { Project } from '../../../src/access/tables.ts';
import { forEachEngine } from '../../support/engines.ts';
import { addMember, addPerson, addProject, type Person } from '../../support/scene.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { until } from '../../support/until.ts';

forEachEngine((engine) => {
  describe('quick actions on issues', () => {
    let server: TestServer;
    let owner: Person;
    let reporter: Person;
    let guest: Person;
    let outsider: Person;
    let project: Project;
    let iid: number;

    const path = () => `/projects/${project.id}/issues/${iid}`;
    const say = (body: string, person: Person = reporter) =>
      server.api(`POST ${path()}/notes`, { token: person.token, json: { body } });
    const issue = (person: Person = owner) => server.must(`GET ${path()}`, { token: person.token });
    const open = (json: Record<string, unknown>, person: Person = reporter) =>
      server.must(`POST /projects/${project.id}/issues`, { token: person.token, json });

    before(async () => {
      server = await startTestServer(engine);
      owner = await addPerson(server, 'owner');
      reporter = await addPerson(server, 'reporter');
      guest = await addPerson(server, 'guest');
      outsider = await addPerson(server, 'outsider');
      project = await addProject(server, owner, 'commanded', 'public');
      await addMember(server, project, reporter, Role.reporter);
      await addMember(server, project, guest, Role.guest);
      for (const name of ['bug', 'two words', 'gone']) {
        await server.must(`POST /projects/${project.id}/labels`, { token: owner.token, json: { name, color: '#fff' } });
      }
    });

    beforeEach(async () => {
      iid = (await open({ title: 'Commanded', labels: 'gone' })).iid;
    });

    it('without other text return the changes and create no note', async () => {
      const { status, body } = await say('/close');
      assert.deepEqual(
        [status, body],
        [202, { commands_changes: { state_event: 'close' }, summary: ['Closed this issue.'] }],
      );
      const after = await issue();
      assert.deepEqual([after.state, after.user_notes_count], ['closed', 0]);
    });

    it('are removed from a note with other text', async () => {
      const { status, body } = await say('Well done.\n/close\n/label ~bug ~"two words"\n');
      assert.deepEqual([status, body.body, body.commands_changes.state_event], [201, 'Well done.', 'close']);
      assert.equal(body.commands_changes.add_label_ids.length, 2);
      const after = await issue();
      assert.deepEqual([after.state, after.labels], ['closed', ['bug', 'gone', 'two words']]);
    });

    it('change all attributes of an issue', async () => {
      const lines = [
        '/title Renamed',
        `/assign @${guest.user.username} me`,
        '/relabel ~bug',
        '/due 2031-01-05',
        '/weight 3',
        '/health_status at risk',
        '/estimate 1w 2h',
        '/spend 30m',
        '/todo',
        '/unsubscribe',
        '/react :tada:',
        '/lock',
        '/confidential',
      ];
      const { status, body } = await say(lines.join('\n'));
      assert.equal(status, 202, JSON.stringify(body));
      assert.equal(
        body.summary[0],
        `Changed the title to "Renamed". Assigned @${reporter.user.username} and @${guest.user.username}. ` +
          'Replaced all labels with ~"bug" label. ' +
          'Set the due date to Jan 5, 2031. Set weight to 3. Set health status to at risk. Set time estimate to 1w 2h. ' +
          'Added 30m spent time. Added a to-do item. Unsubscribed from notifications. Toggled :tada: emoji reaction. ' +
          'Locked the discussion. Made this issue confidential.',
      );
      const after = await issue(reporter);
      assert.deepEqual(
        {
          title: after.title,
          assignees: after.assignees.map(({ id }: { id: number }) => id).sort(),
          labels: after.labels,
          due: after.due_date,
          weight: after.weight,
          health: after.health_status,
          estimate: after.time_stats.time_estimate,
          spent: after.time_stats.total_time_spent,
          subscribed: after.subscribed,
          locked: after.discussion_locked,
          confidential: after.confidential,
        },
        {
          title: 'Renamed',
          assignees: [reporter.user.id, guest.user.id],
          labels: ['bug'],
          due: '2031-01-05',
          weight: 3,
          health: 'at_risk',
          estimate: 151_200,
          spent: 1800,
          subscribed: false,
          locked: true,
          confidential: true,
        },
      );
      const awards = await server.must(`GET ${path()}/award_emoji`, { token: reporter.token });
      assert.deepEqual(
        awards.map(({ name }: { name: string }) => name),
        ['tada'],
      );
      const todos = await server.must('GET /todos', { token: reporter.token });
      assert.ok(
        todos.some(
          ({ action_name, target }: { action_name: string; target: { iid: number } }) =>
            action_name === 'marked' && target.iid === iid,
        ),
      );
      assert.equal(
        (await say(`/react :tada:\n/done\n/unlock\n/clear_weight\n/unassign @${guest.user.username}`)).status,
        202,
      );
      assert.deepEqual(await server.must(`GET ${path()}/award_emoji`, { token: reporter.token }), []);
      assert.deepEqual([(await issue()).weight, (await issue()).assignees.length], [null, 1]);
    });

    it('without permission change nothing and report that', async () => {
      const { status, body } = await say('/close\n/label ~bug', guest);
      assert.deepEqual(
        [status, body],
        [202, { commands_changes: {}, summary: ['Could not apply close command. Could not apply label command.'] }],
      );
      const mixed = await say('Please\n/close', outsider);
      assert.deepEqual([mixed.status, mixed.body.body, mixed.body.commands_changes], [201, 'Please', {}]);
      const after = await issue();
      assert.deepEqual([after.state, after.labels], ['opened', ['gone']]);
    });

    for (const [body, message] of [
      ['/label ~unheard', '400 Bad request - Failed to apply commands.'],
      ['/spend 1h 2990-01-01', '400 Bad request - Failed to apply commands.'],
      ['/spend -1h', '400 Bad request - Note {:validation=>["Time to subtract exceeds the total time spent"]}'],
    ] as const) {
      it(`without effect are rejected: ${body}`, async () => {
        const answer = await say(body);
        assert.deepEqual([answer.status, answer.body], [400, { message }]);
      });
    }

    it('are executed together with the note or not at all', async () => {
      assert.equal((await say('Too much\n/close\n/spend -1h')).status, 400);
      const after = await issue();
      assert.deepEqual([after.state, after.user_notes_count], ['opened', 0]);
    });

    it('in code and quotes are plain text', async () => {
      const { status, body } = await say('```\n/close\n```\n\n> /close');
      assert.deepEqual([status, body.body], [201, '```\n/close\n```\n\n> /close']);
      assert.equal((await issue()).state, 'opened');
    });

    it('report users that are not found', async () => {
      const { status, body } = await say('/assign @nobody_here');
      assert.deepEqual(
        [status, body.summary],
        [202, ['Could not apply assign command. Failed to find users for @nobody_here.']],
      );
    });

    it('are executed in threads too', async () => {
      const { status, body } = await server.api(`POST ${path()}/discussions`, {
        token: reporter.token,
        json: { body: '/close' },
      });
      assert.deepEqual([status, body.summary], [202, ['Closed this issue.']]);
    });

    it('in an updated note are executed and removed from it', async () => {
      const note = (await say('Looks bad')).body;
      const edit = (body: string, person: Person = reporter, at = `notes/${note.id}`) =>
        server.api(`PUT ${path()}/${at}`, { token: person.token, json: { body } });
      const changed = await edit('Looks good\n/label ~bug\n/close');
      assert.deepEqual(
        [changed.status, changed.body.body, changed.body.commands_changes.state_event],
        [200, 'Looks good', 'close'],
      );
      assert.deepEqual([(await issue()).state, (await issue()).labels], ['closed', ['bug', 'gone']]);
      assert.equal((await edit('/label ~none')).status, 400);
      assert.equal((await edit('Too much\n/spend -1h')).status, 400);
      const { body } = await server.api(`GET ${path()}/notes/${note.id}`, { token: reporter.token });
      assert.equal(body.body, 'Looks good');
      const [thread] = (await server.must(`GET ${path()}/discussions`, { token: reporter.token })).filter(
        (one: { notes: { id: number }[] }) => one.notes[0]?.id === note.id,
      );
      const deleted = await edit('/reopen', reporter, `discussions/${thread.id}/notes/${note.id}`);
      assert.deepEqual(
        [deleted.status, deleted.body],
        [202, { commands_changes: { state_event: 'reopen' }, summary: ['Reopened this issue.'] }],
      );
      const after = await issue();
      assert.deepEqual([after.state, after.user_notes_count], ['opened', 0]);
      const of = (await say('Mine', guest)).body;
      const refused = await edit('/close', guest, `notes/${of.id}`);
      assert.deepEqual(refused.body, { commands_changes: {}, summary: ['Could not apply close command.'] });
    });

    it('do not assign an epic to a task whose parent is an issue', async () => {
      const group = await server.must('POST /groups', {
        token: owner.token,
        json: { name: 'Parents', path: 'parents' },
      });
      const inside = { name: 'parented', namespace_id: group.id };
      const { id } = await server.must('POST /projects', { token: owner.token, json: inside });
      const at = `/projects/${id}/issues`;
      const parent = await server.must(`POST ${at}?title=Parent`, { token: owner.token });
      const task = await server.must(`POST ${at}?title=Task&issue_type=task`, { token: owner.token });
      const epics = `/groups/${group.id}/epics`;
      let epic = await server.must(`POST ${epics}?title=Other`, { token: owner.token });
      while (epic.id < parent.id) epic = await server.must(`POST ${epics}?title=Other`, { token: owner.token });
      const { body } = await server.api(`POST ${at}/${task.iid}/notes`, {
        token: owner.token,
        json: { body: `/set_parent #${parent.iid}` },
      });
      assert.deepEqual(body, { commands_changes: {}, summary: ['Could not apply set_parent command.'] });
      assert.equal((await server.must(`GET ${at}/${task.iid}`, { token: owner.token })).epic, null);
    });

    it('in the description of a new issue are executed and removed from it', async () => {
      const made = await open({
        title: 'New',
        description: `Text\n/label ~bug\n/assign @${guest.user.username}\n/estimate 1h\n/due 2031-02-03\n/confidential\n/close`,
      });
      assert.deepEqual(
        [made.description, made.labels, made.assignee.id, made.time_stats.time_estimate, made.due_date],
        ['Text', ['bug'], guest.user.id, 3600, '2031-02-03'],
      );
      assert.deepEqual([made.confidential, made.state], [true, 'opened']);
      const meek = await open({ title: 'Meek', description: 'Text\n/label ~bug' }, outsider);
      assert.deepEqual([meek.description, meek.labels], ['Text', []]);
    });

    it('in an updated description are executed and removed from it', async () => {
      const changed = await server.must(`PUT ${path()}`, {
        token: reporter.token,
        json: { description: 'Done\n/close\n/unlabel ~gone\n/estimate 2h' },
      });
      assert.deepEqual(
        [changed.description, changed.state, changed.labels, changed.time_stats.time_estimate],
        ['Done', 'closed', [], 7200],
      );
    });

    it('promote an issue of a group to an epic', async () => {
      const group = await server.must('POST /groups', { token: owner.token, json: { name: 'Epics', path: 'epics' } });
      const within = await server.must('POST /projects', {
        token: owner.token,
        json: { name: 'inside', namespace_id: group.id },
      });
      const made = await server.must(`POST /projects/${within.id}/issues?title=Large`, { token: owner.token });
      const { status, body } = await server.api(`POST /projects/${within.id}/issues/${made.iid}/notes`, {
        token: owner.token,
        json: { body: '/promote' },
      });
      assert.deepEqual([status, body.commands_changes], [202, { promote_to_epic: true }]);
      const [epic] = await server.must(`GET /groups/${group.id}/epics`, { token: owner.token });
      assert.equal(epic.title, 'Large');
      const after = await server.must(`GET /projects/${within.id}/issues/${made.iid}`, { token: owner.token });
      assert.equal(after.state, 'closed');
      assert.deepEqual((await say('/promote')).body.summary, ['Could not apply promote command.']);
    });

    it('qualify references in the texts of a promoted epic', async () => {
      const group = await server.must('POST /groups', { token: owner.token, json: { name: 'Full', path: 'full' } });
      const json = { name: 'named', namespace_id: group.id };
      const within = await server.must('POST /projects', { token: owner.token, json });
      const at = `/projects/${within.id}`;
      const post = (path: string, json: object) => server.must(`POST ${at}/${path}`, { token: owner.token, json });
      await post('issues', { title: 'other' });
      await post('labels', { name: 'red', color: '#ff0000' });
      await post('milestones', { title: 'first' });
      const form = new FormData();
      form.set('file', new Blob(['picture']), 'p.png');
      const file = await server.must(`POST ${at}/uploads`, { token: owner.token, body: form });
      const words = (path: string) =>
        `See ${path}#1, ${path}~red, ${path}%first and \`#1\`; #99, @${owner.user.username}`;
      const long = (path: string) => `${`${'word '.repeat(40)}\n\n`.repeat(100)}${path}#1`;
      const { iid } = await post('issues', { title: 'Large', description: `${words('')} ${file.markdown}` });
      await post(`issues/${iid}/notes`, { body: words('') });
      await post(`issues/${iid}/notes`, { body: long('') });
      await post(`issues/${iid}/notes`, { body: '/promote' });
      const [epic] = await server.must(`GET /groups/${group.id}/epics`, { token: owner.token });
      const [link = ''] = /\/uploads\/[0-9a-f]{32}\/p\.png/.exec(epic.description) ?? [];
      assert.notEqual(link, file.url);
      assert.equal(epic.description, `${words('full/named')} ${file.markdown.replace(file.url, link)}`);
      const copy = await server.api(`GET /groups/${group.id}${link}`, { token: owner.token });
      assert.equal(copy.text, 'picture');
      const notes = await server.must(`GET /groups/${group.id}/epics/${epic.id}/notes?sort=asc`, {
        token: owner.token,
      });
      assert.deepEqual(notes.map(({ body }: { body: string }) => body).slice(0, 2), [
        words('full/named'),
        long('full/named'),
      ]);
      const { html } = await server.must('POST /markdown', {
        token: owner.token,
        json: { text: epic.description, gfm: true },
      });
      for (const href of ['issues/1', 'issues?label_name', 'milestones/1']) {
        assert.ok(html.includes(`/full/named/-/${href}`), href);
      }
    });

    it('move an issue to another list of the only board', async () => {
      assert.deepEqual((await say('/board_move ~bug')).body.summary, ['Could not apply board_move command.']);
      const at = `/projects/${project.id}/boards`;
      const board = await server.must(`POST ${at}`, { token: owner.token, json: { name: 'Board' } });
      const labels = await server.must(`GET /projects/${project.id}/labels`, { token: owner.token });
      for (const { id, name } of labels) {
        if (name === 'two words') continue;
        await server.must(`POST ${at}/${board.id}/lists`, { token: owner.token, json: { label_id: id } });
      }
      const { body } = await say('/board_move ~bug');
      assert.deepEqual(body.summary, ['Moved issue to ~"bug" column in the board.']);
      assert.deepEqual((await issue()).labels, ['bug']);
      assert.equal((await say('/board_move ~"two words"')).status, 400);
      assert.deepEqual((await say('/board_move ~gone', guest)).body.summary, ['Could not apply board_move command.']);
      await server.must(`DELETE ${at}/${board.id}`, { token: owner.token });
    });

    it('create a branch and a merge request for an issue', async () => {
      const refused = await say('/create_merge_request');
      assert.deepEqual(refused.body.summary, ['Could not apply create_merge_request command.']);
      const { body } = await say('/create_merge_request', owner);
      assert.deepEqual(body.summary, ['Created a branch and a merge request to resolve this issue.']);
      const requests = () => server.must(`GET /projects/${project.id}/merge_requests`, { token: owner.token });
      await until(async () => (await requests()).length === 1);
      const [request] = await requests();
      assert.deepEqual(
        [request.source_branch, request.title, request.description, request.draft],
        [`${iid}-commanded`, 'Draft: Resolve "Commanded"', `Closes #${iid}`, true],
      );
      const records = async () =>
        (await server.must(`GET ${path()}/notes?activity_filter=only_activity&sort=asc`, { token: owner.token })).map(
          (note: { body: string }) => note.body.replace(/\(.*\)/, '(url)'),
        );
      await until(async () => (await records()).length === 3);
      assert.deepEqual((await records()).toSorted(), [
        `created branch [\`${iid}-commanded\`](url) to address this issue`,
        `created merge request !${request.iid} to address this issue`,
        `mentioned in merge request !${request.iid}`,
      ]);
    });

    it('copy labels and milestone of another issue', async () => {
      const other = await open({ title: 'Source', labels: 'bug,two words' });
      const { body } = await say(`/copy_metadata #${other.iid}`);
      assert.deepEqual(body.summary, [`Copied labels and milestone from #${other.iid}.`]);
      assert.deepEqual((await issue()).labels, ['bug', 'gone', 'two words']);
    });
  });
});
