import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noPermissions } from '../../../src/access/custom-permissions.ts';
import {
  creationLevelsOf,
  mayCreateProject,
  mayCreateSubgroup,
  projectCreationLevels,
  subgroupCreationLevels,
} from '../../../src/access/namespaces/creation-levels.ts';
import type { Standing } from '../../../src/access/policy.ts';

const nobody: Standing = {
  level: 0,
  permissions: noPermissions,
  signedIn: false,
  external: false,
  admin: false,
  auditor: false,
};
const member = (level: number, more: Partial<Standing> = {}) => ({
  standing: { ...nobody, signedIn: true, level, ...more },
  archived: false,
});
const levels = [0, 5, 10, 15, 20, 30, 40, 50];

/** The lowest role that may create projects, Infinity for none; and whether administrators may. */
const projects = {
  noone: [Number.POSITIVE_INFINITY, false],
  owner: [50, true],
  maintainer: [40, true],
  developer: [30, true],
  administrator: [Number.POSITIVE_INFINITY, true],
} as const;

for (const setting of projectCreationLevels) {
  test(`project creation level ${setting}`, () => {
    const [least, admin] = projects[setting];
    for (const level of levels) assert.equal(mayCreateProject(member(level), setting), level >= least, `${level}`);
    assert.equal(mayCreateProject(member(0, { admin: true }), setting), admin);
    assert.equal(mayCreateProject({ ...member(50, { admin: true }), archived: true }, setting), false);
    assert.equal(mayCreateProject(member(50, { external: true }), setting), false);
    assert.equal(mayCreateProject({ standing: nobody, archived: false }, setting), false);
    assert.equal(mayCreateProject(member(0, { auditor: true }), setting), false);
  });
}

const subgroups = { owner: 50, maintainer: 40 } as const;
for (const setting of subgroupCreationLevels) {
  test(`subgroup creation level ${setting}`, () => {
    for (const level of levels) {
      assert.equal(mayCreateSubgroup(member(level), setting), level >= subgroups[setting], `${level}`);
    }
    assert.equal(mayCreateSubgroup(member(0, { admin: true }), setting), true);
    assert.equal(mayCreateSubgroup(member(50, { external: true }), setting), false);
    assert.equal(mayCreateSubgroup({ ...member(50), archived: true }, setting), false);
  });
}

test('groups without creation levels have the defaults', () => {
  assert.deepEqual(creationLevelsOf({ settings: '{}' }), { project: 'developer', subgroup: 'maintainer' });
  const settings = JSON.stringify({ project_creation_level: 'noone', subgroup_creation_level: 'owner' });
  assert.deepEqual(creationLevelsOf({ settings }), { project: 'noone', subgroup: 'owner' });
});
