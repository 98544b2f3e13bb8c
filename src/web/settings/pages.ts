import { ledgerPages } from '../forms/ledger.ts';
import type { Page } from '../frame/visit.ts';
import { groupRoom, projectRoom } from '../places/rooms.ts';
import { groupSettingsPages, newGroupPages } from './group.ts';
import { hooks } from './hooks.ts';
import { memberPages } from './members.ts';
import { projectSettingsPages } from './project.ts';
import { deployKeys, mirrors, protectedBranches, protectedTags, triggers } from './repository.ts';
import { runners } from './runners.ts';
import { accessTokens, deployTokens } from './tokens.ts';
import { variables } from './variables.ts';

const numberIn = (api: string) => Number(api.slice(api.lastIndexOf('/') + 1));

const ofProject = [
  protectedBranches,
  protectedTags,
  deployKeys,
  deployTokens,
  accessTokens,
  hooks,
  variables,
  triggers,
  mirrors,
  runners('project_type', '/-/settings/runners', '/runners', (api) => ({ project_id: numberIn(api) })),
];

const ofGroup = [
  deployTokens,
  accessTokens,
  hooks,
  variables,
  runners('group_type', '/-/settings/runners', '/runners', (api) => ({ group_id: numberIn(api) })),
];

export const settingsPages: readonly Page[] = [
  ...newGroupPages,
  ...groupSettingsPages,
  ...memberPages(groupRoom('group_members'), '/groups/:path', '/-/group_members'),
  ...ofGroup.flatMap((ledger) => ledgerPages(groupRoom('edit'), '/groups/:path', ledger)),
  ...projectSettingsPages,
  ...memberPages(projectRoom('project_members'), '/:project', '/-/project_members'),
  ...ofProject.flatMap((ledger) => ledgerPages(projectRoom('settings'), '/:project', ledger)),
];
