import type { Services } from '../../access/services.ts';

/** Of these branches, those that something still needs, such as an open merge request from or into them. */
export type BranchUse = (
  services: Services,
  projectId: number,
  branches: readonly string[],
) => Promise<ReadonlySet<string>>;

declare module '../../platform/occurrences.ts' {
  interface Contributions {
    'branches.use': BranchUse;
  }
}

/** Of these branches, those that any area needs. */
export async function branchesInUse(
  services: Services,
  projectId: number,
  branches: readonly string[],
): Promise<ReadonlySet<string>> {
  const sets = await Promise.all(services.contributed('branches.use').map((use) => use(services, projectId, branches)));
  return new Set(sets.flatMap((set) => [...set]));
}
