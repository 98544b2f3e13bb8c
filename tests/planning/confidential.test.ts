import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { Role } from '../../src/access/roles.ts';
import { forEachEngine } from '../support/engines.ts';
import { addPerson } from '../support/scene.ts';
import { rootToken, startTestServer, type TestServer } from '../support/server.ts';

/** Callers, and whether they may read the confidential issue and internal notes. */
const people = {
  anonymous: { level: 0, confidential: false, internal: false },
  outsider: { level: 0, confidential: false, internal: false },
  author: { level: 0, confidential: true, internal: false },
  assignee: { level: 0, confidential: true, internal: false },
  guest: { level: Role.guest, confidential: false, internal: false },
  planner: { level: Role.planner, confidential: true, internal: true },
  reporter: { level: Role.reporter, confidential: true, internal: true },
  developer: { level: Role.developer, confidential: true, internal: true },
  maintainer: { level: Role.maintainer, confidential: true, internal: true },
  owner: { level: Role.owner, confidential: true, internal: true },
  administrator: { level: 0, confidential: true, internal: true },
} as const;
type Name = keyof typeof people;
const names = Object.keys(people) as Name[];

forEachEngine((engine) => {
  describe('access to confidential content by role:', () => {
    let server: TestServer;
    const tokens = new Map<Name, string | null>();
    let group: { id: number };
    let project: { id: number };
    let milestone: { id: number };
    let epic: { iid: number };
    let secret: { id: number; iid: number };
    let plain: { id: number; iid: number };
    let secretNote: { id: number };
    let secretAward: { id: number };
    let internal: { id: number };
    let thread: { id: string };
    let secretInternal: { id: number };

    const call = (name: Name, line: string, json?: object) =>
      server.api(line, { token: tokens.get(name) ?? null, ...(json && { json }) });

    before(async () => {
      server = await startTestServer(engine);
      group = await server.must('POST /groups', { json: { name: 'Open', path: 'open', visibility: 'public' } });
      project = await server.must('POST /projects', {
        json: { name: 'It', namespace_id: group.id, visibility: 'public' },
      });
      const at = `/projects/${project.id}`;
      const ids = new Map<Name, number>();
      for (const name of names) {
        if (name === 'anonymous' || name === 'administrator') continue;
        const person = await addPerson(server, name);
        tokens.set(name, person.token);
        ids.set(name, person.user.id);
        const { level } = people[name];
        if (level === 0) continue;
        await server.must(`POST ${at}/members`, { json: { user_id: person.user.id, access_level: level } });
      }
      tokens.set('anonymous', null);
      tokens.set('administrator', rootToken);
      milestone = await server.must(`POST ${at}/milestones`, { json: { title: 'm1' } });
      epic = await server.must(`POST /groups/${group.id}/epics`, { json: { title: 'all' } });
      const token = tokens.get('author') as string;
      secret = await server.must(`POST ${at}/issues`, {
        token,
        json: { title: 'hidden things', description: 'xyzzyhidden', confidential: true },
      });
      await server.must(`PUT ${at}/issues/${secret.iid}`, {
        json: { assignee_ids: [ids.get('assignee')], labels: 'l1', milestone_id: milestone.id, weight: 3 },
      });
      await server.must(`POST /groups/${group.id}/epics/${epic.iid}/issues/${secret.id}`);
      plain = await server.must(`POST ${at}/issues`, { json: { title: 'open things', labels: 'l1' } });
      await server.must(`POST ${at}/issues/${plain.iid}/links`, {
        json: { target_project_id: project.id, target_issue_iid: secret.iid },
      });
      secretNote = await server.must(`POST ${at}/issues/${secret.iid}/notes`, { json: { body: 'plughhidden' } });
      secretAward = await server.must(`POST ${at}/issues/${secret.iid}/award_emoji`, { json: { name: 'heart' } });
      internal = await server.must(`POST ${at}/issues/${plain.iid}/notes`, {
        json: { body: 'plughinternal @guest-nobody', internal: true },
      });
      secretInternal = await server.must(`POST ${at}/issues/${secret.iid}/notes`, {
        json: { body: 'plughboth', internal: true },
      });
      thread = await server.must(`POST ${at}/issues/${plain.iid}/discussions`, {
        json: { body: 'plughthread', internal: true },
      });
    });

    /** Sends the same request as every caller and compares who got access with who should have. */
    async function tried(what: 'confidential' | 'internal', sees: (name: Name) => Promise<boolean>): Promise<void> {
      const found: Partial<Record<Name, boolean>> = {};
      for (const name of names) found[name] = await sees(name);
      assert.deepEqual(found, Object.fromEntries(names.map((name) => [name, people[name][what]])));
    }

    const isListed = async (name: Name, path: string, id: () => number): Promise<boolean> => {
      const { status, body } = await call(name, `GET ${path}`);
      if (status === 401) return false;
      assert.equal(status, 200, `${name} ${path}`);
      return body.some((row: { id: number }) => row.id === id());
    };

    const own = (rest: string) => () => `/projects/${project.id}/issues/${secret.iid}${rest}`;
    const ofSecret: [string, () => string][] = [
      ['the issue', own('')],
      ['its notes', own('/notes')],
      ['one of its notes', () => own(`/notes/${secretNote.id}`)()],
      ['its discussions', own('/discussions')],
      ['its emoji reactions', own('/award_emoji')],
      ['one of its emoji reactions', () => own(`/award_emoji/${secretAward.id}`)()],
      ['emoji reactions to its notes', () => own(`/notes/${secretNote.id}/award_emoji`)()],
      ['its label events', own('/resource_label_events')],
      ['its state events', own('/resource_state_events')],
      ['its milestone events', own('/resource_milestone_events')],
      ['its weight events', own('/resource_weight_events')],
      ['its iteration events', own('/resource_iteration_events')],
      ['its links', own('/links')],
      ['its participants', own('/participants')],
      ['merge requests that close it', own('/closed_by')],
      ['related merge requests', own('/related_merge_requests')],
      ['its time statistics', own('/time_stats')],
    ];
    for (const [what, path] of ofSecret) {
      it(`GET ${what}`, () =>
        tried('confidential', async (name) => {
          const { status } = await call(name, `GET ${path()}`);
          assert.ok([200, 401, 404].includes(status), `${name}: ${status}`);
          return status === 200;
        }));
    }

    const lists: [string, () => string][] = [
      ['issues of the project', () => `/projects/${project.id}/issues`],
      ['issues of the project by IID', () => `/projects/${project.id}/issues?iids[]=${secret.iid}`],
      ['confidential issues', () => `/projects/${project.id}/issues?confidential=true`],
      ['issues with a label', () => `/projects/${project.id}/issues?labels=l1`],
      ['issues by search term', () => `/projects/${project.id}/issues?search=xyzzyhidden`],
      ['issues of the group', () => `/groups/${group.id}/issues`],
      ['all issues', () => '/issues?scope=all'],
      ['issues of the milestone', () => `/projects/${project.id}/milestones/${milestone.id}/issues`],
      ['issues of the epic', () => `/groups/${group.id}/epics/${epic.iid}/issues`],
      ['linked issues', () => `/projects/${project.id}/issues/${plain.iid}/links`],
      ['search in the project', () => `/projects/${project.id}/search?scope=issues&search=xyzzyhidden`],
      ['search in the group', () => `/groups/${group.id}/search?scope=issues&search=xyzzyhidden`],
      ['global search', () => '/search?scope=issues&search=xyzzyhidden'],
    ];
    for (const [what, path] of lists) {
      it(`GET ${what}`, () => tried('confidential', (name) => isListed(name, path(), () => secret.id)));
    }

    it('shows a confidential issue by global ID to administrators only', async () => {
      for (const name of names) {
        const { status, body } = await call(name, `GET /issues/${secret.id}`);
        const wanted = name === 'administrator' ? 200 : name === 'anonymous' ? 401 : 403;
        assert.equal(status, wanted, name);
        if (status === 200) assert.deepEqual([body.id, body.references.relative], [secret.id, `#${secret.iid}`]);
      }
      assert.equal((await call('administrator', 'GET /issues/999999')).status, 404);
    });

    it('confidential notes in search results', () =>
      tried('confidential', (name) =>
        isListed(name, `/projects/${project.id}/search?scope=notes&search=plughhidden`, () => secretNote.id),
      ));

    const statistics: [string, () => string][] = [
      ['of the project', () => `/projects/${project.id}/issues_statistics`],
      ['of the group', () => `/groups/${group.id}/issues_statistics`],
      ['of all projects', () => '/issues_statistics?scope=all'],
    ];
    for (const [what, path] of statistics) {
      it(`issue statistics ${what}`, () =>
        tried('confidential', async (name) => {
          const { body } = await call(name, `GET ${path()}`);
          return body.statistics.counts.all === 2;
        }));
    }

    const labels: [string, () => string][] = [
      ['of the project', () => `/projects/${project.id}/labels`],
      ['of the group', () => `/groups/${group.id}/labels`],
    ];
    for (const [what, path] of labels) {
      it(`issue counts of labels ${what}`, () =>
        tried('confidential', async (name) => {
          const { status, body } = await call(name, `GET ${path()}?with_counts=true&only_group_labels=false`);
          if (status === 401) return false;
          const [counted] = body.filter((label: { name: string }) => label.name === 'l1');
          assert.equal(counted.closed_issues_count, 0);
          return counted.open_issues_count === 2;
        }));
    }

    it('open issue count of the project', async () => {
      for (const name of names.filter((each) => people[each].confidential === people[each].internal)) {
        const { open_issues_count: count } = (await call(name, `GET /projects/${project.id}`)).body;
        if (name !== 'anonymous') assert.equal(count, people[name].confidential ? 2 : 1, name);
        else assert.equal(count, undefined);
      }
    });

    it('totals of lists', () =>
      tried('confidential', async (name) => {
        const { headers } = await call(name, `GET /projects/${project.id}/issues?per_page=1`);
        return headers.get('x-total') === '2';
      }));

    it('shows events of confidential issues to planners and above only', async () => {
      for (const name of names.filter((each) => people[each].confidential === people[each].internal)) {
        const { status, body } = await call(name, `GET /projects/${project.id}/events?per_page=100`);
        const events: { target_type: string; target_id: number }[] = status === 401 ? [] : body;
        const notified = events.some((event) => event.target_type === 'Issue' && event.target_id === secret.id);
        assert.equal(notified, people[name].confidential, name);
      }
    });

    it('references in texts', () =>
      tried('confidential', async (name) => {
        const json = { text: `see #${secret.iid}`, gfm: true, project: 'open/it' };
        const { status, body } = await call(name, 'POST /markdown', json);
        if (status === 401) return false;
        assert.equal(status, 201);
        return body.html.includes('hidden things') || body.html.includes('<a ');
      }));

    it('does not let callers without access write on a confidential issue or learn of its existence', async () => {
      for (const name of names.filter((each) => !people[each].confidential && each !== 'anonymous')) {
        for (const [line, json] of [
          ['POST /notes', { body: 'x' }],
          ['POST /discussions', { body: 'x' }],
          ['POST /award_emoji', { name: 'star' }],
          ['POST /subscribe', {}],
          ['POST /todo', {}],
          ['POST /move', { to_project_id: project.id }],
          ['POST /time_estimate', { duration: '1h' }],
          ['POST /links', { target_project_id: project.id, target_issue_iid: plain.iid }],
        ] as const) {
          const [method, rest] = line.split(' ') as [string, string];
          const there = await call(name, `${method} /projects/${project.id}/issues/${secret.iid}${rest}`, json);
          const missing = await call(name, `${method} /projects/${project.id}/issues/9999${rest}`, json);
          assert.deepEqual([there.status, there.body], [missing.status, missing.body], `${name} ${line}`);
        }
      }
      const { title, user_notes_count } = await server.must(`GET /projects/${project.id}/issues/${secret.iid}`);
      assert.deepEqual([title, user_notes_count], ['hidden things', 2]);
    });

    const onPlain = (rest: string) => `/projects/${project.id}/issues/${plain.iid}${rest}`;

    it('internal notes in lists', () =>
      tried('internal', (name) => isListed(name, onPlain('/notes'), () => internal.id)));

    it('single internal note', () =>
      tried('internal', async (name) => (await call(name, `GET ${onPlain(`/notes/${internal.id}`)}`)).status === 200));

    it('internal threads', async () => {
      await tried('internal', async (name) => {
        const { status, body } = await call(name, `GET ${onPlain('/discussions?per_page=100')}`);
        return status === 200 && body.some(({ id }: { id: string }) => id === thread.id);
      });
      await tried('internal', async (name) => {
        return (await call(name, `GET ${onPlain(`/discussions/${thread.id}`)}`)).status === 200;
      });
    });

    it('internal notes on a confidential issue, also of its author and assignees', async () => {
      await tried('internal', async (name) => {
        const { status, body } = await call(name, `GET ${own('/notes?per_page=100')()}`);
        return status === 200 && body.some(({ id }: { id: number }) => id === secretInternal.id);
      });
      await tried('internal', async (name) => {
        return (await call(name, `GET ${own(`/notes/${secretInternal.id}`)()}`)).status === 200;
      });
      await tried('internal', async (name) => {
        const { text } = await call(name, `GET ${own('/discussions?per_page=100')()}`);
        return text.includes('plughboth');
      });
      const mine = await call('author', `POST ${own('/notes')()}`, { body: 'mine', internal: true });
      assert.deepEqual([mine.status, mine.body.internal], [201, false]);
    });

    it('emoji reactions to internal notes', () =>
      tried('internal', async (name) => {
        return (await call(name, `GET ${onPlain(`/notes/${internal.id}/award_emoji`)}`)).status === 200;
      }));

    it('internal notes in search results', () =>
      tried('internal', (name) =>
        isListed(name, `/projects/${project.id}/search?scope=notes&search=plughinternal`, () => internal.id),
      ));

    it('internal notes among events', () =>
      tried('internal', async (name) => {
        const { status, body } = await call(name, `GET /projects/${project.id}/events?per_page=100`);
        return status === 200 && body.some(({ note }: { note?: { id: number } }) => note?.id === internal.id);
      }));

    it('makes notes of callers without permission public, and rejects their replies to internal notes', async () => {
      const response = await call('guest', `POST ${onPlain('/notes')}`, { body: 'mine', internal: true });
      assert.deepEqual([response.status, response.body.internal], [201, false]);
      const reply = await call('guest', `POST ${onPlain(`/discussions/${thread.id}/notes`)}`, { body: 'x' });
      assert.equal(reply.status, 404);
      const edit = await call('guest', `PUT ${onPlain(`/notes/${internal.id}`)}`, { body: 'x' });
      assert.equal(edit.status, 404);
    });
  });
});
