import { type Actor, actorOnBehalfOf } from '../../src/access/actor.ts';
import { claimProjectPath, insertNamespace } from '../../src/access/namespaces/addresses.ts';
import type { Namespace, Project, User } from '../../src/access/tables.ts';
import { migrations } from '../../src/migrations/list.ts';
import { insertPersonalNamespace } from '../../src/namespaces/namespaces/personal/store.ts';
import { blankAccount, insertUser } from '../../src/people/users/public.ts';
import type { Database, Engine } from '../../src/platform/database/database.ts';
import { openTestDatabase } from '../support/engines.ts';

let count = 0;

/** Creates users, groups and projects directly in a separate database, bypassing all rules. */
export class World {
  readonly db: Database;

  constructor(db: Database) {
    this.db = db;
  }

  static async on(engine: Engine): Promise<World> {
    return new World(await openTestDatabase(engine, migrations));
  }

  user(more: Partial<User> = {}): Promise<User> {
    count += 1;
    const username = `user-${count}`;
    const account = { ...blankAccount, username, name: username, email: `${username}@example.com`, ...more };
    return this.db.write(async (trx) => {
      const user = await insertUser({ announce: async () => undefined }, trx, account);
      if (user.kind === 'human') await insertPersonalNamespace(trx, user, {});
      return user;
    });
  }

  async actor(more: Partial<User> = {}): Promise<Actor> {
    return actorOnBehalfOf(await this.user(more));
  }

  group(visibility = 0, parent?: Namespace): Promise<Namespace> {
    count += 1;
    const row = {
      kind: 'group' as const,
      parent_id: parent?.id ?? null,
      owner_id: null,
      name: `Group ${count}`,
      path: `group-${count}`,
      visibility,
      avatar: null,
      runners_token: null,
      marked_for_deletion_at: null,
      marked_by_id: null,
      created_at: 1,
      updated_at: 1,
    };
    return this.db.write((trx) => insertNamespace(trx, row, parent));
  }

  project(namespace: Namespace, visibility = 0): Promise<Project> {
    count += 1;
    const path = `project-${count}`;
    return this.db.write(async (trx) => {
      const project = await trx
        .insertInto('projects')
        .values({
          namespace_id: namespace.id,
          creator_id: null,
          name: path,
          path,
          visibility,
          last_activity_at: 1,
          created_at: 1,
          updated_at: 1,
        })
        .returningAll()
        .executeTakeFirstOrThrow();
      await claimProjectPath(trx, `${namespace.full_path}/${path}`, project.id);
      return project;
    });
  }

  join(place: Namespace | Project, user: User, level: number, expires: number | null = null): Promise<unknown> {
    const columns =
      'kind' in place ? { namespace_id: place.id, project_id: null } : { namespace_id: null, project_id: place.id };
    const row = { ...columns, user_id: user.id, access_level: level, expires_at: expires };
    return this.db.write((trx) =>
      trx
        .insertInto('members')
        .values({ ...row, created_by_id: null, created_at: 1 })
        .execute(),
    );
  }

  share(
    place: Namespace | Project,
    invited: Namespace,
    level: number,
    expires: number | null = null,
  ): Promise<unknown> {
    const row = { with_namespace_id: invited.id, access_level: level, expires_at: expires, created_at: 1 };
    return this.db.write((trx) =>
      'kind' in place
        ? trx
            .insertInto('group_shares')
            .values({ ...row, namespace_id: place.id })
            .execute()
        : trx
            .insertInto('project_shares')
            .values({ ...row, project_id: place.id })
            .execute(),
    );
  }
}
