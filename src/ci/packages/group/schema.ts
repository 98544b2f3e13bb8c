import Type, { type Static } from 'typebox';
import { type ParamsOf, param, required, withDefault } from '../../../platform/http/params.ts';
import { entity } from '../../../platform/http/schema.ts';
import { orderParams } from '../../../platform/list-kit/order.ts';
import { Package, status } from '../schema.ts';
import { groupPackageList } from './list.ts';

export const GroupPackage = entity('GroupPackage', {
  ...Package.properties,
  project_id: Type.Integer(),
  project_path: Type.String(),
});
export type GroupPackageEntity = Static<typeof GroupPackage>;

export const listing = {
  id: required(param.string({ description: 'ID or URL-encoded path of the group' })),
  exclude_subgroups: withDefault(param.boolean({ description: 'Exclude packages of subgroups' }), false),
  ...orderParams(groupPackageList.orders, 'created_at', 'asc'),
  ...groupPackageList.params,
  status,
};
export type GroupListingParams = ParamsOf<typeof listing>;
