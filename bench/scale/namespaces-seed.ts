import { sql } from 'kysely';
import { type Database, openDatabase } from '../../src/platform/database/database.ts';
import { digest } from '../../src/platform/secrets/tokens.ts';
import { seedBelongings } from './namespaces-belongings-seed.ts';
import { callers, first, ids, inParts, type NamespacesSize, numbers, ownProjects } from './namespaces-parts.ts';

const depth = 10;

async function insertUsers(db: Database, { users }: NamespacesSize, now: number): Promise<void> {
  await inParts(db, users, async (trx, from, to) => {
    const n = numbers(from, to);
    await sql`${n} insert into users (id, username, name, email, confirmed_at, last_activity_at, created_at, updated_at)
      select ${first.user} + i, 'person' || i, 'Person ' || i || ' of ' || (i % 997), 'person' || i || '@example.com',
        ${now}, ${now} - i * 1000, ${now} - i * 1000, ${now} - i * 1000 from n`.execute(trx);
    await sql`${n} insert into emails (user_id, email, confirmed_at, created_at)
      select ${first.user} + i, 'person' || i || '@example.com', ${now}, ${now} from n`.execute(trx);
    await sql`${n} insert into namespaces (id, kind, owner_id, name, path, full_path, full_name, created_at, updated_at)
      select ${first.ownSpace} + i, 'user', ${first.user} + i, 'Person ' || i, 'person' || i, 'person' || i,
        'Person ' || i, ${now}, ${now} from n`.execute(trx);
    await sql`${n} insert into namespace_ancestors (namespace_id, ancestor_id, depth)
      select ${first.ownSpace} + i, ${first.ownSpace} + i, 0 from n`.execute(trx);
    await sql`${n} insert into routes (path, namespace_id) select 'person' || i, ${first.ownSpace} + i from n`.execute(
      trx,
    );
    await sql`${n} insert into access_tokens (user_id, name, digest, scopes, created_at)
      select ${first.user} + i, 'token ' || i, 'digest ' || i, '["api"]', ${now} - i from n`.execute(trx);
    await sql`${n} insert into ssh_keys (user_id, title, key, fingerprint_md5, fingerprint_sha256, created_at)
      select ${first.user} + i, 'laptop', 'ssh-ed25519 AAAA' || i, 'md5 ' || i, 'sha256 ' || i, ${now} from n`.execute(
      trx,
    );
  });
}

/** Groups nested ten levels deep; three in ten hierarchies are public. */
async function insertGroups(db: Database, { groups }: NamespacesSize, now: number): Promise<void> {
  for (let level = 0; level < depth; level += 1) {
    await inParts(db, groups, async (trx, from, to) => {
      const columns = sql`id, kind, parent_id, name, path, full_path, full_name, visibility, created_at, updated_at`;
      const chosen = sql`(i - 1) % ${depth} = ${level}`;
      const visibility = sql`case when ((i - 1) / ${depth}) % 10 < 3 then 20 else 0 end`;
      await (level === 0
        ? sql`${numbers(from, to)} insert into namespaces (${columns})
            select ${first.group} + i, 'group', null, 'Group q' || i || 'q', 'group' || i, 'group' || i, 'Group q' || i || 'q',
              ${visibility}, ${now}, ${now} from n where ${chosen}`
        : sql`${numbers(from, to)} insert into namespaces (${columns})
            select ${first.group} + i, 'group', p.id, 'Group q' || i || 'q', 'group' || i, p.full_path || '/group' || i,
              p.full_name || ' / Group q' || i || 'q', ${visibility}, ${now}, ${now}
            from n join namespaces p on p.id = ${first.group} + i - 1 where ${chosen}`
      ).execute(trx);
    });
  }
  for (let level = 0; level < depth; level += 1) {
    await inParts(db, groups, (trx, from, to) =>
      sql`${numbers(from, to)} insert into namespace_ancestors (namespace_id, ancestor_id, depth)
        select ${first.group} + i, ${first.group} + i - ${level}, cast(${level} as integer) from n
        where (i - 1) % ${depth} >= ${level}`.execute(trx),
    );
  }
  await db.write((trx) =>
    sql`insert into routes (path, namespace_id) select full_path, id from namespaces where kind = 'group'
      and id > ${first.group}`.execute(trx),
  );
}

async function insertProjects(db: Database, { projects, groups, users }: NamespacesSize, now: number): Promise<void> {
  // The member created their own projects; the others are spread over all users.
  const maker = sql`case when i <= ${ownProjects} then ${ids.member} else ${first.user} + 3 + i % ${users - 2} end`;
  await inParts(db, projects, async (trx, from, to) => {
    await sql`${numbers(from, to)} insert into projects (id, namespace_id, creator_id, name, path, description, visibility,
        last_activity_at, created_at, updated_at)
      select ${first.project} + i, ${first.group} + 1 + i % ${groups}, ${maker}, 'Project q' || i || 'q', 'project' || i,
        'About ' || (i % 997), case when i % 10 < 2 then 20 when i % 10 = 2 then 10 else 0 end,
        ${now} - i * 1000, ${now} - i * 1000, ${now} - i * 1000 from n`.execute(trx);
    await sql`insert into routes (path, project_id)
      select g.full_path || '/' || p.path, p.id from projects p join namespaces g on g.id = p.namespace_id
      where p.id between ${first.project + from} and ${first.project + to}`.execute(trx);
    await sql`${numbers(from, to)} insert into events (project_id, author_id, action, audience, created_at)
      select ${first.project} + i, ${maker}, 'created', 'project', ${now} - i * 1000 from n`.execute(trx);
  });
}

/**
 * Memberships spread over all users, one in ten in a group; the member has a role in each of the first projects, the
 * outsider has none.
 */
async function insertMembers(db: Database, size: NamespacesSize, now: number): Promise<void> {
  const { users, groups, projects, memberships } = size;
  const columns = sql`user_id, namespace_id, project_id, access_level, created_at`;
  await inParts(db, Math.min(ownProjects, projects), (trx, from, to) =>
    sql`${numbers(from, to)} insert into members (${columns})
      select ${ids.member}, null, ${first.project} + i, 30, ${now} from n`.execute(trx),
  );
  const others = users - 2;
  await inParts(db, memberships, (trx, from, to) =>
    sql`${numbers(from, to)} insert into members (${columns})
      select ${first.user} + 3 + (i * 7919) % ${others},
        case when i % 10 = 0 then ${first.group} + 1 + (i / 10) % ${groups} end,
        case when i % 10 <> 0 then ${first.project} + 1 + (i * 104729) % ${projects} end,
        10 * (1 + i % 5), ${now} from n where true on conflict do nothing`.execute(trx),
  );
}

/** Seeds the database of an initialized server. */
export async function seedNamespaces(place: { url?: string; file?: string }, size: NamespacesSize): Promise<void> {
  const db = await openDatabase(place);
  const now = Date.now();
  await insertUsers(db, size, now);
  await insertGroups(db, size, now);
  await insertProjects(db, size, now);
  await insertMembers(db, size, now);
  await seedBelongings(db, size, now);
  await db.write(async (trx) => {
    for (const [who, text] of Object.entries(callers)) {
      const user_id = ids[who as keyof typeof callers];
      const row = { user_id, name: 'bench', description: null, digest: digest(text), scopes: '["api"]' };
      const unused = { expires_at: null, last_used_at: null, family_id: null, created_at: now };
      await trx
        .insertInto('access_tokens')
        .values({ ...row, ...unused })
        .execute();
    }
  });
  await db.close();
}
