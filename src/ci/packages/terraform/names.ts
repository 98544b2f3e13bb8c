import { isSemver } from '../rules.ts';

/** The module name in a URL. */
export interface ModuleName {
  readonly module_name: string;
  /** The target provider. */
  readonly module_system: string;
}

const word = /^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/;

/** Package name of a module; undefined for invalid names. */
export function modulePackage({ module_name, module_system }: ModuleName): string | undefined {
  return word.test(module_name) && word.test(module_system) ? `${module_name}/${module_system}` : undefined;
}

/** File name of a version; undefined for an invalid version. */
export function moduleFile({ module_name, module_system }: ModuleName, version: string): string | undefined {
  const file = `${module_name}-${module_system}-${version}.tgz`;
  return isSemver(version) && file.length <= 255 ? file : undefined;
}
