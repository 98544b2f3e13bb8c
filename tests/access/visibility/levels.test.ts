import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { type Actor, actorOnBehalfOf, anonymous } from '../../../src/access/actor.ts';
import type { Namespace, Project, User } from '../../../src/access/tables.ts';
import { groupLevels, type Levels, levelsInProjects, projectLevels } from '../../../src/access/visibility/levels.ts';
import {
  memberGroups,
  memberProjects,
  viewerOf,
  visibleGroups,
  visibleProjects,
} from '../../../src/access/visibility/visible.ts';
import { forEachEngine } from '../../support/engines.ts';
import { World } from '../world.ts';

const past = 1;
const future = Date.now() + 86_400_000;

/** Only custom roles add permissions, and nobody has one here. */
function withoutPermissions({ permissions, ...levels }: Levels) {
  assert.deepEqual([...permissions], []);
  return levels;
}

forEachEngine((engine) => {
  describe('access levels', () => {
    let world: World;
    const group = async (user: User, place: Namespace) =>
      withoutPermissions(await groupLevels(world.db.read, user.id, place.id));
    const project = async (user: User, place: Project) =>
      withoutPermissions(await projectLevels(world.db.read, user.id, place));

    before(async () => {
      world = await World.on(engine);
    });

    it('are inherited from ancestor groups', async () => {
      const user = await world.user();
      const top = await world.group();
      const inner = await world.group(0, top);
      const deep = await world.project(inner);
      assert.deepEqual(await project(user, deep), { direct: 0, inherited: 0, highest: 0 });
      await world.join(top, user, 20);
      assert.deepEqual(await group(user, top), { direct: 20, inherited: 0, highest: 20 });
      assert.deepEqual(await group(user, inner), { direct: 0, inherited: 20, highest: 20 });
      assert.deepEqual(await project(user, deep), { direct: 0, inherited: 20, highest: 20 });
      await world.join(inner, user, 30);
      await world.join(deep, user, 10);
      assert.deepEqual(await group(user, inner), { direct: 30, inherited: 20, highest: 30 });
      assert.deepEqual(await project(user, deep), { direct: 10, inherited: 30, highest: 30 });
    });

    it('are not inherited upwards or sideways', async () => {
      const user = await world.user();
      const top = await world.group();
      const [one, two] = [await world.group(0, top), await world.group(0, top)];
      await world.join(one, user, 50);
      assert.equal((await group(user, top)).highest, 0);
      assert.equal((await group(user, two)).highest, 0);
      assert.equal((await project(user, await world.project(two))).highest, 0);
    });

    it('are granted through invited groups, up to the lower of share and membership', async () => {
      const user = await world.user();
      const [place, friends] = [await world.group(), await world.group()];
      const inner = await world.group(0, place);
      const shared = await world.project(inner);
      await world.join(friends, user, 40);
      await world.share(place, friends, 20);
      assert.deepEqual(await group(user, place), { direct: 0, inherited: 20, highest: 20 });
      assert.equal((await project(user, shared)).highest, 20);
      await world.share(shared, friends, 50);
      assert.equal((await project(user, shared)).highest, 40);
      const child = await world.group(0, friends);
      const other = await world.group();
      await world.share(other, child, 30);
      assert.equal(
        (await group(user, other)).highest,
        30,
        'members of the parent group are members of the invited group',
      );
    });

    it('are not passed on by a group that was itself invited', async () => {
      const user = await world.user();
      const [first, second, third] = [await world.group(), await world.group(), await world.group()];
      await world.join(first, user, 50);
      await world.share(second, first, 50);
      await world.share(third, second, 50);
      assert.equal((await group(user, second)).highest, 50);
      assert.equal((await group(user, third)).highest, 0);
    });

    it('end when memberships and shares expire', async () => {
      const user = await world.user();
      const [place, friends] = [await world.group(), await world.group()];
      const it = await world.project(place);
      await world.join(place, user, 50, past);
      assert.equal((await project(user, it)).highest, 0);
      await world.join(friends, user, 30, future);
      await world.share(place, friends, 40, past);
      assert.equal((await project(user, it)).highest, 0);
      await world.share(it, friends, 40, future);
      assert.equal((await project(user, it)).highest, 30);
    });
  });

  describe('visible projects and groups', () => {
    let world: World;

    before(async () => {
      world = await World.on(engine);
    });

    async function seen(actor: Actor) {
      const projects = await world.db.read
        .selectFrom('projects')
        .select('projects.id')
        .where((eb) => visibleProjects(eb, viewerOf(actor)))
        .execute();
      const groups = await world.db.read
        .selectFrom('namespaces')
        .select('namespaces.id')
        .where('kind', '=', 'group')
        .where((eb) => visibleGroups(eb, viewerOf(actor)))
        .execute();
      return { projects: new Set(projects.map((row) => row.id)), groups: new Set(groups.map((row) => row.id)) };
    }

    it('depend on visibility level and kind of user', async () => {
      const places: { group: number; project: number }[] = [];
      for (const visibility of [0, 10, 20]) {
        const group = await world.group(visibility);
        places.push({ group: group.id, project: (await world.project(group, visibility)).id });
      }
      const table: [string, Actor, number][] = [
        ['anonymous', anonymous, 1],
        ['external', await world.actor({ external: 1 }), 1],
        ['user', await world.actor(), 2],
        ['auditor', await world.actor({ auditor: 1 }), 3],
        ['administrator', await world.actor({ admin: 1 }), 3],
      ];
      for (const [name, actor, widest] of table) {
        const { projects, groups } = await seen(actor);
        for (const [index, place] of places.entries()) {
          const expected = index >= 3 - widest;
          assert.equal(projects.has(place.project), expected, `${name}: project ${index}`);
          assert.equal(groups.has(place.group), expected, `${name}: group ${index}`);
        }
      }
    });

    it('include the ancestor groups of places where a user has a role', async () => {
      const top = await world.group();
      const inner = await world.group(0, top);
      const aside = await world.group(0, top);
      const project = await world.project(inner);
      const [inProject, inGroup, lent, gone] = [
        await world.user(),
        await world.user(),
        await world.user(),
        await world.user(),
      ];
      const friends = await world.group();
      await world.join(project, inProject, 10);
      await world.join(inner, inGroup, 10);
      await world.join(friends, lent, 10);
      await world.share(project, friends, 10);
      await world.join(project, gone, 50, past);
      for (const user of [inProject, inGroup, lent]) {
        const { groups } = await seen(actorOnBehalfOf(user));
        assert.ok(groups.has(top.id) && groups.has(inner.id) && !groups.has(aside.id));
      }
      const { groups, projects } = await seen(actorOnBehalfOf(gone));
      assert.ok(!groups.has(top.id) && !groups.has(inner.id) && !projects.has(project.id));
    });

    it('agree with the access levels in a random hierarchy', async () => {
      const random = generator(7);
      const pick = <T>(list: readonly T[]) => list[Math.floor(random() * list.length)] as T;
      const level = () => pick([5, 10, 15, 20, 30, 40, 50]);
      const expiry = () => pick([null, null, past, future]);
      const users: User[] = [];
      const groups: Namespace[] = [];
      const projects: Project[] = [];
      for (let number = 0; number < 6; number += 1) users.push(await world.user());
      for (let number = 0; number < 12; number += 1) {
        groups.push(await world.group(0, number < 3 ? undefined : pick([undefined, ...groups])));
      }
      for (let number = 0; number < 12; number += 1) projects.push(await world.project(pick(groups)));
      const done = new Set<string>();
      const once = (key: string) => !done.has(key) && done.add(key);
      for (let number = 0; number < 20; number += 1) {
        const [place, user] = [pick([...groups, ...projects]), pick(users)];
        if (once(`${place.path} ${user.id}`)) await world.join(place, user, level(), expiry());
      }
      for (let number = 0; number < 14; number += 1) {
        const [place, other] = [pick([...groups, ...projects]), pick(groups)];
        if (place.path !== other.path && once(`${place.path} ${other.path}`)) {
          await world.share(place, other, level(), expiry());
        }
      }
      for (const user of users) await agree(world, user, groups, projects);
    });
  });
});

/** A seeded random generator of numbers between 0 and 1, so that each run has the same hierarchy. */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

async function agree(world: World, user: User, groups: readonly Namespace[], projects: readonly Project[]) {
  const { read } = world.db;
  const many = await levelsInProjects(read, user.id, projects);
  for (const project of projects) {
    assert.deepEqual(
      many.get(project.id),
      await projectLevels(read, user.id, project),
      'batched and single queries agree',
    );
  }
  for (const least of [5, 10, 20, 30, 40, 50]) {
    const inGroups = await read
      .selectFrom('namespaces')
      .select('namespaces.id')
      .where((eb) => memberGroups(eb, user.id, least))
      .execute();
    const inProjects = await read
      .selectFrom('projects')
      .select('projects.id')
      .where((eb) => memberProjects(eb, user.id, least))
      .execute();
    const groupIds = new Set(inGroups.map((row) => row.id));
    const projectIds = new Set(inProjects.map((row) => row.id));
    for (const group of groups) {
      const { highest } = await groupLevels(read, user.id, group.id);
      assert.equal(groupIds.has(group.id), highest >= least, `group ${group.id} at ${least}`);
    }
    for (const project of projects) {
      const highest = many.get(project.id)?.highest ?? 0;
      assert.equal(projectIds.has(project.id), highest >= least, `project ${project.id} at ${least}`);
    }
  }
}
