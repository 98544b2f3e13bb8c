import { type RawBuilder, sql } from 'kysely';
import { openDatabase } from '../../src/platform/database/database.ts';
import type { Where } from './bare-tables.ts';
import { inParts, numbers } from './namespaces-parts.ts';

/** What a place contains before the rest is seeded. */
export interface Place {
  readonly group: number;
  readonly project: number;
  readonly request: number;
  readonly user: number;
  readonly hook: number;
}

const minute = 60_000;
const environmentsDeployedTo = 50;

// Literals, because PostgreSQL infers text for bound numbers.
type Literal = RawBuilder<number>;
type Literals = Readonly<Record<keyof Place, Literal>>;

/** Returns the rows of a table in a place, numbered from 1. */
type Rows = (place: Literals, count: Literal) => RawBuilder<unknown>;

const now = sql.lit(Date.now());
const createdAt = (count: Literal) => sql`${now} - (${count} - i) * cast(${sql.lit(minute)} as bigint)`;
const first = (table: string, { project }: Literals) =>
  sql`(select min(id) from ${sql.table(table)} where project_id = ${project})`;

/** Rare values are at both ends of every order; others are spread evenly. */
const rows: Readonly<Record<string, Rows>> = {
  environments: (
    { project },
    count,
  ) => sql`insert into environments (project_id, name, slug, tier, state, created_at, updated_at)
    select ${project}, case when i % 100 = 0 then 'preview/' else 'review/' end || 'branch-' || i || '-q', 'review-' || i, 'development',
      case when i > ${count} - 15 then 'stopping' when i % 5 < 2 then 'available' else 'stopped' end, ${createdAt(count)}, ${createdAt(count)}
    from n`,
  deployments: (
    place,
    count,
  ) => sql`insert into deployments (iid, project_id, environment_id, ref, sha, status, user_id, created_at, updated_at,
      finished_at)
    select i, ${place.project}, ${first('environments', place)} + i % ${sql.lit(environmentsDeployedTo)},
      case when i % 3 = 0 then 'topic-' || (i % 500) else 'main' end, 'f000' || i,
      case when i < 15 then 'running' when i % 9 = 0 then 'failed' else 'success' end, ${place.user}, ${createdAt(count)},
      ${createdAt(count)} + (i * 31 % 600) * 1000, case when i >= 15 then ${createdAt(count)} + 30000 end
    from n`,
  feature_flags: (
    { project },
    count,
  ) => sql`insert into feature_flags (project_id, name, active, created_at, updated_at)
    select ${project}, 'flag_' || i, case when i < 15 then 0 else 1 end, ${createdAt(count)}, ${createdAt(count)} from n`,
  feature_flag_user_lists: (
    { project },
    count,
  ) => sql`insert into feature_flag_user_lists (project_id, iid, name, user_xids, created_at,
      updated_at)
    select ${project}, i, 'list ' || i || ' of', 'one,two', ${createdAt(count)}, ${createdAt(count)} from n`,
  packages: (
    { project, user },
    count,
  ) => sql`insert into packages (project_id, name, version, package_type, status, creator_id, created_at,
      updated_at)
    select ${project}, case when i % 1000 = 1 then 'bare-' || i when i % 100 = 0 then 'tool-' || (i % 1000) else 'library-' || (i % 1000) || '-q' end,
      case when i % 1000 <> 1 then '1.' || (i % 7) || '.' || i end,
      case when i < 15 then 'helm' when i % 3 = 0 then 'npm' when i % 3 = 1 then 'generic' else 'maven' end,
      case when i < 15 then 'hidden' when i > ${count} - 15 then 'error' else 'default' end, ${user}, ${createdAt(count)}, ${createdAt(count)}
    from n`,
  package_files: (
    place,
    count,
  ) => sql`insert into package_files (package_id, file_name, size, md5, sha1, sha256, storage_key, created_at)
    select ${first('packages', place)}, 'file-' || i, 1000, 'none', 'none', 'none' || i, 'seeded/' || i, ${createdAt(count)} from n`,
  registry_repositories: (
    { project },
    count,
  ) => sql`insert into registry_repositories (project_id, name, created_at, updated_at)
    select ${project}, 'image-' || i, ${createdAt(count)}, ${createdAt(count)} from n`,
  registry_manifests: (
    place,
    count,
  ) => sql`insert into registry_manifests (repository_id, digest, media_type, payload, size, total_size,
      created_at, touched_at)
    select ${first('registry_repositories', place)}, 'sha256:' || i, 'application/json', '{}', 2, 1000, ${createdAt(count)}, ${createdAt(count)} from n`,
  registry_tags: (
    place,
    count,
  ) => sql`insert into registry_tags (repository_id, name, manifest_id, created_at, updated_at)
    select repository_id, 'v' || substr(digest, 8), id, created_at, ${createdAt(count)} from n join registry_manifests
      on repository_id = ${first('registry_repositories', place)} and digest = 'sha256:' || i`,
  releases: (
    { project, user },
    count,
  ) => sql`insert into releases (project_id, tag, name, description, author_id, released_at, created_at,
      updated_at)
    select ${project}, 'v' || i, 'Release ' || i, 'What changed', ${user}, ${createdAt(count)}, ${createdAt(count)},
      ${createdAt(count)} + case when i < 15 then ${count} * cast(${sql.lit(minute)} as bigint) else 0 end from n`,
  milestones: (
    { project },
    count,
  ) => sql`insert into milestones (iid, project_id, title, state, due_date, created_at, updated_at)
    select i, ${project}, 'Milestone ' || i || ' of', case when i < 15 then 'active' else 'closed' end,
      case when i % 4 > 0 then '20' || (10 + i % 30) || '-0' || (1 + i % 9) || '-11' end, ${createdAt(count)}, ${createdAt(count)} from n`,
  notes: (
    { project, request, user },
    count,
  ) => sql`insert into notes (noteable_type, noteable_id, project_id, type, discussion_id, author_id, body,
      system, created_at, updated_at)
    select 'MergeRequest', ${request}, ${project}, 'DiscussionNote', 'seeded-' || ${request} || '-' || (i / 3), ${user}, 'Comment ' || i,
      case when i % 3 > 0 then 0 when i < 45 then 1 else 0 end, ${createdAt(count)}, ${createdAt(count)} from n`,
  resource_label_events: (
    { project, request, user },
    count,
  ) => sql`insert into resource_label_events (target_type, target_id, project_id,
      user_id, action, created_at)
    select 'MergeRequest', ${request}, ${project}, ${user}, 'add', ${createdAt(count)} from n`,
  todos: (
    { project, request, user },
    count,
  ) => sql`insert into todos (user_id, author_id, project_id, target_type, target_id, action, state,
      created_at, updated_at)
    select ${user}, ${user}, ${project}, 'MergeRequest', ${request},
      case when i < 15 then 'build_failed' when i % 2 = 0 then 'assigned' else 'mentioned' end,
      case when i % 5 = 0 then 'pending' else 'done' end, ${createdAt(count)}, ${createdAt(count)} from n`,
  pipeline_schedules: (
    { project, user },
    count,
  ) => sql`insert into pipeline_schedules (project_id, owner_id, description, ref, cron, cron_timezone,
      active, created_at, updated_at)
    select ${project}, ${user}, 'Nightly ' || i, 'main', '0 1 * * *', 'UTC', case when i > ${count} - 15 then 1 else 0 end, ${createdAt(count)},
      ${createdAt(count)} from n`,
  terraform_states: ({ project }, count) => sql`insert into terraform_states (project_id, name, created_at, updated_at)
    select ${project}, 'state-' || i, ${createdAt(count)}, ${createdAt(count)} from n`,
  terraform_state_versions: (
    place,
    count,
  ) => sql`insert into terraform_state_versions (state_id, serial, storage_key, size, sha256, created_at)
    select ${first('terraform_states', place)}, i, 'seeded/' || ${place.project} || '/' || i, 100, 'none', ${createdAt(count)} from n`,
  secure_files: ({ project }, count) => sql`insert into secure_files (project_id, name, checksum, content, created_at)
    select ${project}, 'key-' || i, 'none', '', ${createdAt(count)} from n`,
  resource_groups: ({ project }, count) => sql`insert into resource_groups (project_id, key, created_at, updated_at)
    select ${project}, 'group-' || i, ${createdAt(count)}, ${createdAt(count)} from n`,
  snippets: (
    { project, user },
    count,
  ) => sql`insert into snippets (project_id, author_id, title, visibility, repository, files, created_at,
      updated_at)
    select ${project}, ${user}, 'Snippet ' || i || ' of', 0, 'seeded-' || ${project} || '-' || i, '[]', ${createdAt(count)}, ${createdAt(count)}
    from n`,
  uploads: (
    { project, user },
    count,
  ) => sql`insert into uploads (project_id, secret, filename, storage_key, content_type, size, uploaded_by_id,
      created_at)
    select ${project}, 'seeded-' || ${project} || '-' || i, 'file-' || i, 'seeded/' || i, 'text/plain', 10, ${user}, ${createdAt(count)} from n`,
  webhook_deliveries: (
    { hook },
    count,
  ) => sql`insert into webhook_deliveries (webhook_id, trigger_name, event, url, request_headers,
      request_data, idempotency_key, response_headers, response_body, response_status, execution_ms, created_at)
    select ${hook}, 'push_hooks', 'Push Hook', 'https://hooks.example.com', '{}', '{}', 'none', '{}', '',
      case when i < 15 then 500 else 200 end, 10, ${now} - ${count} + i from n`,
};

/** Seeds a place with `count` rows in each table. */
export async function seedProject(where: Where, place: Place, count: number): Promise<void> {
  const db = await openDatabase(where);
  const literals: Literals = {
    group: sql.lit(place.group),
    project: sql.lit(place.project),
    request: sql.lit(place.request),
    user: sql.lit(place.user),
    hook: sql.lit(place.hook),
  };
  for (const insert of Object.values(rows)) {
    const statement = insert(literals, sql.lit(count));
    await inParts(db, count, (trx, from, to) => sql`${numbers(from, to)} ${statement}`.execute(trx));
  }
  await db.close();
}
