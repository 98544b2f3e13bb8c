import type { Actor } from '../../../access/actor.ts';
import { visibleProjectIds } from '../../../access/visibility/visible-ids.ts';
import { presentIdentity } from '../../../namespaces/projects/public.ts';
import { type DeployKeyProject, presentSshKey, type SshKeyRow } from '../../../people/keys/public.ts';
import type { Reader } from '../../../platform/database/database.ts';
import { instant } from '../../../platform/http/schema.ts';
import type { DeployKeyEntity, ProjectDeployKeyEntity } from './schema.ts';
import { linksOfKey, projectsOfKeys } from './store.ts';

function keyFields(row: SshKeyRow) {
  const { fingerprint_md5: fingerprint, fingerprint_sha256 } = row;
  return { ...presentSshKey(row), fingerprint, fingerprint_sha256 };
}

/** A deploy key of a project. */
export function presentProjectKey(row: SshKeyRow & { readonly can_push: number }): ProjectDeployKeyEntity {
  return { ...keyFields(row), can_push: row.can_push === 1 };
}

/** Presents keys with the projects they give access to. Projects that the actor cannot see are left out. */
export async function presentKeys(db: Reader, actor: Actor, rows: readonly SshKeyRow[]): Promise<DeployKeyEntity[]> {
  const ids = rows.map((row) => row.id);
  const all = ids.length === 0 ? [] : await projectsOfKeys(db, ids);
  const known = await visibleProjectIds(db, actor, [...new Set(all.map((link) => link.id))]);
  const links = Map.groupBy(
    all.filter((link) => known.has(link.id)),
    (link) => link.key_id,
  );
  return rows.map((row) => {
    const presentProjects = (canPush: number) =>
      (links.get(row.id) ?? []).filter((link) => link.can_push === canPush).map((link) => presentIdentity(link, link));
    return {
      ...keyFields(row),
      projects_with_write_access: presentProjects(1),
      projects_with_readonly_access: presentProjects(0),
    };
  });
}

/** Lists the deployments of a key for the administrators' key lookup. */
export async function deploymentsOf(db: Reader, keyId: number): Promise<DeployKeyProject[]> {
  const links = await linksOfKey(db, keyId);
  return links.map(({ key_id, project_id, can_push, created_at }) => ({
    deploy_key_id: key_id,
    project_id,
    created_at: instant(created_at),
    updated_at: instant(created_at),
    can_push: can_push === 1,
  }));
}
