import type { Services } from '../../platform/services.ts';

/** Of these branches, those that something still needs, such as an open merge request from or into them. */
export type BranchUse = (
  services: Services,
  projectId: number,
  branches: readonly string[],
) => Promise<ReadonlySet<string>>;

const uses: BranchUse[] = [];

/** Lets an area keep branches from being cleaned away. Call it once, at the top of a module. */
export function onBranchUse(use: BranchUse): void {
  uses.push(use);
}

/** Of these branches, those that any area needs. */
export async function branchesInUse(
  services: Services,
  projectId: number,
  branches: readonly string[],
): Promise<ReadonlySet<string>> {
  const sets = await Promise.all(uses.map((use) => use(services, projectId, branches)));
  return new Set(sets.flatMap((set) => [...set]));
}
