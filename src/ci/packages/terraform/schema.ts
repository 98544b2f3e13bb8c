import Type, { type Static } from 'typebox';
import { type ParamsOf, param, required } from '../../../platform/http/params.ts';
import { entity } from '../../../platform/http/schema.ts';
import { project } from '../schema.ts';

const none = Type.Array(Type.Unknown());

export const TerraformModuleVersions = entity('TerraformModuleVersions', {
  modules: Type.Array(
    Type.Object({
      versions: Type.Array(
        Type.Object({
          version: Type.String(),
          submodules: none,
          root: Type.Object({
            dependencies: none,
            providers: Type.Array(Type.Object({ name: Type.String(), version: Type.String() })),
          }),
        }),
      ),
      source: Type.String(),
    }),
  ),
});
export type ModuleVersionsEntity = Static<typeof TerraformModuleVersions>;

export const TerraformModule = entity('TerraformModule', {
  name: Type.String(),
  provider: Type.String(),
  providers: Type.Array(Type.String()),
  root: Type.Object({ dependencies: none }),
  source: Type.String(),
  submodules: none,
  version: Type.String(),
  versions: Type.Array(Type.String()),
});
export type ModuleEntity = Static<typeof TerraformModule>;

export const TerraformModulePublished = entity('TerraformModulePublished', { message: Type.String() });

const named = {
  module_name: required(param.string({ description: 'Module name' })),
  module_system: required(param.string({ description: 'Target provider, e.g. aws' })),
};
const version = { module_version: required(param.string({ description: 'Semantic version' })) };

/** A module of a root namespace. */
export const module = {
  module_namespace: required(param.string({ description: 'Root namespace of the project' })),
  ...named,
};
export const moduleVersion = { ...module, ...version };
export const moduleFile = {
  ...moduleVersion,
  download_token: param.string({
    description: 'Token in the URL of `X-Terraform-Get`, used instead of an access token',
  }),
};
export type ModuleParams = ParamsOf<typeof module>;
export type ModuleFileParams = ParamsOf<typeof moduleFile>;

export const projectModule = { ...project, ...named };
export const projectModuleVersion = { ...projectModule, ...version };
