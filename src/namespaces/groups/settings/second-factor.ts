import { rootNamespaceId } from '../../../access/namespaces/hierarchy.ts';
import { findNamespace } from '../../../access/subject-queries.ts';
import type { Namespace } from '../../../access/tables.ts';
import type { Writer } from '../../../platform/database/database.ts';
import type { ErrorMap } from '../../../platform/http/responses/ruby-dump.ts';
import { groupsRequiringFactor, updateGroupRow } from '../store.ts';
import { type GroupSettings, packSettings, settingsOfGroup } from './values.ts';

/**
 * The top-level group may forbid its descendants to require two-factor authentication. The caller holds the hierarchy
 * lock.
 */
export async function factorProblems(
  trx: Writer,
  parent: Namespace | null | undefined,
  before: GroupSettings | undefined,
  { require_two_factor_authentication: wanted }: GroupSettings,
): Promise<ErrorMap> {
  if (!parent || !wanted || before?.require_two_factor_authentication) return {};
  const top = await findNamespace(trx, await rootNamespaceId(trx, parent.id));
  const allowed = !top || settingsOfGroup(top).allow_mfa_for_subgroups;
  return { require_two_factor_authentication: allowed ? [] : ['is forbidden by a top-level group'] };
}

/** Turns off the two-factor requirement of descendant groups when the top-level group forbids it. */
export async function forbidFactorBelow(
  trx: Writer,
  group: Namespace,
  before: GroupSettings,
  { allow_mfa_for_subgroups: allowed }: GroupSettings,
): Promise<void> {
  if (allowed || !before.allow_mfa_for_subgroups) return;
  for (const below of await groupsRequiringFactor(trx, group.id)) {
    const settings = packSettings({ ...settingsOfGroup(below), require_two_factor_authentication: false });
    await updateGroupRow(trx, below.id, { settings });
  }
}
