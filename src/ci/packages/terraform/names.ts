import { isSemver } from '../rules.ts';

/** What the addresses of a module name. */
export interface ModuleName {
  readonly module_name: string;
  /** The provider that it is for. */
  readonly module_system: string;
}

const word = /^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/;

/** The name of the package that holds a module; undefined where there can be none of that name. */
export function modulePackage({ module_name, module_system }: ModuleName): string | undefined {
  return word.test(module_name) && word.test(module_system) ? `${module_name}/${module_system}` : undefined;
}

/** The file of a version; undefined where it cannot be one. */
export function moduleFile({ module_name, module_system }: ModuleName, version: string): string | undefined {
  const file = `${module_name}-${module_system}-${version}.tgz`;
  return isSemver(version) && file.length <= 255 ? file : undefined;
}
