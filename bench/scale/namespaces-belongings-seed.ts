import { sql } from 'kysely';
import type { Database } from '../../src/platform/database/database.ts';
import { first, ids, inParts, type NamespacesSize, numbers, ownProjects } from './namespaces-parts.ts';

const hooksOfOne = 100;
/** In the small instance, lists have about a thousand entries, because a larger share belongs to one place. */
const isSmall = ({ projects }: NamespacesSize) => projects < 20_000;
const tenthOf = (count: number) => Math.max(Math.min(count - 3, 1000), Math.floor(count / 10));
// Literals, because PostgreSQL infers text for bound numbers in a `case`.
const project = sql.lit(ids.project);
const group = sql.lit(ids.group);

/** A hundred webhooks each of the first project, the first group and the instance; one per other project. */
async function insertHooks(db: Database, { projects }: NamespacesSize, now: number): Promise<void> {
  const columns = sql`project_id, namespace_id, url, events, created_at, updated_at`;
  const rest = sql`'https://hooks.example.com/' || i, '["push_events"]', ${now}, ${now} from n`;
  const none = sql`cast(null as bigint)`;
  await inParts(db, projects, (trx, from, to) =>
    sql`${numbers(from, to)} insert into webhooks (${columns}) select ${first.project} + i, ${none}, ${rest}`.execute(
      trx,
    ),
  );
  await inParts(db, hooksOfOne - 1, (trx, from, to) =>
    sql`${numbers(from, to)} insert into webhooks (${columns}) select ${project}, ${none}, ${rest}`.execute(trx),
  );
  for (const place of [group, none]) {
    await inParts(db, hooksOfOne, (trx, from, to) =>
      sql`${numbers(from, to)} insert into webhooks (${columns}) select ${none}, ${place}, ${rest}`.execute(trx),
    );
  }
}

/** As many topics as groups, one per project. */
async function insertTopics(db: Database, { projects, groups }: NamespacesSize, now: number): Promise<void> {
  const firstTopic = 1_000_000;
  await inParts(db, groups, (trx, from, to) =>
    sql`${numbers(from, to)} insert into topics (id, name, title, total_projects_count, created_at, updated_at)
      select ${firstTopic} + i, 'topic' || i, 'Topic q' || i || 'q', ${Math.floor(projects / groups)}, ${now}, ${now}
      from n`.execute(trx),
  );
  await inParts(db, projects, (trx, from, to) =>
    sql`${numbers(from, to)} insert into project_topics (project_id, topic_id)
      select ${first.project} + i, ${firstTopic} + 1 + i % ${groups} from n`.execute(trx),
  );
}

/** Access requests and invitations: a tenth of all users, or a thousand, to the first project and the first group. */
async function insertRequests(db: Database, { users }: NamespacesSize, now: number): Promise<void> {
  for (const place of [sql`${group}, cast(null as bigint)`, sql`cast(null as bigint), ${project}`]) {
    await inParts(db, tenthOf(users), async (trx, from, to) => {
      await sql`${numbers(from, to)} insert into access_requests (user_id, namespace_id, project_id, requested_at)
        select ${first.user} + 3 + i, ${place}, ${now} from n`.execute(trx);
      await sql`${numbers(from, to)} insert into member_invitations (namespace_id, project_id, email, token, access_level,
          created_at)
        select ${place}, 'guest' || i || '@example.com', 'token ' || i, 30, ${now} from n`.execute(trx);
    });
  }
}

/** Audit events: a tenth or a fifth in the first project, as many in the first group, the rest spread over all. */
async function insertAuditEvents(db: Database, size: NamespacesSize, now: number): Promise<void> {
  const { memberships, projects } = size;
  const every = sql.lit(isSmall(size) ? 5 : 10);
  const details = sql`'{"custom_message":"Changed","author_name":"Person","author_class":"User","target_id":1,"target_type":"Project","target_details":"x","entity_path":"x","event_name":"project_updated"}'`;
  await inParts(db, memberships, (trx, from, to) =>
    sql`${numbers(from, to)} insert into audit_events (author_id, entity_type, entity_id, event_name, details, created_at)
      select ${ids.member}, case when i % ${every} = 1 then 'Group' else 'Project' end,
        case when i % ${every} = 1 then ${group} when i % ${every} = 0 then ${project}
          else ${first.project} + 1 + i % ${projects} end,
        'project_updated', ${details}, ${now - memberships} + i from n`.execute(trx),
  );
}

/** Deploy keys and tokens, one per project; a tenth or half of them in the first project. */
async function insertDeploying(db: Database, size: NamespacesSize, now: number): Promise<void> {
  const { projects } = size;
  const every = sql.lit(isSmall(size) ? 2 : 10);
  const firstKey = 5_000_000;
  await inParts(db, projects, async (trx, from, to) => {
    const n = numbers(from, to);
    await sql`${n} insert into ssh_keys (id, user_id, title, key, fingerprint_md5, fingerprint_sha256, deploy, created_at)
      select ${firstKey} + i, null, 'deploy ' || i, 'ssh-ed25519 BBBB' || i, 'deploy md5 ' || i, 'deploy sha256 ' || i, 1, ${now}
      from n`.execute(trx);
    await sql`${n} insert into deploy_key_projects (key_id, project_id, created_at)
      select ${firstKey} + i, case when i % ${every} = 0 then ${project} else ${first.project} + i end, ${now}
      from n`.execute(trx);
    await sql`${n} insert into deploy_tokens (project_id, namespace_id, name, username, digest, scopes, created_at)
      select case when i % ${every} = 1 then null when i % ${every} = 0 then ${project} else ${first.project} + i end,
        case when i % ${every} = 1 then ${group} end, 'deploy ' || i, 'deploy' || i, 'deploy digest ' || i,
        '["read_repository"]', ${now} from n`.execute(trx);
  });
}

/** As many runners as groups: in turn for the instance, the first group and the first project. */
async function insertRunners(db: Database, { groups }: NamespacesSize, now: number): Promise<void> {
  const firstRunner = 1_000_000;
  await inParts(db, groups, async (trx, from, to) => {
    const n = numbers(from, to);
    await sql`${n} insert into runners (id, runner_type, token_digest, namespace_id, description, created_at, updated_at)
      select ${firstRunner} + i, case i % 3 when 0 then 'instance_type' when 1 then 'group_type' else 'project_type' end,
        'runner digest ' || i, case when i % 3 = 1 then ${group} end, 'runner ' || i, ${now}, ${now} from n`.execute(
      trx,
    );
    await sql`${n} insert into runner_projects (runner_id, project_id, created_at)
      select ${firstRunner} + i, ${project}, ${now} from n where i % 3 = 2`.execute(trx);
  });
}

/**
 * The member starred their projects, a tenth of all users the first project; a twentieth of all projects, or all in the
 * small instance, are its forks.
 */
async function insertStars(db: Database, size: NamespacesSize, now: number): Promise<void> {
  const { projects, users } = size;
  const forks = isSmall(size) ? sql`true` : sql`id % 20 = 2`;
  await inParts(db, Math.min(ownProjects, projects), (trx, from, to) =>
    sql`${numbers(from, to)} insert into stars (user_id, project_id, created_at)
      select ${ids.member}, ${first.project} + i, ${now} from n`.execute(trx),
  );
  await inParts(db, tenthOf(users), (trx, from, to) =>
    sql`${numbers(from, to)} insert into stars (user_id, project_id, created_at)
      select ${first.user} + 3 + i, ${project}, ${now} from n`.execute(trx),
  );
  await db.write((trx) =>
    sql`update projects set forked_from_id = ${project}, fork_root_id = ${project}
      where id > ${project} and ${forks}`.execute(trx),
  );
}

/** Seeds what belongs to users, groups and projects. */
export async function seedBelongings(db: Database, size: NamespacesSize, now: number): Promise<void> {
  await insertHooks(db, size, now);
  await insertTopics(db, size, now);
  await insertRequests(db, size, now);
  await insertAuditEvents(db, size, now);
  await insertDeploying(db, size, now);
  await insertRunners(db, size, now);
  await insertStars(db, size, now);
}
