import Type from 'typebox';
import { notBlank, param, required, withDefault } from '../../../platform/http/params.ts';
import { entity } from '../../../platform/http/schema.ts';
import { commit } from '../schema.ts';

export const DryRun = entity('DryRun', { dry_run: Type.String() });

export const revert = {
  ...commit,
  branch: notBlank(required(param.string())),
  dry_run: withDefault(param.boolean(), false),
};
export const cherryPick = { ...revert, message: param.string() };
