import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { sql } from 'kysely';
import { actorOnBehalfOf } from '../src/access/actor.ts';
import { projectList } from '../src/namespaces/projects/lists/list.ts';
import { scopeOf, waysOf } from '../src/namespaces/projects/lists/scope.ts';
import { blankAccount } from '../src/people/users/public.ts';
import type { Database } from '../src/platform/database/database.ts';
import { forEachEngine } from './support/engines.ts';
import { planOf, planWithoutSorting, wholeReads, wholeReadsOf } from './support/query-plans.ts';
import { addPerson, type Person } from './support/scene.ts';
import { type Sending, startTestServer, type TestServer } from './support/server.ts';
import { sshKeyPair } from './support/ssh-keys.ts';

const crowd = 3000;
const atOnce = 100;

/** Inserts enough users, projects and rules that no engine prefers full scans. */
async function fill(db: Database, namespace_id: number): Promise<void> {
  const at = { created_at: 1, updated_at: 1 };
  const numbers = Array.from({ length: crowd }, (_, n) => n);
  await db.write(async (trx) => {
    for (let n = 0; n < crowd; n += atOnce) {
      const names = numbers.slice(n, n + atOnce).map((each) => `crowd-${each}`);
      const users = names.map((name) => ({
        ...blankAccount,
        ...at,
        username: name,
        name,
        email: `${name}@example.com`,
      }));
      const projects = names.map((name) => ({ namespace_id, name, path: name, visibility: 20, ...at }));
      await trx.insertInto('users').values(users).execute();
      const made = await trx
        .insertInto('projects')
        .values(projects.map((project) => ({ ...project, last_activity_at: 1 })))
        .returning('id')
        .execute();
      const rules = made.map(({ id }) => ({ project_id: id, namespace_id: null, name: 'main', ...at }));
      await trx.insertInto('protected_branches').values(rules).execute();
      await sql`insert into push_rules (project_id, created_at) select id, 1 from projects
        where id not in (select project_id from push_rules)`.execute(trx);
    }
    await sql`insert into protected_ref_grants (branch_id, action, access_level)
      select id, 'push', 40 from protected_branches`.execute(trx);
    await sql`insert into events (project_id, author_id, action, audience, created_at)
      select id, 1, 'pushed', 'code', id from projects`.execute(trx);
    await sql`analyze`.execute(trx);
  });
}

forEachEngine((engine) => {
  let server: TestServer;
  let person: Person;
  let project: { id: number };

  before(async () => {
    server = await startTestServer(engine);
    person = await addPerson(server, 'person');
    const open = { visibility: 'public' };
    const group = await server.must('POST /groups', { json: { name: 'planned', path: 'planned', ...open } });
    const json = { name: 'planned', namespace_id: group.id, initialize_with_readme: true, ...open };
    project = await server.must('POST /projects', { json });
    await fill(server.db, group.id);
  });

  /** Returns which of these tables, or aliases, a request scans completely. */
  async function readWhole(call: string, tables: string, sending: Sending = {}): Promise<string[]> {
    const seen: string[] = [];
    const stop = server.db.onQuery((text) => seen.push(text));
    const answer = await server.api(call, sending);
    stop();
    assert.ok(answer.status < 300, `${call}: ${answer.text}`);
    const whole: string[] = [];
    for (const text of seen.filter((each) => /^\s*(select|with)/.test(each))) {
      const reads = wholeReads(server.db, await planOf(server.running.services.db, text), tables);
      whole.push(...reads.map((read) => `${read}\n${text}`));
    }
    return whole;
  }

  test('branch rules are looked up without those of other projects', async () => {
    const actions = [{ action: 'create', file_path: 'new', content: '' }];
    const json = { branch: 'main', commit_message: 'new', actions };
    for (const [call, sending] of [
      [`GET /projects/${project.id}/repository/branches`, {}],
      [`GET /projects/${project.id}/protected_branches`, {}],
      [`GET /projects/${project.id}/protected_branches/main`, {}],
      [`POST /projects/${project.id}/repository/commits`, { json }],
    ] as const) {
      const rules = 'protected_branches|protected_ref_grants|push_rules|[bgp]|[bgp]_\\d';
      assert.deepEqual(await readWhole(call, rules, sending), [], call);
    }
  });

  test('event lists do not scan all projects', async () => {
    for (const call of ['GET /users/1/events', 'GET /events', `GET /projects/${project.id}/events`]) {
      assert.deepEqual(await readWhole(call, 'projects|projects_\\d', person), [], call);
    }
  });

  const fewGroups = engine === 'postgres' && 'with so few groups, PostgreSQL rightly reads all';
  test('the groups and projects of a user are listed by membership', { skip: fewGroups }, async () => {
    for (const call of ['GET /groups', 'GET /groups?order_by=path']) {
      assert.deepEqual(await readWhole(call, 'namespaces', person), [], call);
    }
    assert.deepEqual(await readWhole('GET /projects?membership=true&page=40', 'projects', person), []);
  });

  /** The query plans of a request. */
  async function plansOf(call: string, sending: Sending): Promise<string[]> {
    const seen: string[] = [];
    const stop = server.db.onQuery((text) => seen.push(text));
    const answer = await server.api(call, sending);
    stop();
    assert.ok(answer.status < 300 && answer.body.length > 0, `${call}: ${answer.text}`);
    const reads = seen.filter((text) => /^\s*(select|with)/.test(text));
    return Promise.all(reads.map((text) => planWithoutSorting(server.running.services.db, text)));
  }

  test('lists of users, groups and projects are read and counted by index', async () => {
    const at = `projects/${project.id}`;
    await server.must(`POST /${at}/access_requests`, { token: person.token });
    await server.must(`POST /${at}/invitations`, { json: { email: 'guest@example.org', access_level: 30 } });
    await server.must(`POST /${at}/star`, { token: person.token });
    await server.must('POST /topics', { json: { name: 'planned', title: 'Planned' } });
    await server.must(`POST /${at}/deploy_keys`, { json: { title: 'machine', key: sshKeyPair().public } });
    // PostgreSQL counts so few rows with any index.
    const counted = [
      ['users?active=true&humans=true', 'users_state', {}],
      ['personal_access_tokens', 'access_tokens_personal', {}],
      [`${at}/invitations?query=guest`, 'member_invitations_search', {}],
    ] as const;
    for (const [list, index, sending] of [
      ['topics', 'topics_count', {}],
      ['audit_events?entity_type=Project', 'audit_events_type', {}],
      [`${at}/access_requests`, 'access_requests_of_project', {}],
      [`${at}/invitations`, 'member_invitations_of_project', {}],
      [`${at}/starrers`, 'stars_project', {}],
      [`${at}/deploy_keys`, 'deploy_key_projects_project', {}],
      ['deploy_keys', 'ssh_keys_deploy', {}],
      ['groups?top_level_only=true', 'namespaces_top', {}],
      ...(engine === 'sqlite' ? counted : []),
    ] as const) {
      const plans = await plansOf(`GET /${list}${list.includes('?') ? '&' : '?'}per_page=1`, sending);
      assert.match(plans.join('\n'), new RegExp(index), list);
      const sorted = plans.filter((plan) => plan.includes(index) && /FOR ORDER BY|\bSort {2}\(/.test(plan));
      assert.deepEqual(sorted, [], list);
    }
    const atTheTop = await plansOf('GET /groups?top_level_only=true&per_page=1', {});
    assert.doesNotMatch(
      atTheTop.join('\n'),
      /SCAN namespaces USING INDEX/,
      'the index does not cover all columns of groups',
    );
    const uncounted = ['users', 'users?active=true&humans=true', 'groups', 'runners/all?type=instance_type'];
    for (const path of [...uncounted, `${at}/starrers`]) {
      const seen: string[] = [];
      const stop = server.db.onQuery((text) => seen.push(text));
      await server.must(`GET /${path}${path.includes('?') ? '&' : '?'}per_page=1`);
      stop();
      assert.deepEqual(
        seen.filter((text) => /^select count\(\*\) as total/.test(text)),
        [],
        `${path} is not counted`,
      );
    }
    const contributed = await plansOf('GET /users/1/contributed_projects?per_page=1', {});
    assert.match(contributed.join('\n'), /derived_contributions/);
  });

  /** Creates one of everything a project can contain, each kind rarer than the previous one. */
  async function gather(): Promise<{ hook: number }> {
    const at = `projects/${project.id}`;
    const hook = await server.must(`POST /${at}/hooks`, { json: { url: 'https://hooks.example.com' } });
    const issue = await server.must(`POST /${at}/issues`, { json: { title: 'To do' } });
    const id = sql.lit(project.id);
    const numbers = sql`with recursive n (i) as (select 1 union all select i + 1 from n where i < ${sql.lit(crowd)})`;
    const rare = (word: string, others: string) =>
      sql`case when i = ${sql.lit(crowd)} then ${sql.lit(word)} else ${sql.lit(others)} end`;
    await server.db.write(async (trx) => {
      for (const insert of [
        sql`insert into environments (project_id, name, slug, tier, state, created_at, updated_at)
          select ${id}, 'place-' || i, 'place-' || i, 'other', ${rare('stopping', 'available')}, 1, 1 from n`,
        sql`insert into deployments (project_id, iid, environment_id, ref, sha, status, created_at, updated_at)
          select ${id}, i, (select min(id) from environments where project_id = ${id}) + i % 10, 'main', 'f000',
            ${rare('failed', 'success')}, i, i from n`,
        sql`insert into packages (project_id, name, version, package_type, status, created_at, updated_at)
          select ${id}, 'package-' || i, '1.' || i, ${rare('npm', 'generic')}, ${rare('error', 'default')}, 1, 1 from n`,
        sql`insert into releases (project_id, tag, name, released_at, created_at, updated_at)
          select ${id}, 'v' || i, 'v' || i, i, i, i from n`,
        sql`insert into registry_repositories (project_id, name, created_at, updated_at)
          select ${id}, 'image-' || i, 1, 1 from n`,
        sql`insert into todos (user_id, author_id, project_id, target_type, target_id, action, state, created_at, updated_at)
          select 1, 1, ${id}, 'Issue', ${sql.lit(issue.id)}, 'mentioned', 'pending', 1, 1 from n`,
        sql`insert into audit_events (author_id, entity_type, entity_id, event_name, details, created_at)
          select 1, 'Project', ${id}, 'project_created', '{}', i from n`,
        sql`insert into pipeline_schedules (project_id, owner_id, description, ref, cron, cron_timezone, active, created_at,
            updated_at)
          select ${id}, 1, 'Nightly', 'main', '0 1 * * *', 'UTC', case when i = ${sql.lit(crowd)} then 1 else 0 end, 1, 1 from n`,
        sql`insert into webhook_deliveries (webhook_id, trigger_name, event, url, request_headers, request_data,
            idempotency_key, response_headers, response_body, response_status, execution_ms, created_at)
          select ${sql.lit(hook.id)}, 'push_hooks', 'Push Hook', 'https://hooks.example.com', '{}', '{}', '', '{}', '',
            case when i = ${sql.lit(crowd)} then 500 else 200 end, 1, ${sql.lit(Date.now())} from n`,
      ]) {
        await sql`${numbers} ${insert}`.execute(trx);
      }
      await sql`analyze`.execute(trx);
    });
    return { hook: hook.id };
  }

  test('objects of a project are read by index for each filter and order', async () => {
    const { hook } = await gather();
    const at = `projects/${project.id}`;
    // All rows belong to one user or project, so that PostgreSQL may use any index for these.
    const ofOne = [
      [`todos?project_id=${project.id}`, 'todos_project'],
      ['todos?type=Issue', 'todos_user'],
      [`${at}/audit_events?created_before=1970-01-01T00:00:00.010Z`, 'audit_events_of_time'],
    ] as const;
    for (const [list, index] of [
      [`${at}/environments?states=stopping`, 'environments_state'],
      [`${at}/environments?search=place-77`, 'environments_search'],
      [`${at}/deployments?environment=place-3`, 'deployments_environment|deployments_of_environment'],
      [`${at}/deployments?environment=place-3&status=success`, 'deployments_of_environment'],
      [`${at}/deployments?order_by=ref`, 'deployments_ref'],
      [`${at}/packages?package_type=npm`, 'packages_type'],
      [`${at}/packages?status=error`, 'packages_status'],
      [`${at}/packages?order_by=type`, 'packages_type'],
      [`${at}/packages?order_by=version`, 'packages_by_version'],
      ['groups/planned/packages?order_by=name', 'packages_by_name'],
      ['groups/planned/packages?package_type=npm', 'packages_type'],
      ['groups/planned/registry/repositories', 'registry_repositories_of_project'],
      ['groups/planned/releases', 'releases_released'],
      [`${at}/pipeline_schedules?scope=active`, 'pipeline_schedules_active'],
      [`${at}/releases?updated_after=1970-01-01T00:00:02.990Z`, 'releases_updated'],
      [`${at}/hooks/${hook}/events?status=server_failure`, 'webhook_deliveries_unsuccessful'],
      ...(engine === 'sqlite' ? ofOne : []),
    ] as const) {
      const plans = await plansOf(`GET /${list}${list.includes('?') ? '&' : '?'}per_page=1`, {});
      assert.match(plans.join('\n'), new RegExp(index), list);
    }
  });

  test('forks of a project are read and counted by a single index', async () => {
    const { db } = server.running.services;
    const crowded = db.read.selectFrom('projects').select('id').where('name', 'like', 'crowd-%');
    await db.write((trx) =>
      trx.updateTable('projects').set({ forked_from_id: project.id }).where('id', 'in', crowded).execute(),
    );
    for (const sending of [{}, person]) {
      const plans = await plansOf(`GET /projects/${project.id}/forks`, sending);
      const reads = plans.filter((plan) => plan.includes('projects_forked_from'));
      assert.ok(reads.length >= 2, plans.join('\n'));
      if (engine === 'sqlite')
        assert.match(reads.join('\n'), /COVERING INDEX projects_forked_from \(forked_from_id=\? AND v/);
    }
    const answer = await server.api(`GET /projects/${project.id}/forks?per_page=1`);
    assert.equal(answer.headers.get('x-total'), String(crowd));
    await db.write((trx) => trx.updateTable('projects').set({ forked_from_id: null }).execute());
  });

  test('the groups of a user and the members of a group are looked up by membership', async () => {
    const calls = 'GET /groups/planned/search?scope=users&search=';
    await server.must('POST /groups/planned/members', { json: { user_id: person.user.id, access_level: 30 } });
    const { db } = server.running.services;
    await db.write((trx) =>
      trx.updateTable('users').set({ name: 'crowd person' }).where('id', '=', person.user.id).execute(),
    );
    for (const plan of await plansOf(`${calls}crowd`, {})) assert.doesNotMatch(plan, /users_state/);
    assert.match(
      (await plansOf('GET /groups', person)).join('\n'),
      /SEARCH d USING PRIMARY KEY \(user_id=|derived_groups_around/,
    );
  });

  test('events of a user are read by indexes that include visibility', async () => {
    const { db } = server.running.services;
    const seen: string[] = [];
    const stop = server.db.onQuery((text) => seen.push(text));
    await server.api('GET /events?per_page=1', person);
    stop();
    const reads = seen.filter((text) => /from "?events"?/.test(text));
    assert.ok(reads.length >= 2);
    const indexes = /events_author_shown|events_places|events_outside/;
    for (const text of reads) assert.match(await planWithoutSorting(db, text), indexes, text);
  });

  const slowPlans = engine === 'postgres' && 'each plan of PostgreSQL takes as long as all of SQLite';
  test('projects are listed by index for all filters and orders', { skip: slowPlans }, async () => {
    const { db } = server.running.services;
    const ways = waysOf(db.read, scopeOf(actorOnBehalfOf(person.user), {}));
    const walked = ['last_activity_at', 'name'];
    const some = {
      cases: () =>
        projectList.cases().filter(({ order: { by, direction } }) => walked.includes(by) && direction === 'desc'),
      page: projectList.page.bind(projectList),
    };
    assert.deepEqual(await wholeReadsOf(db, some, ways, 'projects'), []);
  });

  test('users are found by e-mail address', async () => {
    const invited = { email: 'somebody@example.org', access_level: 30 };
    await server.must(`POST /projects/${project.id}/invitations`, { json: invited });
    for (const call of [
      'GET /avatar?email=somebody@example.org',
      'GET /users?public_email=somebody@example.org',
      `GET /projects/${project.id}/invitations`,
    ]) {
      assert.deepEqual(await readWhole(call, 'users|invitee|creator'), [], call);
    }
  });
});
