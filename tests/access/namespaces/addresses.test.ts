import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { anonymous } from '../../../src/access/actor.ts';
import { isPathTaken, moveNamespace, moveProjectAddress } from '../../../src/access/namespaces/addresses.ts';
import { selfAndAncestorIds, selfAndDescendantIds } from '../../../src/access/namespaces/hierarchy.ts';
import { groupSubject, lookUpNamespace, lookUpProject, projectSubject } from '../../../src/access/subjects.ts';
import type { Namespace } from '../../../src/access/tables.ts';
import { uniqueViolation } from '../../../src/platform/database/errors.ts';
import { forEachEngine } from '../../support/engines.ts';
import { World } from '../world.ts';

forEachEngine((engine) => {
  describe('namespace and project paths', () => {
    let world: World;
    const fresh = async (group: Namespace) => (await lookUpNamespace(world.db.read, `${group.id}`)) as Namespace;
    const move = (group: Namespace, to: { path?: string; name?: string; parent: Namespace | null }) =>
      world.db.write((trx) => moveNamespace(trx, group, { path: group.path, name: group.name, ...to }));

    before(async () => {
      world = await World.on(engine);
    });

    it('are found ignoring case, and only while in use', async () => {
      const group = await world.group();
      assert.equal((await lookUpNamespace(world.db.read, group.full_path.toUpperCase()))?.id, group.id);
      assert.equal(await isPathTaken(world.db.read, group.full_path.toUpperCase()), true);
      await move(group, { path: 'elsewhere', parent: null });
      assert.equal(await lookUpNamespace(world.db.read, group.full_path), undefined);
      assert.equal(await isPathTaken(world.db.read, group.full_path), false);
      assert.equal((await lookUpNamespace(world.db.read, 'elsewhere'))?.id, group.id);
    });

    it('move with all descendants, whose former paths redirect', async () => {
      const [top, target] = [await world.group(), await world.group()];
      const inner = await world.group(0, top);
      const project = await world.project(inner);
      const former = `${top.path}/${inner.path}/${project.path}`;
      await move(top, { path: 'new-top', name: 'Neu é🎉', parent: target });
      const moved = await fresh(inner);
      assert.equal(moved.full_path, `${target.path}/new-top/${inner.path}`);
      assert.equal(moved.full_name, `${target.name} / Neu é🎉 / ${inner.name}`);
      assert.deepEqual(
        new Set(await selfAndAncestorIds(world.db.read, inner.id)),
        new Set([inner.id, top.id, target.id]),
      );
      assert.deepEqual(
        new Set(await selfAndDescendantIds(world.db.read, target.id)),
        new Set([inner.id, top.id, target.id]),
      );
      const now = await lookUpProject(world.db.read, `${moved.full_path}/${project.path}`);
      assert.deepEqual([now?.project.id, now?.former], [project.id, false]);
      const before = await lookUpProject(world.db.read, former);
      assert.deepEqual([before?.project.id, before?.former], [project.id, true]);

      await move(await fresh(top), { path: top.path, name: top.name, parent: null });
      assert.equal((await fresh(inner)).full_name, `${top.name} / ${inner.name}`);
      assert.deepEqual(new Set(await selfAndAncestorIds(world.db.read, inner.id)), new Set([inner.id, top.id]));
      assert.equal((await lookUpProject(world.db.read, former))?.former, false);
    });

    it('keep hierarchy depths correct when a subtree moves', async () => {
      const [top, other] = [await world.group(), await world.group()];
      const inner = await world.group(0, top);
      const deep = await world.group(0, inner);
      await move(inner, { parent: other });
      const rows = await world.db.read
        .selectFrom('namespace_ancestors')
        .select(['ancestor_id', 'depth'])
        .where('namespace_id', '=', deep.id)
        .orderBy('depth')
        .execute();
      assert.deepEqual(
        rows.map((row) => [row.ancestor_id, row.depth]),
        [
          [deep.id, 0],
          [inner.id, 1],
          [other.id, 2],
        ],
      );
    });

    it('can change in case only', async () => {
      const group = await world.group();
      await move(group, { path: group.path.toUpperCase(), parent: null });
      assert.equal((await lookUpNamespace(world.db.read, group.path))?.full_path, group.path.toUpperCase());
    });

    it('are rejected if already in use', async () => {
      const [one, two] = [await world.group(), await world.group()];
      await assert.rejects(
        move(one, { path: two.path, parent: null }),
        (error) => uniqueViolation(error) !== undefined,
      );
      const project = await world.project(one);
      const other = await world.project(one);
      await assert.rejects(
        world.db.write((trx) =>
          moveProjectAddress(trx, `${one.path}/${project.path}`, `${one.path}/${other.path}`, project.id),
        ),
        (error) => uniqueViolation(error) !== undefined,
      );
    });

    it('replace redirects of former owners', async () => {
      const [one, two] = [await world.group(), await world.group()];
      await move(one, { path: `${one.path}-later`, parent: null });
      await move(two, { path: one.path, parent: null });
      assert.equal((await lookUpNamespace(world.db.read, one.path))?.id, two.id);
    });
  });

  describe('subjects', () => {
    it('are archived if an ancestor is archived', async () => {
      const world = await World.on(engine);
      const top = await world.group(20);
      const inner = await world.group(20, top);
      const project = await world.project(inner, 20);
      assert.equal((await projectSubject(world.db.read, anonymous, project)).archived, false);
      await world.db.write((trx) =>
        trx.updateTable('namespaces').set({ archived: 1 }).where('id', '=', top.id).execute(),
      );
      assert.equal((await projectSubject(world.db.read, anonymous, project)).archived, true);
      assert.equal((await groupSubject(world.db.read, anonymous, inner)).archived, true);
    });

    it('let users with a role inside a group read it, but not write', async () => {
      const world = await World.on(engine);
      const top = await world.group();
      const project = await world.project(await world.group(0, top));
      const actor = await world.actor();
      assert.equal((await groupSubject(world.db.read, actor, top)).can('read_group'), false);
      await world.join(project, actor.user as NonNullable<typeof actor.user>, 50);
      const subject = await groupSubject(world.db.read, actor, top);
      assert.deepEqual(
        (['read_group', 'read_label', 'read_member', 'admin_label', 'admin_group', 'request_access'] as const).map(
          (ability) => subject.can(ability),
        ),
        [true, true, true, false, false, false],
      );
    });
  });
});
